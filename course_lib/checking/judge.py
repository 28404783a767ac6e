"""The judge: a pure function of an answer key and a student's answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from course_lib.checking.answer_key import AnswerKey, Excused
from course_lib.checking.answers import Answer, Answers, Error, same_answer
from course_lib.checking.dependencies import Dependencies, Earlier, explained_by, stops_in, suspects
from course_lib.checking.exercise import Check
from course_lib.checking.failure import Failure
from course_lib.checking.naming import Naming, has_wrong_value, name
from course_lib.checking.questions import Watched
from course_lib.checking.rules import Finding
from course_lib.our_errors import report

_UNANSWERED = Failure.UNANSWERED.answer()

#: the reason for missing answers, if no other is known
NOT_REACHED = "the notebook did not come to this cell"


@dataclass(frozen=True)
class CheckResult:
    """The result of one check.

    Attributes:
        holds: whether it passed.
        counts: False if it passed but earns nothing, because a check that it needs, or a gate, failed.
        seen: what was seen instead; or, if it passed and doesn't count, when it will.
    """

    check: Check
    holds: bool
    counts: bool
    seen: str = ""

    @property
    def earned(self) -> float:
        """The points earned."""
        return self.check.points if self.holds and self.counts else 0.0


@dataclass(frozen=True)
class Verdict:
    """The verdict on the answers to one exercise.

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
    check_results: tuple[CheckResult, ...]
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
    def broken_checks(self) -> tuple[str, ...]:
        """The names of the checks that failed."""
        return tuple(r.check.name for r in self.check_results if not r.holds)


def judge(key: AnswerKey, answers: Answers, earlier: Earlier = lambda exercise_id: None) -> Verdict:
    """Judge the answers to one exercise.

    Args:
        key: the exercise's answer key.
        answers: the student's.
        earlier: returns the verdict on an earlier exercise, or None. It is called only if something is wrong here.
    """
    exercise = key.exercise
    findings = {check.name: _find(key, answers, check) for check in exercise.checks}
    closed = any(
        check.gate and not findings[check.name].holds and _can_tell(key, answers, check) for check in exercise.checks
    )
    check_results = tuple(_check_result(check, findings, closed) for check in exercise.checks)
    if all(r.holds for r in check_results):
        return Verdict(exercise.id, exercise.points, exercise.points, check_results)
    excusable = has_wrong_value(key, answers) and not closed  # errors are all alike
    if found := explained_by(key, answers, earlier) if excusable else None:
        cause, excused = found
        score = _seen(key, excused, check_results)
        return Verdict(exercise.id, score, exercise.points, check_results, dependencies=Dependencies(carried=cause))
    score = round(sum(r.earned for r in check_results), 6)  # rounded as an exercise's points are
    error = next((a.error for a in (answers.get(q.name, _UNANSWERED) for q in key.questions) if a.error), None)
    naming = name(key, answers)
    explained = naming is not None and not naming.questions
    below = Dependencies(
        stops_in=() if naming else stops_in(key, error, earlier), suspects=suspects(key, earlier, explained)
    )
    return Verdict(exercise.id, score, exercise.points, check_results, naming, error, below)


def judge_in_order(keys: Mapping[str, AnswerKey], all_answers: Mapping[str, Answers]) -> dict[str, Verdict]:
    """Judge several exercises in their lesson's order, so that named mistakes carry forward."""
    return judge_better(keys, all_answers, {})[0]


def judge_better(
    keys: Mapping[str, AnswerKey], all_answers: Mapping[str, Answers], later: Mapping[str, Answers]
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
        one = two = _judge_safely(key, all_answers.get(exercise, {}), partial(_version, first, counted))
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


def _judge_safely(key: AnswerKey, answers: Answers, earlier: Earlier) -> Verdict:
    """Judge answers. An unforeseen answer costs only its own exercise: `Failure.UNJUDGED` asks a person to look."""
    try:
        return judge(key, answers, earlier)
    except Exception as error:
        report(error, f"the judge of {key.exercise.id}")
        unjudged = Failure.UNJUDGED.answer(f"{type(error).__name__} while it was judged")
        return judge(key, dict.fromkeys((question.name for question in key.questions), unjudged))


def complete(keys: Mapping[str, AnswerKey], all_answers: Mapping[str, Answers], reason: str = "") -> dict[str, Answers]:
    """Return answers for each exercise. If none came back, each answer is an error that says so.

    Args:
        reason: why none came back, if it is known.
    """
    missing = Failure.UNANSWERED.answer(reason)
    return {n: all_answers.get(n) or dict.fromkeys((q.name for q in key.questions), missing) for n, key in keys.items()}


def _can_tell(key: AnswerKey, answers: Answers, check: Check) -> bool:
    """Return whether a gate may close. It may not if the code fails unwatched, too, because it has called nothing."""
    answered = {name for name, answer in answers.items() if not answer.error}
    asked = (key.question(name) for name in check.questions)
    return all(q.name in answered or (isinstance(q, Watched) and q.same_as in answered) for q in asked)


def _check_result(check: Check, findings: Mapping[str, Finding], closed: bool) -> CheckResult:
    """Return the result of a check. If a gate is ``closed``, a check that passed doesn't count."""
    found = findings[check.name]
    if not found.holds:
        return CheckResult(check, False, True, found.seen)
    if check.needs is not None and not findings[check.needs].holds:
        return CheckResult(check, True, False, "until the values are right")
    return CheckResult(check, True, False, "until it is written by hand") if closed else CheckResult(check, True, True)


def _find(key: AnswerKey, answers: Answers, check: Check) -> Finding:
    findings = (_find_on(key, answers, check, question) for question in check.questions)
    return next((found for found in findings if not found.holds), Finding(True))


def _find_on(key: AnswerKey, answers: Answers, check: Check, question: str) -> Finding:
    answer, asked = answers.get(question, _UNANSWERED), key.question(question)
    if isinstance(asked, Watched) and _right_only_unwatched(key, answers, asked):
        return Finding(False, "it answers otherwise, or not at all, while it is watched")
    if answer.error:
        return Finding(
            False, f"{answer.error.type}: {answer.error.message}" if answer.error.message else answer.error.type
        )
    return check.rule(asked, answer.values, key.reference[question].values, **check.settings)


def _right_only_unwatched(key: AnswerKey, answers: Answers, asked: Watched) -> bool:
    """Return whether code is right on some inputs while unwatched, but wrong on similar inputs while watched.

    A wrong answer doesn't count if a finished function was called, because that call may have interrupted the code.
    """
    answer, twin = answers.get(asked.name, _UNANSWERED), asked.same_as
    called, answered = answer.values.get("called"), answer.values.get("answered")
    if (isinstance(called, list) and called) or not _same(answers.get(twin, _UNANSWERED), key.reference[twin]):
        return False
    expected = key.reference[asked.name].values["answered"]
    assert isinstance(expected, dict)
    return not (isinstance(answered, dict) and _same(Answer(answered), Answer(expected)))


def wrong_while_watched(key: AnswerKey, answers: Answers) -> bool:
    """Return whether code is wrong on the inputs on which it is watched, and on similar ones, without calling anything.

    If it is right elsewhere, it may call a finished function there.
    """
    for asked in (question for question in key.questions if isinstance(question, Watched)):
        answer, twin = answers.get(asked.name, _UNANSWERED), answers.get(asked.same_as, _UNANSWERED)
        answered = answer.values.get("answered")
        expected = key.reference[asked.name].values["answered"]
        assert isinstance(expected, dict)
        right = isinstance(answered, dict) and _same(Answer(answered), Answer(expected))
        if not answer.error and not answer.values.get("called") and not right:
            return not twin.error and not _same(twin, key.reference[asked.same_as])
    return False


def _same(answer: Answer, right: Answer) -> bool:
    return not answer.error and same_answer(answer, right, widths=False)


#: the share of an exercise's points that it gets although an earlier mistake hides whether it earns them, because right
#: code must not lose points to a mistake elsewhere. For more than this share, a person has to look
DOUBTFUL = 0.1


def _seen(key: AnswerKey, excused: Excused, check_results: tuple[CheckResult, ...]) -> float:
    """Return the points for answers that are right given a known mistake in an earlier exercise.

    A check earns its points if it passes despite the mistake, and so does the check that it needs. Which functions were
    called doesn't depend on earlier mistakes. A small share that can't be seen is given, see `DOUBTFUL`.
    """
    seen = {
        check_result.check.name: check_result.holds
        if key.question(check_result.check.question).watched
        else check_result.check.name in excused.checks
        for check_result in check_results
    }
    checks = (check_result.check for check_result in check_results)
    earned = sum(check.points for check in checks if seen[check.name] and (check.needs is None or seen[check.needs]))
    score, full = round(min(earned, excused.most), 6), key.exercise.points
    by_hand = all(
        check_result.holds for check_result in check_results if key.question(check_result.check.question).watched
    )
    return full if by_hand and full - score <= DOUBTFUL * full else score
