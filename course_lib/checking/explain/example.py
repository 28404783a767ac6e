"""The smallest example on which something goes wrong, as a person reads it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from course_lib.checking.answer_key import AnswerKey
from course_lib.checking.answers import Answer, Answers
from course_lib.checking.explain.differences import returns_of, wrong_call, wrong_values
from course_lib.checking.explain.show import READABLE, count, show, show_parts
from course_lib.checking.judge import Verdict
from course_lib.checking.questions import GradientChange, OnPaper, Question, TrainingSteps
from course_lib.checking.values import Value, is_array


@dataclass(frozen=True)
class Example:
    """The smallest input on which a check fails, and the wrong part of the student's result.

    Attributes:
        given: ``(name, value)`` of each input.
        wrong: ``(name, yours, right)`` of each wrong output.
        title: the heading that says what it is an example of.
    """

    question: str
    given: tuple[tuple[str, str], ...]
    wrong: tuple[tuple[str, str, str], ...]
    title: str = "The smallest example on which it goes wrong:"


def examples(verdict: Verdict, key: AnswerKey, answers: Answers, another: bool = False) -> tuple[Example, ...]:
    """Return the smallest public question on which a broken check has a wrong answer to show; empty if there is none.

    A question whose right answers are arrays of one number hides too much, so it is used only if there is no other.

    Args:
        another: also return the smallest example of something wrong that the first doesn't show, as there may be two
            mistakes. If there is none, return the smallest one whose call has a different switch or padding id.
    """
    found = list(_examples(verdict, key, answers))
    if not found:
        return ()
    first = next((example for example, tiny in found if not tiny), found[0][0])
    others = [example for example, _ in found if example.question != first.question]
    second = _another(first, others, key) if another else None
    return (first, second) if second else (first,)


def _another(first: Example, others: Sequence[Example], key: AnswerKey) -> Example | None:
    seen, usual = {_name(name) for name, *_ in first.wrong}, _settings(key.question(first.question))
    for other in others:
        if not seen & {_name(name) for name, *_ in other.wrong}:
            return replace(other, title="Another, on which something else comes out wrong:")
    for other in others:
        settings = _settings(key.question(other.question))
        if changed := ", ".join(f"{name} = {value!r}" for name, value in settings.items() if usual.get(name) != value):
            return replace(other, title=f"Another, with {changed}:")
    return None


def _settings(question: Question) -> dict[str, Value]:
    """Return the switches and ids that a question passes to a call, by name."""
    return {name: value for name, value in arguments(question).items() if _is_setting(name, value)}


def _is_setting(name: str, value: Value) -> bool:
    return isinstance(value, bool | str) or name.endswith("_id")


def _name(name: str) -> str:
    """Return the name of the wrong value: ``"logits"`` for ``"logits[1, 2]"``."""
    return name.partition("[")[0].partition(" (")[0]


def _examples(verdict: Verdict, key: AnswerKey, answers: Answers) -> Iterator[tuple[Example, bool]]:
    """Yield an example for each wrong question, smallest first, and whether its right answers are single numbers."""
    for question in failing_questions(verdict, key, answers):
        if answers[question.name].error:
            continue
        ours, right = answers[question.name], key.reference[question.name]
        number = wrong_call(question, ours, right)
        wrong = tuple(wrong_values(question, ours, right, number))
        if count(arguments(question, number)) <= READABLE and wrong:
            found = Example(question.name, tuple(_given(question, number, key)), wrong)
            if isinstance(question, OnPaper):
                found = replace(found, title="What you typed in:")
            yield found, _single_numbers(question, right, number)


def _single_numbers(question: Question, right: Answer, number: int) -> bool:
    values = [returns_of(right, number).get(name) for name in question.returns]
    return bool(values) and all(is_array(value) and value.ndim > 0 and count(value) == 1 for value in values)


def failing_questions(verdict: Verdict, key: AnswerKey, answers: Answers) -> list[Question]:
    """Return the public questions on which a check is broken: main questions first, each group smallest first."""
    broken = [check_result.check for check_result in verdict.check_results if not check_result.holds]
    first, besides = {check.question for check in broken}, {name for check in broken for name in check.also}
    asked = (q for q in key.questions if q.name in first | besides and q.name in answers)
    return sorted(asked, key=lambda q: (q.name not in first, count(arguments(q))))


def returned(question: Question, answers: Answers) -> Iterator[tuple[str, str]]:
    """Yield what came back for a question, by name; if there are several calls, from the last."""
    values = answers[question.name].values
    calls = values.get("calls")
    last = calls[-1] if isinstance(calls, list) and calls and isinstance(calls[-1], dict) else values
    for name in question.returns:
        if name in last:
            yield from show_parts(f"your {name}", last[name])
    if "returned" in last:
        yield "you returned", show(last["returned"])


def arguments(question: Question, number: int = -1) -> dict[str, Value]:
    """Return the arguments of call ``number`` of a question, without trailing None values."""
    return question.arguments_of(number)


def _unusual(question: Question, key: AnswerKey) -> Iterator[tuple[str, Value]]:
    """Yield switches and ids with which a module is rarely built except here, because nothing else shows them."""
    built = [other.built_with for other in key.questions]
    for name, value in question.built_with.items():
        usual, _ = Counter(repr(other[name]) for other in built if name in other).most_common(1)[0]
        if repr(value) != usual and _is_setting(name, value):
            yield name, value


def shows_weights(question: Question, number: int = -1) -> bool:
    """Return whether an example shows the weights of the module: there must be few enough to compute with."""
    return count(dict(question.parameters)) + count(arguments(question, number)) <= READABLE


def _given(question: Question, number: int, key: AnswerKey) -> Iterator[tuple[str, str]]:
    """Yield the arguments and, for a module, its unusual settings and its weights, if there are few."""
    yield from ((f"built with {name}", repr(value)) for name, value in _unusual(question, key))
    weights = question.parameters
    if shows_weights(question, number):
        zero = [name for name, weight in weights.items() if not weight.any()]
        for name, weight in weights.items():
            if name not in zero:
                yield name, show(weight)
        if zero:
            yield ", ".join(zero), "0"
    gradients = question.gradients if isinstance(question, GradientChange | TrainingSteps) else None
    for name, gradient in (gradients or {}).items():
        yield f"{name}.grad", show(gradient)
    for name, value in arguments(question, number).items():
        yield name, show(value)
