"""The smallest example on which something goes wrong, as a person reads it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from course_lib.checking.exercise import Question
from course_lib.checking.judge import Verdict
from course_lib.checking.key import AnswerKey
from course_lib.checking.sheet import Sheet
from course_lib.checking.values import Opaque, Value, arrays

#: an example with more numbers than this is not shown: nobody reads it
READABLE = 60


@dataclass(frozen=True)
class Example:
    """The smallest input on which a law fails, and what the student's code made of it."""

    given: tuple[tuple[str, str], ...]
    yours: tuple[tuple[str, str], ...]


def smallest_example(verdict: Verdict, key: AnswerKey, sheet: Sheet) -> Example | None:
    """The smallest public question on which a broken law has an answer to show."""
    broken = {r.law.question for r in verdict.rulings if not r.holds}
    asked = [q for q in key.questions if q.name in broken and q.name in sheet and not sheet[q.name].error]
    for question in sorted(asked, key=lambda q: _numbers(_arguments(q))):
        yours = tuple(returned(question, sheet))
        if _numbers(_arguments(question)) <= READABLE and yours:
            return Example(tuple(_given(question)), yours)
    return None


def returned(question: Question, sheet: Sheet) -> Iterator[tuple[str, str]]:
    """What came back for a question, by name; of several calls, from the last."""
    values = sheet[question.name].values
    calls = values.get("calls")
    last = calls[-1] if isinstance(calls, list) and calls and isinstance(calls[-1], dict) else values
    for name in question.given.get("returns", ()):
        if name in last:
            yield from _shown(f"your {name}", last[name])
    if "returned" in last:
        yield "you returned", show(last["returned"])


def _shown(name: str, value: Value) -> Iterator[tuple[str, str]]:
    """A value by its name; the tables of a tuple each by their own, since they take more than a line."""
    if isinstance(value, tuple | list) and len(value) <= 4 and any(_is_table(item) for item in value):
        for i, item in enumerate(value):
            yield f"{name}[{i}]", show(item)
    else:
        yield name, show(value)


def _is_table(value: Value) -> bool:
    return isinstance(value, Tensor | np.ndarray) and len(value.shape) > 1


def show(value: Value) -> str:
    """A value as a person reads it: three digits, no more than a screenful."""
    if isinstance(value, Tensor | np.ndarray):
        # NumPy has no bfloat16
        array = (value.double() if value.is_floating_point() else value).numpy() if isinstance(value, Tensor) else value
        if array.size > READABLE:
            return f"an array of shape {array.shape}"
        if array.dtype.kind == "f":
            with np.errstate(over="ignore"):  # the largest numbers have no digits to round
                array = np.where(np.abs(array) < 1e12, np.round(array, 3), array) + 0.0  # no −0
        return np.array2string(
            array, precision=3, floatmode="maxprec_equal", suppress_small=True, separator=", ", max_line_width=100
        )
    if isinstance(value, Opaque):
        return f"a {value.type}"
    if isinstance(value, dict):
        return ", ".join(f"{name}: {show(item)}" for name, item in value.items())
    if isinstance(value, list | tuple):
        most = 4 if any(isinstance(item, list | tuple) for item in value) else 12
        inside = ", ".join(show(item) for item in value[:most]) + (", …" if len(value) > most else "")
        return f"({inside})" if isinstance(value, tuple) else f"[{inside}]"
    return repr(value)[:200]


def _arguments(question: Question) -> dict[str, Value]:
    given = question.given.get("arguments") or (question.given.get("calls") or [{}])[-1]
    return {k: v for k, v in given.items() if v is not None}


def _numbers(values: Value) -> int:
    """How many numbers there are in it."""
    return sum(int(np.prod(array.shape)) for _, array in arrays(values))


def _given(question: Question) -> Iterator[tuple[str, str]]:
    """The arguments, and of a module the weights it was loaded with, where there are few."""
    arguments, weights = _arguments(question), question.given.get("weights") or {}
    if _numbers(weights) + _numbers(arguments) <= READABLE:
        zero = [name for name, weight in weights.items() if not weight.any()]
        for name, weight in weights.items():
            if name not in zero:
                yield name, show(weight)
        if zero:
            yield ", ".join(zero), "0"
    for name, gradient in (question.given.get("gradients") or {}).items():
        yield f"{name}.grad", show(gradient)
    for name, value in arguments.items():
        yield name, show(value)
