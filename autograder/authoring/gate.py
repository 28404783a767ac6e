"""The gate: the requirements that every exercise must meet before students see it.

Right implementations earn all points. Each known mistake loses points and is named, and no two mistakes are confused.
The tests check this for every exercise. `course exercise try` checks one exercise while its author writes it.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from torch import Tensor

from autograder.building.lesson import read_lesson
from autograder.building.notebook import solution_notebook
from autograder.exercises.answer_keys import Answered, alike, fair_sampler, key_of_answers
from autograder.exercises.definition import Definition, DefinitionError, Implementation
from autograder.exercises.sampler import Sampler
from course_lib.checking.answer_key import AnswerKey
from course_lib.checking.answers import Answers
from course_lib.checking.ask import ask
from course_lib.checking.exercise import TOGETHER, Exercise
from course_lib.checking.judge import Verdict, judge
from course_lib.checking.naming import has_wrong_value
from course_lib.checking.questions import OnPaper
from course_lib.checking.rules import equals_reference
from course_lib.course import Course, CourseError

#: the least number of each that must be registered; an exercise on paper takes a few steps, so fewer can go wrong
MISCONCEPTIONS, ALTERNATIVES = 6, 4
MISCONCEPTIONS_ON_PAPER = 4
#: one in this many draws must be fair. If fewer are, it is a matter of luck whether questions show a mistake
ATTEMPTS = 10
#: the number of courses whose draws are tried, for an exercise whose answers are quick
COURSES = 5


@dataclass(frozen=True)
class Tried:
    """An exercise on one draw: its key, and the answers of every registered implementation."""

    key: AnswerKey
    answered: Answered

    @property
    def definition(self) -> Definition:
        """Return the exercise's definition."""
        return self.answered.definition

    def verdict(self, name: str) -> Verdict:
        """Return the verdict on a registered implementation, or on two mistakes at once."""
        all_answers = self.answered.pairs if TOGETHER in name else self.answered.all_answers
        return judge(self.key, all_answers[name])

    def fault(self, implementation: Implementation) -> str:
        """Explain how the verdict on an implementation contradicts its role. Return an empty string if it does not."""
        found = self.verdict(implementation.name)
        match implementation.role:
            case "misconception":
                return self._fault_of_wrong(found, implementation.name, self.answered.all_answers[implementation.name])
            case "lazy":
                most = 0 if implementation.name == "stub" else found.max_score / 5
                earned = [check_result.check.name for check_result in found.check_results if check_result.earned]
                return f"it earns {found.score:g} points for {', '.join(earned)}" if found.score > most else ""
            case _:
                broken = [
                    f"{r.check.name} ({r.seen})" if r.seen else r.check.name for r in found.check_results if not r.holds
                ]
                if found.score < found.max_score:
                    return f"it is right and breaks {', '.join(broken)}"
                return f"it is right and called {found.misconception}" if found.misconception else ""

    def fault_of_variant(self, name: str, variant: Implementation) -> str:
        """Do the same for a variant of a mistake in another style, which must get the mistake's name."""
        answers = ask(self.key.questions, self.definition.load(variant))
        return self._fault_of_wrong(judge(self.key, answers), name, answers)

    def _fault_of_wrong(self, found: Verdict, name: str, answers: Answers) -> str:
        if found.score >= found.max_score:
            return "it earns full points"
        if found.misconception == name:
            return ""
        breaks = f"it breaks {', '.join(found.broken_checks)}"
        if found.misconception:
            return f"it is called {found.misconception}; {breaks}"
        why = (
            "" if has_wrong_value(self.key, answers) else ": all it gets wrong raises an error, and no error has a name"
        )
        return f"it is not recognised{why}; {breaks}"

    def not_told_apart(self) -> list[tuple[str, str]]:
        """Return the mistakes whose answers equal each other's or the reference's."""
        all_answers = {"reference": self.key.reference, **self.key.mistakes}
        return [(a, b) for a, b in itertools.combinations(all_answers, 2) if alike(all_answers[a], all_answers[b])]

    def misnamed_when_rounded(self) -> Iterator[str]:
        """Yield each mistake of an exercise on paper that loses its name when a person rounds its value."""
        for question in self.key.questions:
            if not isinstance(question, OnPaper):
                continue
            for mistake, answers in self.key.mistakes.items():
                typed = answers[question.name].values["answer"]
                if question.decimals is not None and isinstance(typed, Tensor):
                    typed = typed.round(decimals=question.decimals)
                found = judge(self.key, ask([question], typed)).misconception
                if found != mistake:
                    yield f"{mistake} is called {found} when it is rounded" if found else f"{mistake} has no name then"

    def wrongly_named_pairs(self) -> Iterator[str]:
        """Yield each pair of mistakes that gets the name of a third."""
        for name in self.definition.pairs:
            found = self.verdict(name).misconception
            if found is not None and found != name and found not in name.split(TOGETHER):
                yield f"{name} is called {found}"

    def pairs_with_a_hidden_mistake(self) -> Iterator[str]:
        """Yield each pair of mistakes that is named although one of them changes no answer."""
        for both, answers in self.answered.named_pairs.items():
            hidden = [one for one in both.split(TOGETHER) if alike(answers, self.answered.all_answers[one])]
            if hidden:
                yield f"{both} answers like {hidden[0]} alone"


def share_of_equality(exercise: Exercise) -> float:
    """Return the share of the points for equality with the reference, which must be at least half."""
    return sum(check.points for check in exercise.checks if check.rule is equals_reference) / exercise.points


def free_checks(exercise: Exercise) -> list[str]:
    """Return the checks other than equality that earn points alone, although a constant satisfies any invariance."""
    return [
        check.name
        for check in exercise.checks
        if check.points and check.rule is not equals_reference and not check.needs
    ]


def same_in_both(public: AnswerKey, hidden: AnswerKey) -> Iterator[str]:
    """Yield how the hidden questions differ from the public ones in more than their numbers."""
    if [(q.name, type(q)) for q in public.questions] != [(q.name, type(q)) for q in hidden.questions]:
        yield "hidden questions have other names or kinds than public ones"
        return
    for ours, theirs in zip(public.questions, hidden.questions, strict=True):
        if repr(ours.contents()) == repr(theirs.contents()) and not public.exercise.on_paper:
            yield f"question {ours.name} gives the same in public and hidden: draw its numbers"


def drawn_by_courses(definition: Definition, courses: int = COURSES) -> None:
    """Try the draws of several courses.

    Raises:
        DefinitionError: an implementation's points would depend on the draw.
    """
    for number in range(courses):
        secret = f"the secret of course {number}".encode()
        fair_sampler(definition, Sampler.hidden(secret, "release", definition.id), ATTEMPTS)


def least_misconceptions(exercise: Exercise) -> int:
    """Return how many misconceptions must be registered."""
    return MISCONCEPTIONS_ON_PAPER if exercise.on_paper else MISCONCEPTIONS


def too_few(definition: Definition) -> Iterator[str]:
    """Yield what must still be registered."""
    roles: list[str] = [implementation.role for implementation in definition.implementations]
    for role, wanted in (("misconception", least_misconceptions(definition.exercise)), ("alternative", ALTERNATIVES)):
        if (there := roles.count(role)) < wanted:
            yield f"{there or 'no'} {role}{'' if there == 1 else 's'} registered, {wanted} required"


def outside_the_library(definition: Definition) -> Iterator[str]:
    """Yield kinds of questions, rules and matchers that no student's library would have."""
    exercise, questions = definition.exercise, definition.questions(Sampler.public(definition.id))
    used: Iterable[tuple[str, Callable[..., Any] | None]] = (
        *((f"question {question.name}", type(question)) for question in questions),
        *((f"check {check.name}", check.rule) for check in exercise.checks),
        *((f"misconception {known.name}", known.matcher) for known in exercise.misconceptions),
    )
    for where, function in used:
        if function is not None and not function.__module__.startswith("course_lib."):
            yield f"{where} uses {function.__name__} of {function.__module__}; use one of course_lib.checking"


@dataclass(frozen=True)
class Demand:
    """A requirement for an exercise, and what is still missing to meet it."""

    sentence: str
    missing: tuple[str, ...]


def demands(definition: Definition, course: Course) -> Iterator[Demand]:
    """Yield the requirements for an exercise, each as soon as it has been checked.

    Leave out those that cannot be checked until something else is fixed.
    """
    exercise = definition.exercise
    yield Demand("its lesson has a cell for it, in which every name is known", tuple(_in_lesson(definition, course)))
    least = least_misconceptions(exercise)
    yield Demand(
        f"at least {least} misconceptions and {ALTERNATIVES} right alternatives are registered",
        tuple(too_few(definition)),
    )
    equal = share_of_equality(exercise)
    yield Demand(
        "half of the points come from equality with the reference",
        () if equal >= 1 / 2 else (f"{equal:.0%} do: give more points to checks with the rule equals_reference",),
    )
    free = [f"check {name} earns points by itself: say which equality it needs" for name in free_checks(exercise)]
    yield Demand("other checks count only where an equality holds", tuple(free))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # mistakes overflow and divide by zero on purpose
        yield from _of_answers(definition)


def _of_answers(definition: Definition) -> Iterator[Demand]:
    asked = "its questions can be asked, and are read by checks that every student's library has"
    try:
        outside = tuple(outside_the_library(definition))
        public = _tried(definition, Sampler.public(definition.id))
    except DefinitionError as error:
        yield Demand(asked, (str(error).removeprefix(f"{definition.id}: "),))
        return
    yield Demand(asked, outside)
    fair = f"points are the same whatever a course draws; {COURSES} were tried"
    draws, unfair = {"public": public}, ""
    try:
        drawn_by_courses(definition)
        draws["hidden"] = _tried(definition, Sampler.hidden(b"a course's secret", "release", definition.id))
    except DefinitionError as error:
        unfair = str(error).removeprefix(f"{definition.id}: ")
    yield Demand(fair, (unfair,) if unfair else ())
    if "hidden" in draws and not definition.exercise.on_paper:
        differ = tuple(same_in_both(public.key, draws["hidden"].key))
        yield Demand("hidden questions are the public ones with other numbers", differ)
    for sentence, roles in _BY_ROLE.items():
        registered = [each for each in definition.implementations if each.role in roles]
        yield Demand(sentence, _on(draws, partial(_faults, registered)))
    yield Demand(
        "no misconception is mistaken for another",
        _on(draws, lambda tried: [f"{b} gives the same answers as {a}" for a, b in tried.not_told_apart()]),
    )
    if definition.exercise.on_paper:
        yield Demand("rounding leaves every misconception its name", _on(draws, Tried.misnamed_when_rounded))
    yield Demand("two at once never get the name of a third", _on(draws, Tried.wrongly_named_pairs))
    yield Demand("of two that have a name together, both show", _on(draws, Tried.pairs_with_a_hidden_mistake))
    yield Demand("wrong variants get the name that they should", _on(draws, _faults_of_variants))


_BY_ROLE = {
    "right implementations earn every point": ("reference", "alternative"),
    "each misconception loses points and is named": ("misconception",),
    "lazy implementations earn at most a fifth, and stub nothing": ("lazy",),
}


def _tried(definition: Definition, sampler: Sampler) -> Tried:
    answered = fair_sampler(definition, sampler)[1]
    return Tried(key_of_answers(answered), answered)


def _on(draws: dict[str, Tried], find: Callable[[Tried], Iterable[str]]) -> tuple[str, ...]:
    """Return what is found on any of the draws, each once."""
    return tuple(dict.fromkeys(found for tried in draws.values() for found in find(tried)))


def _faults(implementations: Iterable[Implementation], tried: Tried) -> Iterator[str]:
    yield from (f"{each.name}: {fault}" for each in implementations if (fault := tried.fault(each)))


def _faults_of_variants(tried: Tried) -> Iterator[str]:
    for name, variant in tried.definition.wrong_variants():
        if fault := tried.fault_of_variant(name, variant):
            yield f"{variant.name}, of {name}: {fault}"


def _in_lesson(definition: Definition, course: Course) -> Iterator[str]:
    lesson = definition.exercise.lesson
    if lesson not in course.lessons:
        yield f"there is no lesson {lesson}"
        return
    path = course.lesson_text(lesson)
    try:
        cells = read_lesson(path)
        if definition.id not in [cell.source for cell in cells if cell.kind == "exercise"]:
            yield f"{path} has no exercise cell with {definition.id} in it"
        solution_notebook(course, lesson, cells)
    except CourseError as error:
        yield str(error)
