"""Check and grade the original of compiled code, because `torch.compile` only changes how fast it runs.

Compiling needs a C++ compiler and starts processes, which the sandbox doesn't allow, and the first call of compiled
code takes longer than a check may. So if a student compiles an answer, the answer is asked as it was written.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch


def uncompiled(model: Any = None, **options: Any) -> Any:
    """Return a function, class or module unchanged. Accept the options of `torch.compile`, and serve as a decorator.

    As after compiling, a module is also available as ``_orig_mod``, but its parameters keep their names.
    """
    if model is None:
        return lambda decorated: uncompiled(decorated, **options)
    if isinstance(model, torch.nn.Module):
        object.__setattr__(model, "_orig_mod", model)  # nn.Module would register it as a part of itself
    return model


def never_compile() -> None:
    """Turn `torch.compile` off in this process and its forks, for good."""
    torch.compile = uncompiled


@contextmanager
def without_compiling() -> Iterator[None]:
    """Compile nothing inside the block, and run the original of anything that was compiled before."""
    before = torch.compile
    never_compile()
    try:
        with _eager():
            yield
    finally:
        torch.compile = before


@contextmanager
def _eager() -> Iterator[None]:
    """Run the originals of compiled code, but don't import the compiler for this, which takes two seconds."""
    set_stance: Callable[[str], Any] | None = getattr(torch.compiler, "set_stance", None)  # since PyTorch 2.6
    if set_stance is None or "torch._dynamo" not in sys.modules:
        yield
        return
    with set_stance("force_eager"):
        yield
