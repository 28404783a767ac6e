"""`check` and `hint`: what a student calls in the notebook."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from course_lib.checking.ask import ask
from course_lib.checking.card import Card, make_card, number
from course_lib.checking.definitions import stale
from course_lib.checking.exercise import Question
from course_lib.checking.hints import Hints
from course_lib.checking.judge import Verdict, judge
from course_lib.checking.key import public_key
from course_lib.checking.quiet import Ran, silence, within
from course_lib.checking.sheet import Answer, Error
from course_lib.checking.upstream import upstream

#: how much processor time an implementation may use for all questions of an exercise, in seconds
SECONDS = 3.0

_named: dict[str, str] = {}  # the misconception last named, by exercise: errors carry forward
_last: dict[str, tuple[Verdict, dict[str, Answer]]] = {}


class Score(float):
    """Points, as a number for the gradebook and as a card for a person.

    As text it is the bare number, always finite and within 0…max: a notebook's cell must show
    nothing else to be graded.
    """

    card: Card
    verdict: Verdict

    def __new__(cls, verdict: Verdict, card: Card) -> Score:
        """Wrap a verdict's points."""
        score = super().__new__(cls, verdict.score)
        score.verdict, score.card = verdict, card
        return score

    @property
    def text(self) -> str:
        """The card for a terminal."""
        return self.card.text

    def __repr__(self) -> str:
        return number(self)

    def _repr_html_(self) -> str:
        return self.card.html


def check(exercise_id: str, implementation: Any) -> Score:
    """Check an implementation of an exercise: which laws hold, which mistake it is, what to try next.

    Args:
        exercise_id: as ``"softmax"``.
        implementation: your function or class.

    Returns:
        The points, shown as a card in a notebook; ``.text`` is the card for a terminal.

    Raises:
        KeyError: there is no such exercise.
    """
    key = public_key(exercise_id)
    answers = answers_in_time(key.questions, implementation)
    verdict = judge(key, answers, _named)
    if _belongs_to_the_course(implementation):  # a lesson's own example: what it does is not the student's doing
        return Score(verdict, make_card(verdict, key, answers, None if verdict.passed else 0))
    _named.pop(exercise_id, None)
    if verdict.misconception:
        _named[exercise_id] = verdict.misconception
    _last[exercise_id] = verdict, answers
    elsewhere = upstream(key, verdict, implementation, lambda other, part: answers_in_time(other.questions, part))
    level = None if verdict.passed or elsewhere else Hints().step(exercise_id, _what(verdict), answers)
    card = make_card(verdict, key, answers, level)
    return Score(verdict, replace(card, says=elsewhere or card.says, note=stale(key.exercise.symbol, implementation)))


def answers_in_time(questions: Sequence[Question], implementation: Any) -> dict[str, Answer]:
    """An implementation's answers, in silence and within `SECONDS` of processor time.

    Where the machine leaves it too little of the processor, the questions still open are asked once more.
    """
    sheet: dict[str, Answer] = {}
    with silence():
        ran = within(SECONDS, lambda: ask(questions, implementation, sheet))
        if ran.starved and not ran.waits:
            left = [question for question in questions if question.name not in sheet]
            ran = within(SECONDS, lambda: ask(left, implementation, sheet))
    answered = dict(sheet)  # a thread that is left behind may still write into the other one
    if ran.finished:
        return answered
    late = Answer(error=out_of_time(ran))
    return {q.name: answered.get(q.name, late) for q in questions}


def out_of_time(ran: Ran) -> Error:
    """The error that stands for the answers that did not come in time: a slow machine is no endless loop."""
    if not ran.starved:
        return Error("TimeLimit", f"stopped after {ran.limit:g} s of processor time")
    if ran.waits:
        waits = "look for something that it waits for, such as `time.sleep` or `input`"
        return Error("Unfinished", f"in {ran.wall:.0f} s it used hardly any processor time; {waits}")
    had = f"it had {ran.processor:.1f} s of processor time in {ran.wall:.0f} s"
    return Error("Unfinished", f"{had}; the machine is busy, run it again")


def _belongs_to_the_course(implementation: Any) -> bool:
    try:
        return str(implementation.__module__).startswith("course_lib.")
    except Exception:  # it has no module, or fails to say which
        return False


def hint(exercise_id: str) -> Score:
    """Show the last check of an exercise again, with the next hint. Hints never cost points.

    Raises:
        KeyError: there is no such exercise, or it has not been checked yet.
    """
    key = public_key(exercise_id)
    if exercise_id not in _last:
        raise KeyError(f"check({exercise_id!r}, …) first: a hint answers what your code does.")
    verdict, answers = _last[exercise_id]
    level = None if verdict.passed else Hints().next(exercise_id)
    return Score(verdict, make_card(verdict, key, answers, level))


def _what(verdict: Verdict) -> str:
    """What hints are counted for: a named mistake, an unwritten exercise, or anything else."""
    unwritten = verdict.error is not None and verdict.error.unwritten
    return verdict.misconception or ("unwritten" if unwritten else "unnamed")
