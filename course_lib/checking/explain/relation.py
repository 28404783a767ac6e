"""Say how wrong numbers relate to the right ones, if no registered mistake explains them: their tanh, their half.

A relation is reported only if it holds on every wrong question and for enough numbers that chance is unlikely.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from course_lib.checking.answer_key import AnswerKey, same
from course_lib.checking.closeness import close, comparable, numbers
from course_lib.checking.explain.differences import returns_of, wrong_call
from course_lib.checking.sheet import Sheet
from course_lib.checking.values import Value

Pair = tuple[np.ndarray, np.ndarray]

#: how many wrong questions, and wrong numbers on them in total, make a chance agreement unlikely
QUESTIONS, NUMBERS = 2, 8

_FUNCTIONS: tuple[tuple[str, Callable[[np.ndarray], np.ndarray]], ...] = (
    ("tanh", np.tanh),
    ("the sigmoid", lambda x: 1 / (1 + np.exp(-x))),
    ("exp", np.exp),
    ("the logarithm", np.log),
    ("the square root", np.sqrt),
    ("the square", np.square),
    ("the absolute value", np.abs),
    ("ReLU", lambda x: np.maximum(x, 0)),
    ("the reciprocal", np.reciprocal),
)


def relation(key: AnswerKey, sheet: Sheet) -> str:
    """Describe how one wrong result follows from the right one. Return an empty string if no simple relation holds."""
    for name, pairs in _wrong_results(key, sheet).items():
        wrong = sum(int((~np.isclose(mine, right)).sum()) for mine, right in pairs)
        if len(pairs) >= QUESTIONS and wrong >= NUMBERS and (found := _relation(name, pairs)):
            return found
    return ""


def _wrong_results(key: AnswerKey, sheet: Sheet) -> dict[str, list[Pair]]:
    """Return pairs of wrong and right results by name, taking the first wrong call of each answered question.

    Leave out a name if anything but numbers of the right shape came back under it.
    """
    found: dict[str, list[Pair]] = {}
    odd = set()
    for question in key.questions:
        if question.watched or not question.given.get("returns") or question.name not in sheet:
            continue
        ours, right = sheet[question.name], key.reference[question.name]
        if ours.error or same(question, right, ours):
            continue
        number = wrong_call(question, ours, right)
        mine, theirs = returns_of(ours, number), returns_of(right, number)
        for name in question.given["returns"]:
            if name not in mine or not _numeric(mine[name], theirs.get(name)):
                odd.add(name)
            elif not close(mine[name], theirs[name]):
                found.setdefault(name, []).append((_floats(mine[name]), _floats(theirs[name])))
    return {name: pairs for name, pairs in found.items() if name not in odd}


def _numeric(ours: Value, right: Value) -> bool:
    if isinstance(right, float | int) and not isinstance(right, bool):
        return isinstance(ours, float | int) and not isinstance(ours, bool)
    return comparable(ours, right)


def _floats(value: Value) -> np.ndarray:
    if isinstance(value, float | int):
        return np.asarray(float(value))
    return np.asarray(numbers(value))


@np.errstate(all="ignore")
def _relation(name: str, pairs: Sequence[Pair]) -> str:
    if pairs[0][1].dtype == bool:
        opposite = all(np.array_equal(mine, ~right) for mine, right in pairs)
        return f"`{name}` is True where False is asked for, and False where True is." if opposite else ""
    if _all(pairs, lambda mine, right: -right):
        return f"`{name}` has the right size and the opposite sign, everywhere."
    if _all(pairs, lambda mine, right: 1 - right):
        return f"`{name}` is 1 minus the right number, everywhere."
    for called, function in _FUNCTIONS:
        if _all(pairs, lambda mine, right, f=function: f(right)):
            return f"`{name}` is {called} of the right one."
        if all(_near(function(mine), right) for mine, right in pairs):
            return f"`{name}` is right but for one step: {called} of yours is what is asked for."
    if all(any(_near(_softmax(mine, axis), right) for axis in range(mine.ndim)) for mine, right in pairs):
        return f"`{name}` is right but for one step: the softmax of yours is what is asked for."
    if all(any(_near(mine, _softmax(right, axis)) for axis in range(mine.ndim)) for mine, right in pairs):
        return f"`{name}` is the softmax of the right one."
    return _factor(name, pairs) or _offset(name, pairs) or _moved(name, pairs)


def _softmax(x: np.ndarray, axis: int) -> np.ndarray:
    shares = np.exp(x - x.max(axis=axis, keepdims=True))
    return np.asarray(shares / shares.sum(axis=axis, keepdims=True))


def _all(pairs: Sequence[Pair], make: Callable[..., np.ndarray]) -> bool:
    return all(_near(mine, make(mine, right)) for mine, right in pairs)


def _near(mine: np.ndarray, made: np.ndarray) -> bool:
    return mine.shape == made.shape and bool(np.isfinite(made).mean() > 0.5) and close(mine, made)


def _factor(name: str, pairs: Sequence[Pair]) -> str:
    """Say that each question's numbers are the right ones times a factor; return an empty string if they aren't."""
    factors = []
    for mine, right in pairs:
        largest = np.abs(right).argmax()
        factor = float(mine.flat[largest] / right.flat[largest])
        if not np.isfinite(factor) or not _near(mine, right * factor):
            return ""
        factors.append(factor)
    if max(factors) - min(factors) <= 1e-6 * abs(factors[0]):
        return f"`{name}` is {factors[0]:.6g} times the right one, wherever it is wrong." if factors[0] else ""
    if sum(np.count_nonzero(right) >= 3 for _, right in pairs) < QUESTIONS:
        return ""
    return f"`{name}` is the right one times a number that is not 1, another for each input: {_some(factors)}."


def _offset(name: str, pairs: Sequence[Pair]) -> str:
    """Say that each question's numbers are the right ones plus a constant; return an empty string if they aren't."""
    offsets = []
    for mine, right in pairs:
        offset = float((mine - right).mean())
        if not np.isfinite(offset) or not _near(mine, right + offset):
            return ""
        offsets.append(offset)
    if max(offsets) - min(offsets) <= 1e-6 * abs(offsets[0]):
        return f"`{name}` is the right one plus {offsets[0]:.6g}, wherever it is wrong."
    if sum(right.size >= 3 for _, right in pairs) < QUESTIONS:
        return ""
    return f"`{name}` is the right one plus a number, another for each input: {_some(offsets)}."


def _some(found: Sequence[float]) -> str:
    return ", ".join(f"{one:.4g}" for one in found[:3]) + (", …" if len(found) > 3 else "")


def _moved(name: str, pairs: Sequence[Pair]) -> str:
    """Say that the right numbers are at wrong positions; return an empty string if they aren't."""
    if any(right.size < 4 for _, right in pairs):
        return ""
    if all(right.ndim >= 2 for _, right in pairs) and _all(pairs, lambda mine, right: np.swapaxes(right, -1, -2)):
        return f"`{name}` has its last two axes swapped."
    for axis in range(-1, -1 - min(right.ndim for _, right in pairs), -1):
        where = _AXES.get(axis, f"axis {axis}")
        if _all(pairs, lambda mine, right, a=axis: np.flip(right, a)):
            return f"`{name}` is right, but in the opposite order along {where}."
        for by in (1, -1):
            if _all(pairs, lambda mine, right, a=axis, b=by: np.roll(right, b, a)):
                return f"`{name}` is right, but moved by one position along {where}."
    return ""


_AXES = {-1: "the last axis", -2: "the last axis but one"}
