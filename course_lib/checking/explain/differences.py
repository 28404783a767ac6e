"""What is wrong in an answer: which call, and which of its values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from course_lib.checking.answers import Answer
from course_lib.checking.closeness import identical
from course_lib.checking.explain.show import READABLE, count, show, show_wrong
from course_lib.checking.questions import GradientChange, Question, TrainingSteps
from course_lib.checking.values import Value


def wrong_call(question: Question, ours: Answer, right: Answer) -> int:
    """Return the index of the first call that came out wrong, or of the last if none did."""
    mine, theirs = (_calls(answer) for answer in (ours, right))
    pairs = zip(mine, theirs, strict=False)
    last = max(0, len(question.inputs) - 1)
    return next((i for i, (x, y) in enumerate(pairs) if not identical(x, y)), last)


def _calls(answer: Answer) -> Sequence[Value]:
    calls = answer.values.get("calls")
    return calls if isinstance(calls, list) else ()


def wrong_values(question: Question, ours: Answer, right: Answer, number: int) -> Iterator[tuple[str, str, str]]:
    """Yield what is wrong and what is right instead: the returned values, the inputs afterwards, or gradients."""
    mine, theirs = returns_of(ours, number), returns_of(right, number)
    wrong = [name for name in question.returns if name in mine and not _same(mine, theirs, name)]
    for name in wrong:
        yield from show_wrong(name, mine[name], theirs.get(name))
    if "returned" in mine:
        yield "returned", show(mine["returned"]), ""
    elif not wrong or (
        isinstance(question, GradientChange | TrainingSteps) and question.gradients
    ):  # gradients that the call receives are part of the question
        yield from _wrong_besides(question, ours, right)


def _wrong_besides(question: Question, ours: Answer, right: Answer) -> Iterator[tuple[str, str, str]]:
    """Yield what is wrong in an answer apart from the returned values."""
    after, before = ours.values.get("after"), right.values.get("after")
    if isinstance(after, dict) and isinstance(before, dict):
        for name in before:
            if not _same(after, before, name):
                yield from show_wrong(f"{name} afterwards", after.get(name), before[name])
    for field, called in (("gradients", "gradient of {}"), ("weights", "{} afterwards")):
        mine, theirs = ours.values.get(field), right.values.get(field)
        if isinstance(mine, dict) and isinstance(theirs, dict):
            wrong = [name for name in theirs if not _same(mine, theirs, name)]
            if sum(count(theirs[name]) for name in wrong) <= READABLE:
                for name in wrong:
                    yield from show_wrong(called.format(name), mine.get(name), theirs[name])


def _same(ours: Mapping[str, Value], right: Mapping[str, Value], name: str) -> bool:
    return name in ours and name in right and identical(ours[name], right[name])


def returns_of(answer: Answer, number: int) -> Mapping[str, Value]:
    """Return what came back, by name; if there are several calls, from call ``number``."""
    calls = _calls(answer)
    return calls[number] if number < len(calls) and isinstance(calls[number], dict) else answer.values
