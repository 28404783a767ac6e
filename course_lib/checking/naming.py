"""Name a mistake: find, from an implementation's answers, which registered mistake it makes.

If a registered mistake explains every wrong answer, the code gets that mistake's name. Real code often
has further problems: a crash at odd sizes, a second mistake, a quirk that only some inputs reveal. So if no mistake
explains everything, hypotheses are tried, and each must pass two tests:

- Every answer that the mistake makes wrong must be wrong, on every question that was answered at all.
- On some questions the answers must be the mistake's, to the last digit that float32 keeps, and no other mistake may
  explain as much.

A false name is worse than none, so a partial explanation is reported as partial; see `Naming.questions`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from course_lib.checking.answer_key import AnswerKey, same
from course_lib.checking.answers import Answer, Answers
from course_lib.checking.closeness import close, identical, numbers, rounding
from course_lib.checking.exercise import TOGETHER, Matcher
from course_lib.checking.questions import Question
from course_lib.checking.values import Array, Value, arrays
from course_lib.our_errors import report


@dataclass(frozen=True)
class Naming:
    """The mistake that the answers show.

    Attributes:
        name: the name of a registered mistake, or two names joined by `TOGETHER`.
        questions: the questions that the mistake explains, if it explains only part of what is wrong; else empty.
    """

    name: str
    questions: tuple[str, ...] = ()


def name(key: AnswerKey, answers: Answers) -> Naming | None:
    """Return the misconception that the answers show, if one can be recognised."""
    questions = {q.name: q for q in key.questions}
    for misconception in key.exercise.misconceptions:
        if misconception.matcher and _matches(misconception.matcher, questions, answers, key.reference):
            return Naming(misconception.name)
    if not has_wrong_value(key, answers):
        return None
    for mistake, known in key.mistakes.items():
        if alike(key, known, answers):
            return Naming(mistake)
    return _ignoring_other_faults(key, answers) or _by_hypothesis(key, answers)


def _matches(matcher: Matcher, questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Return whether a matcher recognises the mistake. If it fails, which is an error of ours, it doesn't."""
    try:
        return matcher(questions, answers, reference)
    except Exception as error:
        report(error, matcher.__name__)
        return False


def alike(key: AnswerKey, known: Answers, answers: Answers) -> bool:
    """Return whether these are the known answers, ignoring which functions were called."""
    return all(
        question.name in answers and same(question, known[question.name], answers[question.name])
        for question in key.questions
        if not question.watched
    )


def _ignoring_other_faults(key: AnswerKey, answers: Answers) -> Naming | None:
    """Return the one mistake that explains every value of code that also changes its inputs or returns wrong dtypes."""
    restored = {
        name: _with_dtypes_of(key.reference[name], answer) for name, answer in _inputs_restored(key, answers).items()
    }
    unchanged = all(answer is answers[name] for name, answer in restored.items())
    if unchanged or not has_wrong_value(key, restored):
        return None
    found = [mistake for mistake, known in key.mistakes.items() if alike(key, known, restored)]
    return Naming(found[0]) if len(found) == 1 else None


def _inputs_restored(key: AnswerKey, answers: Answers) -> Answers:
    """Return the answers as if every call had left its arguments as the reference leaves them."""
    return {
        name: _with_inputs_of(key.reference[name], answer) for name, answer in answers.items() if name in key.reference
    }


def _with_inputs_of(right: Answer, answer: Answer) -> Answer:
    if answer.error or not {"after"} <= answer.values.keys() & right.values.keys():
        return answer
    if identical(answer.values["after"], right.values["after"]):
        return answer
    return Answer({**answer.values, "after": right.values["after"]})


def _with_dtypes_of(right: Answer, answer: Answer) -> Answer:
    """Return an answer whose whole numbers have the dtypes of the right answer."""
    if answer.error:
        return answer
    values = {name: _as_whole_numbers(value, right.values.get(name)) for name, value in answer.values.items()}
    return answer if all(values[name] is value for name, value in answer.values.items()) else Answer(values)


def _as_whole_numbers(value: Value, right: Value) -> Value:
    if not isinstance(value, Tensor) or not isinstance(right, Tensor) or right.is_floating_point():
        return value
    whole = value.to(right.dtype)
    return whole if value.is_floating_point() and torch.equal(whole.to(value.dtype), value) else value


def has_wrong_value(key: AnswerKey, answers: Answers) -> bool:
    """Return whether some answer other than an error is wrong, because errors alone never identify a mistake."""
    return any(
        question.name in answers
        and not answers[question.name].error
        and not same(question, key.reference[question.name], answers[question.name])
        for question in key.questions
    )


@dataclass(frozen=True)
class _Hypothesis:
    """The evidence for one mistake, as names of questions that were answered without an error.

    Attributes:
        affects: those that the mistake answers differently from the reference.
        agrees: those among ``affects`` that are answered like the mistake.
    """

    name: str
    affects: frozenset[str]
    agrees: frozenset[str]


@dataclass(frozen=True)
class _Evidence:
    key: AnswerKey
    answers: Answers

    @cached_property
    def answered(self) -> tuple[Question, ...]:
        """The questions that were answered without an error."""
        answers = self.answers
        return tuple(q for q in self.key.questions if not q.watched and q.name in answers and not answers[q.name].error)

    @cached_property
    def wrong(self) -> frozenset[str]:
        """The names of the answered questions whose answer is wrong."""
        reference, answers = self.key.reference, self.answers
        return frozenset(q.name for q in self.answered if not same(q, reference[q.name], answers[q.name]))

    @cached_property
    def hypotheses(self) -> tuple[_Hypothesis, ...]:
        """The mistakes that agree with some wrong answers and contradict no right one."""
        answered = {question.name for question in self.answered}
        found = [(mistake, affects & answered) for mistake, affects in self.key.affected.items()]
        possible = (_Hypothesis(m, affects, self._agrees(m, affects)) for m, affects in found if affects <= self.wrong)
        return tuple(hypothesis for hypothesis in possible if hypothesis.agrees)

    def _agrees(self, mistake: str, affects: frozenset[str]) -> frozenset[str]:
        known, answers, reference = self.key.mistakes[mistake], self.answers, self.key.reference
        agrees = frozenset(
            q.name for q in self.answered if q.name in affects and same(q, known[q.name], answers[q.name])
        )
        return agrees if any(_is_distinctive(known[name], reference[name]) for name in agrees) else frozenset()


def _is_distinctive(known: Answer, right: Answer) -> bool:
    """Return whether agreement with a wrong answer is unlikely to be chance: many mistakes return only zeros."""
    rights = dict(arrays(dict(right.values)))
    wrong = (array for path, array in arrays(dict(known.values)) if not close(array, rights.get(path)))
    return any(bool((np.abs(flat - flat[0]) > rounding(flat)).any()) for flat in map(_flat, wrong) if flat.size)


def _flat(array: Array) -> np.ndarray:
    return np.asarray(np.nan_to_num(numbers(array).astype(float).ravel()))


def _by_hypothesis(key: AnswerKey, answers: Answers) -> Naming | None:
    evidence = _Evidence(key, answers)
    if 2 * len(evidence.answered) < len(key.questions):  # code that fails nearly everywhere reveals too little
        return None
    return _best_naming(evidence)


#: the number of questions on which answers must agree, so that chance is unlikely
ENOUGH = 2


def _best_naming(evidence: _Evidence) -> Naming | None:
    """Return the mistake that best explains what is wrong, if it affects all of it and explains at least half."""
    single = (h for h in evidence.hypotheses if TOGETHER not in h.name)
    ranked = sorted(single, key=lambda h: -len(h.agrees))
    if not ranked or len(ranked[0].agrees) < max(ENOUGH, len(evidence.wrong) / 2):
        return None
    best, rivals = ranked[0], ranked[1:]
    if best.affects != evidence.wrong or any(len(rival.agrees) == len(best.agrees) for rival in rivals):
        return None
    return Naming(best.name, () if best.agrees == evidence.wrong else tuple(sorted(best.agrees)))
