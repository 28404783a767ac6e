"""Say how wrong numbers follow from the right ones, if no registered mistake explains them: their tanh, their half."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from course_lib.checking.answer_key import AnswerKey, same
from course_lib.checking.answers import Answers
from course_lib.checking.closeness import close, comparable, numbers
from course_lib.checking.explain.structure import results

#: how many wrong questions, and wrong numbers on them in total, make a chance agreement unlikely
QUESTIONS, NUMBERS = 2, 8

Pair = tuple[np.ndarray, np.ndarray]


def _softmaxes(x: np.ndarray) -> list[np.ndarray]:
    """Return the softmax along each axis."""
    powers = [(axis, np.exp(x - x.max(axis=axis, keepdims=True))) for axis in range(x.ndim)]
    return [each / each.sum(axis=axis, keepdims=True) for axis, each in powers]


#: what a step that is left out, or made once too often, may compute; there may be several possibilities
_STEPS: tuple[tuple[str, Callable[[np.ndarray], list[np.ndarray]]], ...] = (
    ("tanh", lambda x: [np.tanh(x)]),
    ("the sigmoid", lambda x: [1 / (1 + np.exp(-x))]),
    ("exp", lambda x: [np.exp(x)]),
    ("the logarithm", lambda x: [np.log(x)]),
    ("the square root", lambda x: [np.sqrt(x)]),
    ("the softmax", _softmaxes),
)


@np.errstate(all="ignore")
def relation(key: AnswerKey, answers: Answers) -> str:
    """Describe how one wrong result follows from the right one, on every wrong question. Return "" if it doesn't."""
    pairs: dict[str, list[Pair]] = {}
    for question in key.questions:
        ours, right = answers.get(question.name), key.reference[question.name]
        if ours is None or ours.error or same(question, right, ours):
            continue
        for name, mine, theirs in results(question, ours, right):
            if comparable(mine, theirs) and numbers(mine).dtype != bool and not close(mine, theirs):
                pairs.setdefault(name, []).append((numbers(mine).astype(float), numbers(theirs).astype(float)))
    likely = (name for name, wrong in pairs.items() if len(wrong) >= QUESTIONS and sum(map(_wrong, wrong)) >= NUMBERS)
    return next((text for name in likely if (text := _relation(name, pairs[name]))), "")


def _wrong(pair: Pair) -> int:
    return int((~np.isclose(*pair)).sum())


def _relation(name: str, pairs: list[Pair]) -> str:
    for called, step in _STEPS:
        if all(_is_one_of(mine, step(right)) for mine, right in pairs):
            return f"`{name}` is {called} of the right one."
        if all(_is_one_of(right, step(mine)) for mine, right in pairs):
            return f"`{name}` is right but for one step: {called} of yours is what is asked for."
    factors = [float((mine * right).sum() / (right * right).sum()) for mine, right in pairs]
    if not all(_is_one_of(mine, [right * by]) for (mine, right), by in zip(pairs, factors, strict=True)):
        return ""
    if np.ptp(factors) <= 1e-6 * abs(factors[0]):
        return f"`{name}` is {factors[0]:.6g} times the right one, wherever it is wrong." if factors[0] else ""
    if sum(np.count_nonzero(right) >= 3 for _, right in pairs) < QUESTIONS:
        return ""
    some = ", ".join(f"{by:.4g}" for by in factors[:3]) + (", …" if len(factors) > 3 else "")
    return f"`{name}` is the right one times a number that is not 1, another for each input: {some}."


def _is_one_of(one: np.ndarray, others: list[np.ndarray]) -> bool:
    return any(bool(np.isfinite(other).mean() > 0.5) and close(one, other) for other in others)
