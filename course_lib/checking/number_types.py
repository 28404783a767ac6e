"""The dtype in which a question is asked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from course_lib.session import CURRENT

_MIXED = re.compile(r"dtype|scalar type|same type|Double", re.IGNORECASE)


@contextmanager
def default_dtype(name: str) -> Iterator[None]:
    """Make ``"float64"`` or ``"float32"`` torch's default dtype, then restore the old one."""
    before = CURRENT.dtype or torch.get_default_dtype()
    torch.set_default_dtype(getattr(torch, name))
    try:
        yield
    finally:
        torch.set_default_dtype(before)


@contextmanager
def left_as_it_was() -> Iterator[None]:
    """Restore torch's default dtype and generator, even if a thread that changed them is left running."""
    before, state = torch.get_default_dtype(), torch.random.get_rng_state()
    CURRENT.dtype = before
    try:
        yield
    finally:
        torch.set_default_dtype(before)
        torch.random.set_rng_state(state)


def stops_at_mixed_types(error: BaseException) -> bool:
    """Return whether torch refuses two dtypes in one operation.

    ``mask.float() @ x`` is right in float32 and fails in float64. If an implementation does this, questions about
    something else are asked in float32.
    """
    return isinstance(error, RuntimeError) and bool(_MIXED.search(str(error)))
