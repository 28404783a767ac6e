"""The question for an answer that a student works out on paper and types in."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import numpy as np
import torch

from course_lib.checking.closeness import DECIMALS
from course_lib.checking.explain.show import describe
from course_lib.checking.failure import Failure
from course_lib.checking.questions.question import Question, as_tuple
from course_lib.checking.values import Value, is_array, plain


class OtherForm(ValueError):
    """The answer doesn't have the form that the exercise asks for. The message says what the form is."""


assert OtherForm.__name__ == Failure.OTHER_FORM.value  # an error is recorded under the name of its type


@dataclass(frozen=True)
class OnPaper(Question):
    """Ask for a value: a number, a word, or a list or table of them. There are no inputs, because nothing is called.

    A list may also be a tuple, an array or a tensor. A function without parameters counts as what it returns.

    The answer contains ``answer``: numbers as a float64 tensor, words as text. For numbers, it also contains
    ``decimals``, which `closeness` reads.

    Attributes:
        like: another answer of the same form, such as ``[0.5, 0.3, 0.2]``. It decides how many numbers are asked for,
            and messages show it. A list of words may have any length.
        decimals: to how many decimals numbers are asked for. They may be off by one in the last, because
            intermediate results are rounded, too. None if they must be exact.
    """

    like: Value
    decimals: int | None = field(default=2, kw_only=True)
    returns: Sequence[str] = field(default=("answer",), kw_only=True)

    def __call__(self, implementation: Any) -> dict[str, Value]:
        """Return the answer in one form, whatever it was typed as.

        Raises:
            NotImplementedError: nothing has been typed in yet.
            OtherForm: the answer has another form than `like`.
        """
        typed = implementation() if callable(implementation) else implementation
        if typed is None or typed is ...:
            raise NotImplementedError
        if _is_words(self.like):
            return {"answer": self._words(typed)}
        answer = torch.tensor(self._numbers(typed, self.like), dtype=torch.float64)
        return {"answer": answer} if self.decimals is None else {"answer": answer, DECIMALS: self.decimals}

    def live(self, implementation: Any, number: int = 0) -> Any:
        """Return an empty tuple: there are no inputs."""
        return as_tuple({})

    def _numbers(self, typed: Any, like: Value) -> Any:
        """Return numbers as floats in nested lists of the same lengths as ``like``."""
        if isinstance(like, list):
            if not isinstance(typed, list | tuple) and not (is_array(typed) and typed.ndim):
                raise self._other_form(_described(typed))
            if len(typed) != len(like):  # before anything is copied: an array of one number may claim to be huge
                raise self._other_form(f"a list of {len(typed)}")
            return [self._numbers(one, wanted) for one, wanted in zip(typed, like, strict=True)]
        if is_array(typed) and not typed.ndim:
            typed = typed.item()
        if not isinstance(typed, numbers.Real | Decimal) or not math.isfinite(typed):
            raise self._other_form(_described(typed) if like is self.like else f"one with {_described(typed)}")
        return float(typed)

    def _words(self, typed: Any) -> Value:
        """Return words without the spaces around them."""
        if isinstance(self.like, str) and isinstance(typed, str):
            return typed.strip()
        if isinstance(self.like, list) and isinstance(typed, list | tuple):
            if wrong := [one for one in typed if not isinstance(one, str)]:
                raise self._other_form(f"one with {_described(wrong[0])}")
            return [one.strip() for one in typed]
        raise self._other_form(_described(typed))

    def _other_form(self, yours: str) -> OtherForm:
        return OtherForm(f"this asks for {_asked(self.like)}, in a form like {self.like!r}; yours is {yours}"[:300])


def _is_words(like: Value) -> bool:
    return isinstance(like, str) or (isinstance(like, list) and all(isinstance(one, str) for one in like))


def _asked(like: Value) -> str:
    """Return what is asked for, such as "3 numbers"."""
    if _is_words(like):
        return "a word" if isinstance(like, str) else "a list of words"
    shape, boolean = np.shape(like), np.asarray(like).dtype == bool
    if not shape:
        return "True or False" if boolean else "a number"
    rows = "".join(f"{length} rows of " for length in shape[:-1])
    return f"{rows}{shape[-1]} {'truth values' if boolean else 'numbers'}"


def _described(typed: Any) -> str:
    return describe(plain(typed), details=True)
