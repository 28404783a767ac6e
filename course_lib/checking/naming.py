"""Naming a mistake: which registered one an implementation makes, judged by its answers.

A sheet that a registered mistake explains wrong answer by wrong answer has that mistake's name. Real code brings more:
a crash at odd sizes, a second mistake, a habit that shows on some inputs. So where no mistake explains everything,
hypotheses are tried, and each must hold up:

- what it says would come out wrong must have come out wrong, on every question that was answered at all;
- on some questions it must be right to the last digit that float32 keeps, and no other mistake may explain as much.

A false name is worse than none: what is explained only in part is reported as such, see `Naming.questions`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from course_lib.checking.answer_key import AnswerKey, same
from course_lib.checking.closeness import close, identical, numbers, rounding
from course_lib.checking.exercise import TOGETHER, Question, Recogniser
from course_lib.checking.sheet import Answer, Sheet
from course_lib.checking.values import Array, arrays


@dataclass(frozen=True)
class Naming:
    """The mistake that a sheet shows.

    Attributes:
        name: a registered mistake's, or two joined by `TOGETHER`.
        questions: where it explains only a part of what is wrong, the questions that it explains; else empty.
    """

    name: str
    questions: tuple[str, ...] = ()


def name(key: AnswerKey, sheet: Sheet) -> Naming | None:
    """The misconception that a sheet shows, if one can be told."""
    questions = {q.name: q for q in key.questions}
    for misconception in key.exercise.misconceptions:
        if misconception.recogniser and _recognises(misconception.recogniser, questions, sheet, key.reference):
            return Naming(misconception.name)
    if not has_wrong_value(key, sheet):
        return None
    for mistake, known in key.mistakes.items():
        if alike(key, known, sheet):
            return Naming(mistake)
    return _besides_its_inputs(key, sheet) or _by_hypothesis(key, sheet)


def _recognises(recogniser: Recogniser, questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """Whether a recogniser knows the mistake; one that stops at what a student's process sent knows nothing."""
    try:
        return recogniser(questions, sheet, reference)
    except Exception:
        return False


def alike(key: AnswerKey, known: Sheet, sheet: Sheet) -> bool:
    """Whether a sheet holds known answers; what was called on the way is none of them."""
    return all(
        question.name in sheet and same(question, known[question.name], sheet[question.name])
        for question in key.questions
        if not question.watched
    )


def _besides_its_inputs(key: AnswerKey, sheet: Sheet) -> Naming | None:
    """The one mistake that explains every result of code that also writes into its inputs, as the mistake does not."""
    restored = _inputs_restored(key, sheet)
    as_it_was = all(answer is sheet[name] for name, answer in restored.items())
    if as_it_was or not has_wrong_value(key, restored):
        return None
    found = [mistake for mistake, known in key.mistakes.items() if alike(key, known, restored)]
    return Naming(found[0]) if len(found) == 1 else None


def _inputs_restored(key: AnswerKey, sheet: Sheet) -> Sheet:
    """The sheet as if every call had left its arguments as the reference leaves them."""
    return {
        name: _with_inputs_of(key.reference[name], answer) for name, answer in sheet.items() if name in key.reference
    }


def _with_inputs_of(right: Answer, answer: Answer) -> Answer:
    if answer.error or not {"after"} <= answer.values.keys() & right.values.keys():
        return answer
    if identical(answer.values["after"], right.values["after"]):
        return answer
    return Answer({**answer.values, "after": right.values["after"]})


def has_wrong_value(key: AnswerKey, sheet: Sheet) -> bool:
    """Whether some answer that is no error differs from the reference: an error alone never names."""
    return any(
        question.name in sheet
        and not sheet[question.name].error
        and not same(question, key.reference[question.name], sheet[question.name])
        for question in key.questions
    )


@dataclass(frozen=True)
class _Hypothesis:
    """What speaks for one mistake, in names of questions that were answered without an error.

    Attributes:
        affects: those that the mistake answers otherwise than the reference.
        agrees: those of them that the sheet answers just like the mistake.
    """

    name: str
    affects: frozenset[str]
    agrees: frozenset[str]


@dataclass(frozen=True)
class _Evidence:
    key: AnswerKey
    sheet: Sheet

    @cached_property
    def answered(self) -> tuple[Question, ...]:
        """The questions that were answered without an error."""
        sheet = self.sheet
        return tuple(q for q in self.key.questions if not q.watched and q.name in sheet and not sheet[q.name].error)

    @cached_property
    def wrong(self) -> frozenset[str]:
        """Those whose answer is wrong."""
        reference, sheet = self.key.reference, self.sheet
        return frozenset(q.name for q in self.answered if not same(q, reference[q.name], sheet[q.name]))

    @cached_property
    def hypotheses(self) -> tuple[_Hypothesis, ...]:
        """The mistakes that nothing speaks against where the sheet is right, and something for."""
        answered = {question.name for question in self.answered}
        found = [(mistake, affects & answered) for mistake, affects in self.key.affected.items()]
        possible = (_Hypothesis(m, affects, self._agrees(m, affects)) for m, affects in found if affects <= self.wrong)
        return tuple(hypothesis for hypothesis in possible if hypothesis.agrees)

    def _agrees(self, mistake: str, affects: frozenset[str]) -> frozenset[str]:
        known, sheet, reference = self.key.mistakes[mistake], self.sheet, self.key.reference
        agrees = frozenset(q.name for q in self.answered if q.name in affects and same(q, known[q.name], sheet[q.name]))
        return agrees if any(_tells(known[question], reference[question]) for question in agrees) else frozenset()


def _tells(known: Answer, right: Answer) -> bool:
    """Whether agreeing with a wrong answer is no accident: zeros from end to end come out of many mistakes."""
    rights = dict(arrays(dict(right.values)))
    wrong = (array for path, array in arrays(dict(known.values)) if not close(array, rights.get(path)))
    return any(bool((np.abs(flat - flat[0]) > rounding(flat)).any()) for flat in map(_flat, wrong) if flat.size)


def _flat(array: Array) -> np.ndarray:
    return np.asarray(np.nan_to_num(numbers(array).astype(float).ravel()))


def _by_hypothesis(key: AnswerKey, sheet: Sheet) -> Naming | None:
    evidence = _Evidence(key, sheet)
    if 2 * len(evidence.answered) < len(key.questions):  # of code that stops nearly everywhere, too little is known
        return None
    return _part(evidence)


#: on how many questions answers must agree, to be no accident
ENOUGH = 2


def _part(evidence: _Evidence) -> Naming | None:
    """The mistake that explains more than any other, if that is half of what is wrong, and it affects all of it."""
    single = (h for h in evidence.hypotheses if TOGETHER not in h.name)
    ranked = sorted(single, key=lambda h: -len(h.agrees))
    if not ranked or len(ranked[0].agrees) < max(ENOUGH, len(evidence.wrong) / 2):
        return None
    best, rivals = ranked[0], ranked[1:]
    if best.affects != evidence.wrong or any(len(rival.agrees) == len(best.agrees) for rival in rivals):
        return None
    return Naming(best.name, () if best.agrees == evidence.wrong else tuple(sorted(best.agrees)))
