"""The judge: a pure function of an answer key and a student's answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from course_lib.checking.answer_key import AnswerKey, Excused
from course_lib.checking.dependencies import Dependencies, Earlier, explained_by, stops_in, suspects
from course_lib.checking.exercise import Law
from course_lib.checking.failure import Failure
from course_lib.checking.laws import Finding
from course_lib.checking.naming import Naming, has_wrong_value, name
from course_lib.checking.questions import Watched
from course_lib.checking.sheet import Answer, Error, Sheet, same_answer
from course_lib.our_errors import report

_UNANSWERED = Failure.UNANSWERED.answer()

#: the reason for a missing sheet, if no other is known
NOT_REACHED = "the notebook did not come to this cell"


@dataclass(frozen=True)
class Ruling:
    """The result of one check.

    Attributes:
        holds: whether it passed.
        counts: False if it passed but earns nothing, because a check that it needs, or a gate, failed.
        seen: what was seen instead; or, if it passed and doesn't count, when it will.
    """

    law: Law
    holds: bool
    counts: bool
    seen: str = ""

    @property
    def earned(self) -> float:
        """The points earned."""
        return self.law.points if self.holds and self.counts else 0.0


@dataclass(frozen=True)
class Verdict:
    """The verdict on one sheet of answers.

    Attributes:
        score: the points, from 0 to ``max_score``.
        rulings: one for each check, in the exercise's order.
        naming: the mistake that the answers show, if it is recognised.
        error: the error of the first question that failed with one.
        dependencies: what earlier exercises have to do with the answers.
    """

    exercise_id: str
    score: float
    max_score: float
    rulings: tuple[Ruling, ...]
    naming: Naming | None = None
    error: Error | None = None
    dependencies: Dependencies = field(default_factory=Dependencies)

    @property
    def misconception(self) -> str | None:
        """The name of the mistake that the answers show, if it is recognised."""
        return self.naming.name if self.naming else None

    @property
    def carried(self) -> tuple[str, str] | None:
        """The exercise and mistake that explain the answers; see `Dependencies`."""
        return self.dependencies.carried

    @property
    def passed(self) -> bool:
        """Whether every point was earned."""
        return self.score >= self.max_score

    @property
    def wrong(self) -> bool:
        """Whether it has a mistake of its own, and not only one carried from an earlier exercise.

        An exercise that isn't written has none: calling it raises an error, and otherwise it has no effect.
        """
        return not self.passed and not self.carried and not (self.error and self.error.unwritten)

    @property
    def broken_laws(self) -> tuple[str, ...]:
        """The names of the checks that failed."""
        return tuple(r.law.name for r in self.rulings if not r.holds)


def judge(key: AnswerKey, sheet: Sheet, earlier: Earlier = lambda exercise_id: None) -> Verdict:
    """Judge a sheet of answers.

    Args:
        key: the exercise's answer key.
        sheet: the student's answers.
        earlier: returns the verdict on an earlier exercise, or None. It is called only if something is wrong here.
    """
    exercise = key.exercise
    findings = {law.name: _find(key, sheet, law) for law in exercise.laws}
    closed = any(law.gate and not findings[law.name].holds and _can_tell(key, sheet, law) for law in exercise.laws)
    rulings = tuple(_ruling(law, findings, closed) for law in exercise.laws)
    if all(r.holds for r in rulings):
        return Verdict(exercise.id, exercise.points, exercise.points, rulings)
    excusable = has_wrong_value(key, sheet) and not closed  # errors are all alike
    if found := explained_by(key, sheet, earlier) if excusable else None:
        cause, excused = found
        score = _seen(key, excused, rulings)
        return Verdict(exercise.id, score, exercise.points, rulings, dependencies=Dependencies(carried=cause))
    score = round(sum(r.earned for r in rulings), 6)  # rounded as an exercise's points are
    error = next((a.error for a in (sheet.get(q.name, _UNANSWERED) for q in key.questions) if a.error), None)
    naming = name(key, sheet)
    explained = naming is not None and not naming.questions
    below = Dependencies(
        stops_in=() if naming else stops_in(key, error, earlier), suspects=suspects(key, earlier, explained)
    )
    return Verdict(exercise.id, score, exercise.points, rulings, naming, error, below)


def judge_in_order(keys: Mapping[str, AnswerKey], sheets: Mapping[str, Sheet]) -> dict[str, Verdict]:
    """Judge several exercises in their lesson's order, so that named mistakes carry forward."""
    return judge_better(keys, sheets, {})[0]


def judge_better(
    keys: Mapping[str, AnswerKey], sheets: Mapping[str, Sheet], later: Mapping[str, Sheet]
) -> tuple[dict[str, Verdict], tuple[str, ...]]:
    """Judge exercises in their lesson's order. If one was asked in two versions, the one with more points counts.

    A version is excused by an earlier mistake only if the version of the earlier exercise that counts has this mistake,
    too. Otherwise a mistake could be repaired for the one exercise and excuse the other.

    Args:
        later: what the later versions answered, by exercise.

    Returns:
        The verdicts, and the exercises whose later version counts.
    """
    counted: dict[str, Verdict] = {}
    first: dict[str, Verdict] = {}
    last: dict[str, Verdict] = {}
    for exercise, key in keys.items():
        one = two = _judge_safely(key, sheets.get(exercise, {}), partial(_version, first, counted))
        if exercise in later:
            two = _judge_safely(key, later[exercise], partial(_version, last, counted))
        first[exercise], last[exercise] = one, two
        counted[exercise] = two if two.score > one.score else one
    return counted, tuple(exercise for exercise in keys if counted[exercise] is not first[exercise])


def _version(run: Mapping[str, Verdict], counted: Mapping[str, Verdict], exercise_id: str) -> Verdict | None:
    """Return the verdict on a version of an exercise. Its mistake has a name only if the version that counts has it."""
    verdict = run.get(exercise_id)
    if verdict and verdict.misconception != counted[exercise_id].misconception:
        return replace(verdict, naming=None)
    return verdict


def _judge_safely(key: AnswerKey, sheet: Sheet, earlier: Earlier) -> Verdict:
    """Judge a sheet. An unforeseen answer costs only its own exercise: `Failure.UNJUDGED` asks a person to look."""
    try:
        return judge(key, sheet, earlier)
    except Exception as error:
        report(error, f"the judge of {key.exercise.id}")
        unjudged = Failure.UNJUDGED.answer(f"{type(error).__name__} while it was judged")
        return judge(key, dict.fromkeys((question.name for question in key.questions), unjudged))


def complete(keys: Mapping[str, AnswerKey], sheets: Mapping[str, Sheet], reason: str = "") -> dict[str, Sheet]:
    """Return a sheet for each exercise. If none came back, every answer in it is an error that says so.

    Args:
        reason: why none came back, if it is known.
    """
    missing = Failure.UNANSWERED.answer(reason)
    return {n: sheets.get(n) or dict.fromkeys((q.name for q in key.questions), missing) for n, key in keys.items()}


def _can_tell(key: AnswerKey, sheet: Sheet, law: Law) -> bool:
    """Return whether a gate may close. It may not if the code fails unwatched, too, because it has called nothing."""
    answered = {name for name, answer in sheet.items() if not answer.error}
    asked = (key.question(name) for name in law.questions)
    return all(q.name in answered or (isinstance(q, Watched) and q.same_as in answered) for q in asked)


def _ruling(law: Law, findings: Mapping[str, Finding], closed: bool) -> Ruling:
    """Return the result of a check. If a gate is ``closed``, a check that passed doesn't count."""
    found = findings[law.name]
    if not found.holds:
        return Ruling(law, False, True, found.seen)
    if law.needs is not None and not findings[law.needs].holds:
        return Ruling(law, True, False, "once the values are right")
    return Ruling(law, True, False, "once it is written by hand") if closed else Ruling(law, True, True)


def _find(key: AnswerKey, sheet: Sheet, law: Law) -> Finding:
    findings = (_find_on(key, sheet, law, question) for question in law.questions)
    return next((found for found in findings if not found.holds), Finding(True))


def _find_on(key: AnswerKey, sheet: Sheet, law: Law, question: str) -> Finding:
    answer, asked = sheet.get(question, _UNANSWERED), key.question(question)
    if isinstance(asked, Watched) and _right_only_unwatched(key, sheet, asked):
        return Finding(False, "it answers otherwise, or not at all, while it is watched")
    if answer.error:
        return Finding(
            False, f"{answer.error.type}: {answer.error.message}" if answer.error.message else answer.error.type
        )
    return law.rule(asked, answer.values, key.reference[question].values, **law.settings)


def _right_only_unwatched(key: AnswerKey, sheet: Sheet, asked: Watched) -> bool:
    """Return whether code is right on some inputs while unwatched, but wrong on similar inputs while watched.

    A wrong answer doesn't count if a finished function was called, because that call may have interrupted the code.
    """
    answer, twin = sheet.get(asked.name, _UNANSWERED), asked.same_as
    called, answered = answer.values.get("called"), answer.values.get("answered")
    if (isinstance(called, list) and called) or not _same(sheet.get(twin, _UNANSWERED), key.reference[twin]):
        return False
    expected = key.reference[asked.name].values["answered"]
    assert isinstance(expected, dict)
    return not (isinstance(answered, dict) and _same(Answer(answered), Answer(expected)))


def _same(answer: Answer, right: Answer) -> bool:
    return not answer.error and same_answer(answer, right, widths=False)


#: the share of an exercise's points that it gets although an earlier mistake hides whether it earns them, because right
#: code must not lose points to a mistake elsewhere. For more than this share, a person has to look
DOUBTFUL = 0.1


def _seen(key: AnswerKey, excused: Excused, rulings: tuple[Ruling, ...]) -> float:
    """Return the points for answers that are right given a known mistake in an earlier exercise.

    A check earns its points if it passes despite the mistake, and so does the check that it needs. Which functions were
    called doesn't depend on earlier mistakes. A small share that can't be seen is given, see `DOUBTFUL`.
    """
    seen = {
        ruling.law.name: ruling.holds if key.question(ruling.law.question).watched else ruling.law.name in excused.laws
        for ruling in rulings
    }
    laws = (ruling.law for ruling in rulings)
    earned = sum(law.points for law in laws if seen[law.name] and (law.needs is None or seen[law.needs]))
    score, full = round(min(earned, excused.most), 6), key.exercise.points
    by_hand = all(ruling.holds for ruling in rulings if key.question(ruling.law.question).watched)
    return full if by_hand and full - score <= DOUBTFUL * full else score
