"""The judge: a pure function of an answer key and a sheet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from course_lib.checking.answer_key import AnswerKey, Excused
from course_lib.checking.exercise import Law, Question
from course_lib.checking.failure import Failure
from course_lib.checking.laws import Finding
from course_lib.checking.naming import Naming, alike, has_wrong_value, name
from course_lib.checking.sheet import Answer, Error, Sheet, same_answer

_UNANSWERED = Failure.UNANSWERED.answer()

#: why a sheet is missing, where nothing else is known
NOT_REACHED = "the notebook did not come to this cell"


@dataclass(frozen=True)
class Ruling:
    """What became of one law.

    Attributes:
        holds: whether it holds.
        counts: False where it holds but earns nothing, because the law it needs, or a gate, is broken.
        seen: what was seen instead; or, where it holds and does not count, when it will.
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
    """What was found about one sheet.

    Attributes:
        score: within 0…max_score.
        rulings: one a law, in the exercise's order.
        naming: the mistake that its answers show, if one can be told.
        carried: ``(exercise, misconception)``: right wherever that mistake, made there, lets it be seen.
        error: the error of the first question that brought one.
        beneath: the exercises that this one builds on that are not right and may explain what is seen.
    """

    exercise_id: str
    score: float
    max_score: float
    rulings: tuple[Ruling, ...]
    naming: Naming | None = None
    carried: tuple[str, str] | None = None
    error: Error | None = None
    beneath: tuple[str, ...] = ()

    @property
    def misconception(self) -> str | None:
        """The name of the mistake that its answers show, if one can be told."""
        return self.naming.name if self.naming else None

    @property
    def passed(self) -> bool:
        """Whether every point was earned."""
        return self.score >= self.max_score

    @property
    def wrong(self) -> bool:
        """Whether it has a mistake of its own, and not only one carried from an earlier exercise.

        What is not written has none: where it is called, it stops, and where it isn't, nothing comes from it.
        """
        return not self.passed and not self.carried and not (self.error and self.error.unwritten)

    @property
    def broken_laws(self) -> tuple[str, ...]:
        """The names of the laws that do not hold."""
        return tuple(r.law.name for r in self.rulings if not r.holds)


def judge(key: AnswerKey, sheet: Sheet, earlier: Mapping[str, str] | None = None) -> Verdict:
    """Judge a sheet.

    Args:
        key: the exercise's answer key.
        sheet: the student's answers.
        earlier: of exercises that are not right by themselves, the named misconception by exercise id; empty where
            none can be told.
    """
    exercise = key.exercise
    rulings = _rulings(key, sheet)
    score = round(sum(r.earned for r in rulings), 6)  # as an exercise's points are
    error = next((a.error for a in (sheet.get(q.name, _UNANSWERED) for q in key.questions) if a.error), None)
    if all(r.holds for r in rulings):
        return Verdict(exercise.id, exercise.points, exercise.points, rulings)
    causes = (earlier or {}).items() if has_wrong_value(key, sheet) else ()  # errors are all alike
    for cause in causes:
        for excused in key.carried.get(cause, ()):
            if alike(key, excused.sheet, sheet) and excused.tells:
                return Verdict(exercise.id, _seen(key, excused, rulings), exercise.points, rulings, carried=cause)
    naming = name(key, sheet)
    explained = naming is not None and not naming.questions  # by a mistake made here: a known one below does not show
    beneath = tuple(o for o, known in (earlier or {}).items() if o in exercise.builds_on and not (explained and known))
    return Verdict(exercise.id, score, exercise.points, rulings, naming, error=error, beneath=beneath)


def judge_in_order(keys: Mapping[str, AnswerKey], sheets: Mapping[str, Sheet]) -> dict[str, Verdict]:
    """Judge several exercises in their lesson's order, so that named mistakes carry forward.

    An answer that nothing foresaw costs its own exercise and no other: the verdict notes `Failure.UNJUDGED`, so that a
    person looks.
    """
    verdicts: dict[str, Verdict] = {}
    for exercise, key in keys.items():
        earlier = {name: v.misconception or "" for name, v in verdicts.items() if v.wrong}
        try:
            verdicts[exercise] = judge(key, sheets.get(exercise, {}), earlier)
        except Exception as error:
            unjudged = Failure.UNJUDGED.answer(f"{type(error).__name__} while it was judged")
            verdicts[exercise] = judge(key, dict.fromkeys((question.name for question in key.questions), unjudged))
    return verdicts


def judge_better(
    keys: Mapping[str, AnswerKey], sheets: Mapping[str, Sheet], later: Mapping[str, Sheet]
) -> tuple[dict[str, Verdict], tuple[str, ...]]:
    """Judge exercises, some asked twice: the version with more points counts.

    Args:
        later: what the later versions answered, by exercise.

    Returns:
        The verdicts, and the exercises whose later version counts.
    """
    verdicts = judge_in_order(keys, sheets)
    again = judge_in_order(keys, {**sheets, **later}) if later else {}
    better = {name: again[name] for name in keys if name in later and again[name].score > verdicts[name].score}
    return {**verdicts, **better}, tuple(better)


def complete(keys: Mapping[str, AnswerKey], sheets: Mapping[str, Sheet], reason: str = "") -> dict[str, Sheet]:
    """A sheet for each exercise; where none came back, every answer in it says so.

    Args:
        reason: why none came back, where it is known.
    """
    missing = Failure.UNANSWERED.answer(reason)
    return {n: sheets.get(n) or dict.fromkeys((q.name for q in key.questions), missing) for n, key in keys.items()}


def _rulings(key: AnswerKey, sheet: Sheet) -> tuple[Ruling, ...]:
    findings: dict[str, Finding] = {}
    for law in key.exercise.laws:
        findings[law.name] = _find(key, sheet, law)
    closed = any(law.gate and not findings[law.name].holds and _can_tell(key, sheet, law) for law in key.exercise.laws)
    return tuple(_ruling(law, findings, closed) for law in key.exercise.laws)


def _can_tell(key: AnswerKey, sheet: Sheet, law: Law) -> bool:
    """Whether a gate may close: code that stops without a watch, too, has called nothing."""
    answered = {name for name, answer in sheet.items() if not answer.error}
    asked = (key.question(name) for name in law.questions)
    return all(question.name in answered or question.given.get("same_as") in answered for question in asked)


def _ruling(law: Law, findings: Mapping[str, Finding], closed: bool) -> Ruling:
    """What becomes of a law; of those that hold, none counts where a gate is ``closed``."""
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
    if asked.watched and _right_only_unwatched(key, sheet, asked):
        return Finding(False, "it answers otherwise, or not at all, while it is watched")
    if answer.error:
        return Finding(
            False, f"{answer.error.type}: {answer.error.message}" if answer.error.message else answer.error.type
        )
    return law.rule(asked.given, answer.values, key.reference[question].values, **law.settings)


def _right_only_unwatched(key: AnswerKey, sheet: Sheet, asked: Question) -> bool:
    """Whether code is right on inputs of one kind without a watch, and wrong on others of that kind under it.

    If a finished function was called, the answer does not matter, because the call may have ended it.
    """
    answer, twin = sheet.get(asked.name, _UNANSWERED), str(asked.given["same_as"])
    called, answered = answer.values.get("called"), answer.values.get("answered")
    if (isinstance(called, list) and called) or not _same(sheet.get(twin, _UNANSWERED), key.reference[twin]):
        return False
    expected = key.reference[asked.name].values["answered"]
    assert isinstance(expected, dict)
    return not (isinstance(answered, dict) and _same(Answer(answered), Answer(expected)))


def _same(answer: Answer, right: Answer) -> bool:
    return not answer.error and same_answer(answer, right, widths=False)


def _seen(key: AnswerKey, excused: Excused, rulings: tuple[Ruling, ...]) -> float:
    """Points for answers that are right given a known mistake in an earlier exercise.

    A law earns its points if the mistake lets it be seen, and the law that it needs. What was called on the way depends
    on no earlier mistake.
    """
    seen = {
        ruling.law.name: ruling.holds if key.question(ruling.law.question).watched else ruling.law.name in excused.laws
        for ruling in rulings
    }
    laws = (ruling.law for ruling in rulings)
    earned = sum(law.points for law in laws if seen[law.name] and (law.needs is None or seen[law.needs]))
    return round(min(earned, excused.most), 6)
