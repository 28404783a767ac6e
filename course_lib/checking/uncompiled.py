"""Compiled code is checked and graded as it was written: `torch.compile` changes how fast it runs, and nothing else.

Compiling needs a C++ compiler and starts processes, which the sandbox does not allow; and the first call of compiled
code takes longer than a check may. So a student who compiles a right answer is asked the answer that was compiled.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch


def uncompiled(model: Any = None, **options: Any) -> Any:
    """Return a function, class or module as it is, as a decorator too; the options are those of `torch.compile`.

    A module can be found under ``_orig_mod``, as a compiled one can, but its parameters keep their names.
    """
    if model is None:
        return lambda decorated: uncompiled(decorated, **options)
    if isinstance(model, torch.nn.Module):
        object.__setattr__(model, "_orig_mod", model)  # nn.Module would register it as a part of itself
    return model


def never_compile() -> None:
    """From here on, compile nothing in this process and its forks."""
    torch.compile = uncompiled


@contextmanager
def without_compiling() -> Iterator[None]:
    """Inside the block, compile nothing, and call the original of whatever was compiled before."""
    before = torch.compile
    never_compile()
    try:
        with _eager():
            yield
    finally:
        torch.compile = before


@contextmanager
def _eager() -> Iterator[None]:
    """Let compiled code run as it was written, if there can be any: to import what compiles takes two seconds."""
    set_stance: Callable[[str], Any] | None = getattr(torch.compiler, "set_stance", None)  # since PyTorch 2.6
    if set_stance is None or "torch._dynamo" not in sys.modules:
        yield
        return
    with set_stance("force_eager"):
        yield
