"""Make answer keys, for which every registered implementation answers the questions."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from typing import Any

import numpy as np

from autograder.exercises import DEFINITIONS
from autograder.exercises.definition import Definition, DefinitionError, Implementation
from autograder.exercises.finished_functions import FINISHED
from autograder.exercises.later import Mistakes
from autograder.exercises.sampler import Sampler
from autograder.exercises.small_questions import small_questions
from autograder.exercises.unfair import Unfair
from autograder.exercises.validation import validate
from course_lib.checking.answer_key import AnswerKey, Excused
from course_lib.checking.answers import Answer, Answers, same_answer
from course_lib.checking.ask import ask
from course_lib.checking.judge import Verdict, judge
from course_lib.checking.questions import Question
from course_lib.checking.values import encode


class SameAnswers:
    """Store identical answers as one object, because most mistakes share most of their answers."""

    def __init__(self) -> None:
        self._known: dict[str, Answer] = {}

    def of(self, answer: Answer) -> Answer:
        """Return the identical answer that was stored earlier, or else store and return this one."""
        if answer.error:
            return answer
        return self._known.setdefault(json.dumps(encode(dict(answer.values), {})), answer)


@dataclass(frozen=True)
class Answered:
    """The answers of every registered implementation to the questions of one draw.

    Attributes:
        known: all answers so far.
        all_answers: the answers by the implementation's name, without pairs of mistakes.
    """

    definition: Definition
    questions: tuple[Question, ...]
    known: SameAnswers
    all_answers: Mapping[str, Answers]

    @cached_property
    def pairs(self) -> dict[str, Answers]:
        """Return the answers of every pair of mistakes, by its name ``"a + b"``. Compute them on first use."""
        with _without_warnings():
            return _all_answers(self.definition, self.questions, self.definition.pairs.values(), self.known)

    @cached_property
    def named_pairs(self) -> dict[str, Answers]:
        """Return the pairs whose answers differ from those of everything else that is registered."""
        all_answers = {**self.all_answers, **self.pairs}
        with _without_warnings():
            return {
                name: answers for name, answers in self.pairs.items() if not _answered_by_another(name, all_answers)
            }


def _answer(definition: Definition, sampler: Sampler) -> Answered:
    """Ask every registered implementation of an exercise."""
    with _without_warnings():
        questions = definition.questions(sampler)
        validate(definition, questions)
        known = SameAnswers()
        return Answered(
            definition, questions, known, _all_answers(definition, questions, definition.implementations, known)
        )


def _all_answers(
    definition: Definition,
    questions: tuple[Question, ...],
    implementations: Iterable[Implementation],
    known: SameAnswers,
) -> dict[str, Answers]:
    return {
        each.name: {name: known.of(answer) for name, answer in ask(questions, definition.load(each)).items()}
        for each in implementations
    }


#: the share of the points that the right answers to the public questions, which students have, may earn on the hidden
#: ones. Some answers are always equal, such as the shapes of parameters.
REPLAYED = 0.45
#: the most draws that are tried. If none is fair, the questions are too small to show every mistake reliably
ATTEMPTS = 50


def make_key(
    definition: Definition, sampler: Sampler, public: Callable[[], Mapping[str, float]] | None = None
) -> AnswerKey:
    """Make the answer key of an exercise for a draw, or for the first fair draw that replaces it.

    Args:
        public: returns the scores for the public questions, see `fair_draw`.

    Raises:
        DefinitionError: no draw is fair.
    """
    answered = fair_sampler(definition, sampler, public=public)[1]
    key = key_of_answers(answered)
    return key if sampler.seed != Sampler.public(definition.id).seed else _with_small_questions(key, answered)


def _with_small_questions(key: AnswerKey, answered: Answered) -> AnswerKey:
    """Return a public key with the questions that cards show as examples."""
    definition = answered.definition
    mistaken = {m.name: answered.all_answers[m.name] for m in definition.mistakes}
    with _without_warnings():
        return replace(key, small=small_questions(definition, key, mistaken))


def fair_sampler(
    definition: Definition,
    sampler: Sampler,
    attempts: int = ATTEMPTS,
    public: Callable[[], Mapping[str, float]] | None = None,
) -> tuple[Sampler, Answered]:
    """Return the draw, or the first replacement on which every implementation scores as on the public one.

    A score must not depend on the draw. For example, a vocabulary in which no two words are equally frequent doesn't
    show how ties are broken. Nor may too many answers equal those to the public questions, see `REPLAYED`. An exercise
    on paper has the same question for everyone.

    Args:
        public: returns every registered implementation's score for the public questions; default: `public_scores`.

    Returns:
        The draw, and the answers of every registered implementation.

    Raises:
        DefinitionError: no draw was fair in `ATTEMPTS` attempts.
    """
    if definition.exercise.on_paper or sampler.seed == Sampler.public(definition.id).seed:
        return sampler, answer_public(definition.id)
    expected = public() if public else public_scores(definition)
    unfair = Unfair(REPLAYED, definition.exercise.points, expected)
    for attempt in range(attempts):
        drawn = sampler.again(attempt)
        answered = _answer(definition, drawn)
        if unfair.add(replayed(definition, answered), scores(definition, answered)):
            return drawn, answered
    raise DefinitionError(f"{definition.id}: {unfair}")


@cache
def answer_public(exercise_id: str) -> Answered:
    """Return the answers of every registered implementation to the public questions."""
    return _answer(DEFINITIONS[exercise_id], Sampler.public(exercise_id))


@cache
def public_reference(exercise_id: str) -> Answers:
    """Return the right answers to the public questions."""
    definition = DEFINITIONS[exercise_id]
    reference = next(each for each in definition.implementations if each.name == "reference")
    with _without_warnings():
        return ask(definition.questions(Sampler.public(exercise_id)), definition.load(reference))


def public_scores(definition: Definition) -> dict[str, float]:
    """Return what every registered implementation earns for the public questions."""
    return scores(definition, answer_public(definition.id))


def replayed(definition: Definition, answered: Answered) -> float:
    """Return the share of the points that the right answers to the public questions earn on these questions."""
    bare = AnswerKey(definition.exercise, answered.questions, answered.all_answers["reference"])
    return judge(bare, public_reference(definition.id)).score / definition.exercise.points


def scores(definition: Definition, answered: Answered) -> dict[str, float]:
    """Return the score of every registered implementation, without excusing or naming mistakes."""
    bare = AnswerKey(definition.exercise, answered.questions, answered.all_answers["reference"])
    return {i.name: judge(bare, answered.all_answers[i.name]).score for i in definition.implementations}


def key_of_answers(answered: Answered) -> AnswerKey:
    """Return the answer key of an exercise, given the answers."""
    definition, questions, all_answers = answered.definition, answered.questions, answered.all_answers
    reference = all_answers["reference"]
    if failed := [name for name, answer in reference.items() if answer.error]:
        raise DefinitionError(f"{definition.id}: the reference itself fails on {failed}: {reference[failed[0]].error}")
    alone = {m.name: all_answers[m.name] for m in definition.mistakes if not m.misconception.matcher}
    mistakes = Mistakes(alone, lambda: answered.named_pairs)
    carried = Carried(definition, questions, all_answers)
    return AnswerKey(definition.exercise, questions, reference, mistakes, carried)


class AskedLater(Mapping[str, Answer]):
    """Answers that are computed when they are looked up, because a few often show that two implementations differ."""

    def __init__(self, questions: tuple[Question, ...], answer: Callable[[Question], Answer]) -> None:
        self._questions, self._answer = {question.name: question for question in questions}, answer
        self._known: dict[str, Answer] = {}

    def __getitem__(self, name: str) -> Answer:
        if name not in self._known:
            with _without_warnings():
                self._known[name] = self._answer(self._questions[name])
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._questions)

    def __len__(self) -> int:
        return len(self._questions)


@dataclass(frozen=True)
class WorkedOut:
    """Excused answers. Their other properties are computed once somebody gives them.

    Attributes:
        others: the right answers over no mistake, earlier right ones over the same mistake, and trivial ones.
        worth: returns the checks and the most points that it earns. This takes the answers of every registered
            mistake.
    """

    answers: Answers
    others: tuple[Answers, ...]
    worth: Callable[[], tuple[frozenset[str], float]]

    @cached_property
    def tells(self) -> bool:
        """See `Excused`."""
        return not any(alike(self.answers, other) for other in self.others)

    @cached_property
    def _worth(self) -> tuple[frozenset[str], float]:
        return self.worth()

    @property
    def checks(self) -> frozenset[str]:
        """See `Excused`."""
        return self._worth[0]

    @property
    def most(self) -> float:
        """See `Excused`."""
        return self._worth[1]


class Carried(Mapping[tuple[str, str], tuple[Excused, ...]]):
    """The answers that are excused over each mistake in an earlier exercise, computed when they are looked up.

    Code runs over a mistake if it builds on an earlier exercise that contains the mistake. There are hundreds of
    mistakes, and a class makes only a few of them. Different answers may be right over one mistake, because
    implementations use earlier exercises in different ways.

    Args:
        all_answers: known answers over the right earlier exercises, by implementation, including the reference's.
    """

    def __init__(
        self, definition: Definition, questions: tuple[Question, ...], all_answers: Mapping[str, Answers]
    ) -> None:
        self._definition, self._questions, self._reference = definition, questions, all_answers["reference"]
        earlier = self._between = tuple(DEFINITIONS[name] for name in definition.exercise.builds_on)
        self._earlier = {
            (other.id, name): other
            for other in earlier
            for name in (*(m.name for m in other.mistakes), *other.pairs)
            if name != FINISHED  # its answers are right
        }
        self._known: dict[tuple[str, str], tuple[Excused, ...]] = {}
        self._asked = dict(all_answers)

    def __getitem__(self, cause: tuple[str, str]) -> tuple[Excused, ...]:
        if cause not in self._known:
            with _without_warnings():
                self._known[cause] = tuple(self._excused(self._earlier[cause], cause[1]))
        return self._known[cause]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self._earlier)

    def __len__(self) -> int:
        return len(self._earlier)

    def _excused(self, other: Definition, mistake: str) -> Iterator[Excused]:
        wrong = {other.exercise.symbol: other.load(other.implementation(mistake))}
        for between in self._between:  # an exercise between the two also calls the wrong one
            if other.id in between.exercise.builds_on:
                wrong[between.exercise.symbol] = between.load(between.reference, wrong)
        lazy = [self._answers(one, wrong) for one in self._definition.implementations if one.role == "lazy"]
        known = [self._reference]
        for implementation in self._definition.implementations:
            if implementation.role in ("reference", "alternative"):
                answers = self._answers(implementation, wrong)
                yield WorkedOut(answers, (*known, *lazy), partial(self._worth, answers, wrong, other.id, mistake))
                known.append(answers)

    def _worth(
        self, answers: Answers, wrong: Mapping[str, Any], below: str, mistake: str
    ) -> tuple[frozenset[str], float]:
        """Return the checks that these answers earn, and the most points that they earn."""
        with _without_warnings():
            checks, again = self._seen(answers, wrong)
            most = self._definition.exercise.points
            if again:
                most = min(most, min(self._scores[name] for name in again) + points_lost(below, mistake))
        return frozenset(checks), round(most, 6)

    def _seen(self, right: Answers, wrong: Mapping[str, Any]) -> tuple[set[str], list[str]]:
        """Return the checks that distinguish these answers from those of every registered mistake over the earlier one.

        Leave out a check if a mistake that breaks it gives the same answers over the earlier mistake. A mistake that
        gives these answers over the right earlier exercise, too, only repeats the earlier one. Also return its name.
        """
        seen = {
            check.name
            for check in self._definition.exercise.checks
            if not any(right[name].error for name in check.questions)
        }
        again = []
        for name, over_right in self._mistaken.items():
            if self._answers_like(right, name, wrong):
                if alike(right, over_right):
                    again.append(name)
                else:
                    seen -= self._broken[name]
        return seen, again

    def _answers_like(self, right: Answers, name: str, wrong: Mapping[str, Any]) -> bool:
        """Return whether a registered mistake gives the same answers over the earlier one. Most differ at once."""
        answers = self._answers(self._definition.implementation(name), wrong)
        checks = self._definition.exercise.checks
        questions = {asked for check in checks if check.name in self._broken[name] for asked in check.questions}
        return all(
            same_answer(right[question.name], answers[question.name])
            for question in sorted(self._questions, key=lambda question: question.name not in questions)
        )

    def _answers(self, implementation: Implementation, wrong: Mapping[str, Any]) -> Answers:
        """Return the answers of an implementation over wrong exercises, computed question by question."""
        if not implementation.mentions(wrong):
            return self._over_right(implementation)
        loaded = self._definition.load(implementation, wrong)
        return AskedLater(self._questions, lambda question: ask([question], loaded)[question.name])

    def _over_right(self, implementation: Implementation) -> Answers:
        """Return the answers over right exercises, which equal those over a mistake that the code does not use."""
        if implementation.name not in self._asked:
            self._asked[implementation.name] = ask(self._questions, self._definition.load(implementation))
        return self._asked[implementation.name]

    @cached_property
    def _mistaken(self) -> dict[str, Answers]:
        """Return the answers of each registered mistake over right exercises."""
        names = [m.name for m in self._definition.mistakes if m.name != FINISHED]
        return {name: self._over_right(self._definition.implementation(name)) for name in names}

    @cached_property
    def _verdicts(self) -> dict[str, Verdict]:
        bare = AnswerKey(self._definition.exercise, self._questions, self._reference)
        return {name: judge(bare, answers) for name, answers in self._mistaken.items()}

    @cached_property
    def _broken(self) -> dict[str, frozenset[str]]:
        """Return the checks that each registered mistake breaks over right exercises."""
        return {name: frozenset(verdict.broken_checks) for name, verdict in self._verdicts.items()}

    @cached_property
    def _scores(self) -> dict[str, float]:
        return {name: verdict.score for name, verdict in self._verdicts.items()}


@cache
def points_lost(exercise_id: str, mistake: str) -> float:
    """Return the points that a registered mistake costs, which are the same on every draw."""
    definition = DEFINITIONS[exercise_id]
    questions = definition.questions(Sampler.public(definition.id))
    right, wrong = (
        ask(questions, definition.load(one)) for one in (definition.reference, definition.implementation(mistake))
    )
    verdict = judge(AnswerKey(definition.exercise, questions, right), wrong)
    return verdict.max_score - verdict.score


@contextmanager
def _without_warnings() -> Iterator[None]:
    """Suppress warnings, because mistakes overflow and divide by zero on purpose."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def alike(a: Answers, b: Answers) -> bool:
    """Return whether two implementations gave the same answers."""
    return a.keys() == b.keys() and all(same_answer(a[name], b[name]) for name in a)


def _answered_by_another(name: str, all_answers: Mapping[str, Answers]) -> bool:
    """Return whether anything else gives the same answers as this pair, so that they don't identify it."""
    return any(alike(all_answers[name], answers) for other, answers in all_answers.items() if other != name)
