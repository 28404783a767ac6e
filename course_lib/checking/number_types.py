"""In which number type a question is asked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import torch
from torch import Tensor

from course_lib.checking.exercise import Question
from course_lib.checking.values import convert

_MIXED = re.compile(r"dtype|scalar type|same type|Double", re.IGNORECASE)


#: what a thread puts back that is stopped in the middle of a question: the default may be that of the one before
_OUTSIDE: list[torch.dtype] = []


@contextmanager
def default_dtype(name: str) -> Iterator[None]:
    """Make ``"float64"`` or ``"float32"`` torch's default number type, and put back what it was."""
    before = _OUTSIDE[0] if _OUTSIDE else torch.get_default_dtype()
    torch.set_default_dtype(getattr(torch, name))
    try:
        yield
    finally:
        torch.set_default_dtype(before)


@contextmanager
def left_as_it_was() -> Iterator[None]:
    """Put back torch's default number type and generator, also where a thread is left behind that changed them."""
    before, state = torch.get_default_dtype(), torch.random.get_rng_state()
    _OUTSIDE[:] = [before]
    try:
        yield
    finally:
        torch.set_default_dtype(before)
        torch.random.set_rng_state(state)


def stops_at_mixed_types(error: BaseException) -> bool:
    """Whether torch refuses two number types in one operation.

    ``mask.float() @ x`` is right in float32 and stops in float64: of an implementation that does so, a question about
    something else is asked in float32.
    """
    return isinstance(error, RuntimeError) and bool(_MIXED.search(str(error)))


def in_float32(question: Question) -> Question:
    """The same question with float32 tensors, where torch's default is float32 too."""

    def single(array: object) -> object:
        return array.float() if isinstance(array, Tensor) and array.dtype is torch.float64 else array

    return replace(question, given=convert(dict(question.given), single), default_dtype="float32")
