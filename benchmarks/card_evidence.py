"""What an implementation really does: the evidence against which the sentences of its card are checked.

It only runs code and compares values. It uses neither the judge nor the rules, so it can contradict them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from course_lib.checking.answers import Answer, Answers
from course_lib.checking.exercise import Exercise
from course_lib.checking.questions import OnPaper, Question
from course_lib.checking.values import Value, is_array, pick

#: the difference between equal numbers, as a share of the largest, by the number of bytes of the right dtype
_SHARES = {8: 1e-5, 4: 1e-5, 2: 3e-2}


@dataclass(frozen=True)
class Evidence:
    """The answers of one implementation, the right ones, and what its author says that it does.

    Attributes:
        questions: those of the checks, and the small ones.
        ours: the answers; they may lack those to small questions.
        names: the registered mistakes that it makes, or that are half of what it does; None if nobody has read it.
        mistakes: returns the answers of the registered mistake with this name.
    """

    exercise: Exercise
    questions: Sequence[Question]
    ours: Answers
    right: Answers
    names: frozenset[str] | None = None
    mistakes: Callable[[str], Answers] = field(default=lambda name: {})

    def question(self, name: str) -> Question:
        return next(question for question in self.questions if question.name == name)

    @cached_property
    def asked(self) -> list[Question]:
        """The questions that ask for values."""
        return [question for question in self.questions if not question.watched and question.name in self.ours]

    @cached_property
    def answered(self) -> list[Question]:
        """The questions that it answers without an error."""
        return [question for question in self.asked if not self.ours[question.name].error]

    @cached_property
    def wrong(self) -> list[Question]:
        """The answered questions whose values are wrong."""
        return [q for q in self.answered if not self._is_right(q)]

    def _is_right(self, question: Question) -> bool:
        ours, right = (outcome(answer) for answer in self._answers(question))
        if isinstance(question, OnPaper):
            return by_hand(ours.get("answer"), right["answer"], question.decimals)
        return alike(dict(ours), dict(right))

    @cached_property
    def errors(self) -> set[str]:
        """The types of the errors with which it stops."""
        return {answer.error.type for answer in self.ours.values() if answer.error}

    def both(self, question: str, path: str) -> tuple[Value, Value]:
        """Return our value and the right one at a path."""
        return pick(self.ours[question].values, path), pick(self.right[question].values, path)

    def values(self, name: str, questions: Sequence[Question]) -> Iterator[tuple[Question, int, Value, Value]]:
        """Yield each value that comes back under a name: its question, its call, ours and the right one."""
        for question in questions:
            for number, (ours, right) in enumerate(zip(*map(calls, self._answers(question)), strict=False)):
                if name in right:
                    yield question, number, ours.get(name), right[name]

    def _answers(self, question: Question) -> tuple[Answer, Answer]:
        return self.ours[question.name], self.right[question.name]


def calls(answer: Answer) -> list[Mapping[str, Value]]:
    """Return what came back from each call, by name."""
    found = answer.values.get("calls")
    if not isinstance(found, list):
        return [answer.values]
    return [call if isinstance(call, dict) else {} for call in found]


def by_hand(ours: Value, right: Value, decimals: int | None) -> bool:
    """Return whether an answer on paper is right: its numbers may be off by one in the last decimal."""
    if decimals is None or not is_array(ours) or not is_array(right):
        return alike(ours, right)
    x, y = array(ours), array(right)
    return x.shape == y.shape and bool((np.abs(x - y) < 1.01 * 10.0**-decimals).all())


def outcome(answer: Answer) -> dict[str, Value]:
    """Return what came back, without side effects and gradients."""
    return {name: value for name, value in answer.values.items() if name not in ("gradients", "after", "shapes")}


def alike(ours: Value, right: Value, share: float | None = None, size: float | None = None) -> bool:
    """Return whether two values are equal up to rounding, as arrays of the same library and shape.

    Args:
        share: how far numbers may differ, as a share of the largest.
        size: the largest number, if the arrays belong to something larger.
    """
    if is_array(ours) and is_array(right):
        if type(ours) is not type(right) or tuple(ours.shape) != tuple(right.shape) or boolean(ours) != boolean(right):
            return False
        return not bool(differences(ours, right, share, size).any())
    if isinstance(ours, bool) or isinstance(right, bool | str) or right is None:
        return type(ours) is type(right) and ours == right
    if isinstance(right, int | float):
        near = 1e-6 if share is None else share
        return isinstance(ours, int | float) and bool(np.isclose(ours, right, rtol=near, atol=1e-9, equal_nan=True))
    if isinstance(right, dict):
        return (
            isinstance(ours, dict)
            and ours.keys() == right.keys()
            and all(alike(ours[name], right[name], share, largest(right[name]) if name == "gradients" else size)
                    for name in right)
        )  # fmt: skip
    if isinstance(right, list | tuple):
        same = type(ours) is type(right) and len(ours) == len(right)
        return same and all(alike(x, y, share, size) for x, y in zip(ours, right, strict=True))
    return bool(type(ours) is type(right) and ours == right)


def differences(ours: Value, right: Value, share: float | None = None, size: float | None = None) -> np.ndarray:
    """Return which numbers of two arrays of the same shape differ, as an array of booleans."""
    x, y = array(ours), array(right)
    if share is None:
        exact = boolean(right) or array(right, plain=True).dtype.kind in "iu"
        share = 0.0 if exact else _SHARES.get(_bytes(right), 1e-5)
    allowed = share * max(largest(right) if size is None else size, 0.1)
    with np.errstate(invalid="ignore"):
        near = (np.abs(x - y) <= allowed) | (x == y) | (np.isnan(x) & np.isnan(y))
    return np.asarray(~near)


def largest(value: Value) -> float:
    """Return the size of the largest finite number in a value."""
    if isinstance(value, dict):
        return max(map(largest, value.values()), default=0.0)
    if not is_array(value):
        return 0.0
    numbers = np.abs(array(value))
    return float(numbers[np.isfinite(numbers)].max(initial=0.0))


def array(value: Value, plain: bool = False) -> np.ndarray:
    """Return a tensor or an array as float64, or with its own kind of numbers."""
    if isinstance(value, Tensor):
        value = value.double().numpy() if value.is_floating_point() or not plain else value.numpy()
    return np.asarray(value) if plain else np.asarray(value, dtype=np.float64)


def boolean(value: Value) -> bool:
    return array(value, plain=True).dtype == bool


def dtype(value: Value) -> str:
    """Return the name of an array's dtype, without the library."""
    return str(value.dtype).removeprefix("torch.") if is_array(value) else type(value).__name__


def _bytes(value: Value) -> int:
    return value.element_size() if isinstance(value, torch.Tensor) else value.dtype.itemsize
