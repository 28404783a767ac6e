"""What is wrong in an answer: which call, and which of its values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from course_lib.checking.answers import Answer
from course_lib.checking.closeness import identical
from course_lib.checking.explain.show import READABLE, count, show, show_wrong
from course_lib.checking.questions import GradientChange, Methods, Question, TrainingSteps
from course_lib.checking.values import MISSING, Value

#: ``(name, yours, right)``
Wrong = tuple[str, str, str]

#: what an answer may contain apart from results, with the words for each of its parts
_BESIDES = {
    "after": "{} afterwards",
    "gradients": "gradient of {}",
    "weights": "{} afterwards",
    "settings": "{}",
    "state": "{} of the copy",
    "own": "{} of the copy, once the original is 0",
    "kept": "{} of the original afterwards",
}


def wrong_call(question: Question, ours: Answer, right: Answer) -> int:
    """Return the index of the first call that came out wrong, or of the last if none did."""
    mine, theirs = (_calls(answer) for answer in (ours, right))
    pairs = zip(mine, theirs, strict=False)
    last = max(0, len(question.inputs) - 1)
    return next((i for i, (x, y) in enumerate(pairs) if not identical(x, y)), last)


def _calls(answer: Answer) -> Sequence[Value]:
    calls = answer.values.get("calls")
    return calls if isinstance(calls, list) else ()


def wrong_values(question: Question, ours: Answer, right: Answer, number: int, most: int = READABLE) -> Iterator[Wrong]:
    """Yield what is wrong and what is right instead: the returned values, the inputs afterwards, or gradients.

    Args:
        most: how many numbers of a table may be shown.
    """
    mine, theirs = returns_of(ours, number), returns_of(right, number)
    called = _methods(question, number)
    if mine is not ours.values:  # a call's results, and what was counted or changed during it
        names = [name for name in (*question.returns, *theirs) if name in theirs and not isinstance(theirs[name], dict)]
    else:
        names = [name for name in (*question.returns, "raised") if name in theirs]
    wrong = [name for name in dict.fromkeys(names) if name in mine and not _same(mine, theirs, name)]
    for name in wrong:
        yield from show_wrong(called.get(name, name), mine[name], theirs[name], most)
    if "returned" in mine and "returned" not in theirs:
        yield "returned", show(mine["returned"]), ""
    elif not wrong or (
        isinstance(question, GradientChange | TrainingSteps) and question.gradients
    ):  # gradients that the call receives are part of the question
        yield from _wrong_besides(ours.values, right.values, most)
        if mine is not ours.values:
            yield from _wrong_besides(mine, theirs, most)


def _methods(question: Question, number: int) -> dict[str, str]:
    """Return how a method's call is written, by the method's name; empty unless the question calls methods."""
    if not isinstance(question, Methods):
        return {}
    asked = [(method, value) for call in question.calls for method, value in call.items()]
    method, value = asked[number]
    return {method: f"{method}({'' if value is None else show(value)})"}


def _wrong_besides(ours: Mapping[str, Value], right: Mapping[str, Value], most: int) -> Iterator[Wrong]:
    """Yield what is wrong apart from the returned values, of the first kind in which something is wrong."""
    for field, words in _BESIDES.items():
        mine, theirs = ours.get(field), right.get(field)
        if not isinstance(mine, dict) or not isinstance(theirs, dict):
            continue
        wrong = [name for name in {**theirs, **mine} if not _same(mine, theirs, name)]
        if wrong and sum(count(theirs.get(name)) for name in wrong) > READABLE:
            wrong = wrong[:1]
        for name in wrong:
            yield from show_wrong(words.format(name), mine.get(name, MISSING), theirs.get(name, MISSING), most)
        if wrong:
            return


def _same(ours: Mapping[str, Value], right: Mapping[str, Value], name: str) -> bool:
    return name in ours and name in right and identical(ours[name], right[name])


def returns_of(answer: Answer, number: int) -> Mapping[str, Value]:
    """Return what came back, by name; if there are several calls, from call ``number``."""
    calls = _calls(answer)
    return calls[number] if number < len(calls) and isinstance(calls[number], dict) else answer.values
