"""The smallest example on which something goes wrong, as a person reads it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from course_lib.checking.answer_key import AnswerKey, same
from course_lib.checking.answers import Answer, Answers, Error
from course_lib.checking.explain.differences import returns_of, wrong_call, wrong_values
from course_lib.checking.explain.given import (
    arguments,
    given,
    hides_weights,
    is_setting,
    numbers_given,
    upstream_lines,
)  # fmt: skip
from course_lib.checking.explain.show import FEW, READABLE, count, numbers_in, show, show_parts
from course_lib.checking.judge import Verdict
from course_lib.checking.questions import OnPaper, Question
from course_lib.checking.values import Value, is_array


@dataclass(frozen=True)
class Example:
    """The smallest input on which a check fails, and the wrong part of the student's result.

    Attributes:
        given: ``(name, value)`` of each input.
        wrong: ``(name, yours, right)`` of each wrong output; empty if the code stops with an error.
        title: the heading that says what it is an example of.
        complete: whether everything is shown that a person needs to recompute it. A large module's weights are not.
    """

    question: str
    given: tuple[tuple[str, str], ...]
    wrong: tuple[tuple[str, str, str], ...]
    title: str = "The smallest example on which it goes wrong:"
    complete: bool = True

    @cached_property
    def numbers(self) -> int:
        """How many numbers and words it shows: inputs, weights and the student's result."""
        return numbers_given(list(self.given)) + sum(numbers_in(yours) for _, yours, _ in self.wrong)

    @property
    def can_be_recomputed(self) -> bool:
        """Whether a person can recompute it."""
        return self.complete and self.numbers <= FEW


@dataclass(frozen=True)
class Case:
    """A public question that was answered wrongly.

    Attributes:
        fails: whether a broken check is about this question, or about the one that this small question was made from.
    """

    question: Question
    ours: Answer
    right: Answer
    fails: bool = True

    @property
    def number(self) -> int:
        """The call that goes wrong."""
        return wrong_call(self.question, self.ours, self.right)


def examples(verdict: Verdict, key: AnswerKey, answers: Answers, another: bool = False) -> tuple[Example, ...]:
    """Return the smallest public question on which a broken check has a wrong answer to show; empty if there is none.

    A question whose right answers are arrays of one number hides too much, so it is used only if there is no other.

    Args:
        another: also return the smallest example of something wrong that the first doesn't show, as there may be two
            mistakes. If there is none, return the smallest one whose call has a different switch or padding id.
    """
    cases = _of_the_named(verdict, key, wrong_cases(verdict, key, answers))
    shown = [(example, case) for case in cases if (example := example_of(case, key))]
    if not shown:
        return ()
    first, *others = [example for example, _ in sorted(shown, key=lambda one: _rank(*one))]
    second = _another(first, others, key) if another else None
    return (first, second) if second else (first,)


def _of_the_named(verdict: Verdict, key: AnswerKey, cases: list[Case]) -> list[Case]:
    """Return the cases made of questions on which the named mistake is wrong, or all if it has no name.

    Code may also do something else that is wrong, and an example of that would contradict the card's sentence.
    """
    known = key.mistakes.get(verdict.naming.name) if verdict.naming and not verdict.naming.questions else None
    if known is None:
        return cases
    origins = {one.question.name: one.of for one in key.small}
    wrong = {q.name for q in key.questions if q.name in known and is_wrong(q, known[q.name], key.reference[q.name])}
    return [case for case in cases if origins.get(case.question.name, case.question.name) in wrong] or cases


def stopping_example(key: AnswerKey, answers: Answers, error: Error) -> Example | None:
    """Return the smallest public question on which the code stops at the same line with the same type of error."""
    asked = (q for q in (*key.questions, *key.examples) if not q.watched and count(arguments(q)) <= READABLE)
    questions = [q for q in asked if len(q.inputs) <= 1]  # of several calls, nobody knows which one stopped
    stopped = [q for q in questions if q.name in answers and _alike(answers[q.name].error, error)]
    found = [Example(q.name, tuple(given(q, len(q.inputs) - 1, key)), (), _STOPS) for q in stopped]
    readable = [example for example in found if example.given and example.numbers <= READABLE]
    return min(readable, key=lambda example: (example.numbers, _characters(example)), default=None)


_STOPS = "The smallest inputs that raise this error:"


def _alike(one: Error | None, error: Error) -> bool:
    return one is not None and (one.type, one.where) == (error.type, error.where)


def _rank(example: Example, case: Case) -> tuple[bool, bool, bool, bool, bool, int]:
    few = example.numbers <= FEW
    size = _characters(example) + count(case.right.values)
    nothing = not any(numbers_in(yours) for _, yours, _ in example.wrong)  # only its shape or dtype is wrong
    return not example.complete, not few, nothing, not case.fails, _single_numbers(case), size


def _characters(example: Example) -> int:
    return sum(len(text) for _, text in example.given) + sum(len(yours) for _, yours, _ in example.wrong)


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
    return {name: value for name, value in arguments(question).items() if is_setting(name, value)}


def _name(name: str) -> str:
    """Return the name of the wrong value: ``"logits"`` for ``"logits[1, 2]"``."""
    return name.partition("[")[0].partition(" (")[0]


def example_of(case: Case, key: AnswerKey) -> Example | None:
    """Return a case as a person reads it. If it has many numbers, show only the first wrong row of a table."""
    lines = given(case.question, case.number, key)
    wrong = _wrong(case, READABLE)
    if any(name.startswith("gradient of") for name, *_ in wrong):
        lines += upstream_lines(case.question)
    whole = not hides_weights(case.question, case.number)
    shown = Example(case.question.name, tuple(lines), wrong, complete=whole)
    if shown.numbers > FEW:
        shown = replace(shown, wrong=_wrong(case, max(1, FEW - numbers_given(lines))))
    while shown.numbers > FEW and len(shown.wrong) > 1:
        shown = replace(shown, wrong=shown.wrong[:-1])
    large = max(numbers_given(lines), count(arguments(case.question, case.number))) > READABLE
    if isinstance(case.question, OnPaper):
        shown = replace(shown, title="What you typed in:")
    return shown if shown.wrong and not large else None


def _wrong(case: Case, most: int) -> tuple[tuple[str, str, str], ...]:
    return tuple(wrong_values(case.question, case.ours, case.right, case.number, most))


def _single_numbers(case: Case) -> bool:
    values = [returns_of(case.right, case.number).get(name) for name in case.question.returns]
    return bool(values) and all(is_array(value) and value.ndim > 0 and count(value) == 1 for value in values)


def wrong_cases(verdict: Verdict, key: AnswerKey, answers: Answers) -> list[Case]:
    """Return the public questions with a wrong value and a broken check, and all small questions with a wrong value."""
    failing = {q.name: q for q in failing_questions(verdict, key, answers) if not answers[q.name].error}
    cases = [Case(q, answers[q.name], key.reference[q.name]) for q in failing.values()]
    small = [
        Case(one.question, answers[one.question.name], one.right, one.of in failing)
        for one in key.small
        if one.question.name in answers and is_wrong(one.question, answers[one.question.name], one.right)
    ]
    return cases + [case for case in small if not case.ours.error]


def failing_questions(verdict: Verdict, key: AnswerKey, answers: Answers) -> list[Question]:
    """Return the public questions that are answered wrongly and on which a check is broken.

    Leave out questions for which a module has the wrong parameters, because nothing was computed. Main questions come
    first, and the smallest first in each group.
    """
    broken = [check_result.check for check_result in verdict.check_results if not check_result.holds]
    first, besides = {check.question for check in broken}, {name for check in broken for name in check.also}
    asked = [q for q in key.questions if q.name in first | besides and q.name in answers]
    asked = [q for q in asked if answers[q.name].error or answers[q.name].values.keys() != {"shapes"}]
    wrong = [q for q in asked if is_wrong(q, answers[q.name], key.reference[q.name])]
    return sorted(wrong, key=lambda q: (q.name not in first, count(arguments(q))))


def is_wrong(question: Question, ours: Answer, right: Answer) -> bool:
    """Return whether an answer is wrong. Random numbers may differ, and so may widths unless dtypes are the subject."""
    return not by_chance(question) and not same(question, right, ours)


def by_chance(question: Question) -> bool:
    """Return whether right answers to a question are random."""
    return question.in_training and 0 < float(question.built_with.get("dropout") or 0) < 1


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
