"""A slip in an exercise's file is one sentence that says where it is, as soon as the exercise is loaded or asked."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from autograder.exercises import DEFINITIONS
from autograder.exercises.definition import Definition, DefinitionError, Mistake, define, mistake
from autograder.exercises.draw import Draw
from autograder.exercises.validation import validate
from course_lib.checking.exercise import Law

SOFTMAX = DEFINITIONS["softmax"]


def with_laws(laws: Sequence[Law]) -> Definition:
    return replace(SOFTMAX, exercise=replace(SOFTMAX.exercise, laws=tuple(laws)))


def refused(definition: Definition) -> str:
    with pytest.raises(DefinitionError) as error:
        validate(definition, SOFTMAX.questions(Draw.public(SOFTMAX.id)))
    return str(error.value)


def test_a_law_reads_questions_and_needs_laws_that_are_there() -> None:
    first, *others = SOFTMAX.exercise.laws
    assert refused(with_laws([replace(first, question="plian"), *others])).startswith(
        f"softmax: law {first.name!r} names the question 'plian', which is not there"
    )
    assert "names the law that it needs 'sums'" in refused(with_laws([replace(first, needs="sums"), *others]))


def test_every_question_is_read() -> None:
    (only, *_) = SOFTMAX.exercise.laws
    assert "wrong answers to it would pass" in refused(with_laws([replace(only, also=())]))


def defined(laws: Sequence[Law] = SOFTMAX.exercise.laws, mistakes: Sequence[Mistake] = SOFTMAX.mistakes) -> Definition:
    exercise = SOFTMAX.exercise
    return define(
        id=exercise.id,
        lesson=exercise.lesson,
        place=exercise.place,
        module=SOFTMAX.module,
        symbol=exercise.symbol,
        minutes=exercise.minutes,
        laws=tuple(laws),
        hints=exercise.hints,
        ask=SOFTMAX.ask,
        mistakes=tuple(mistakes),
        alternatives=SOFTMAX.alternatives,
        lazy=SOFTMAX.lazy,
    )


def test_laws_and_mistakes_have_names_of_their_own() -> None:
    (law, *_), (wrong, *_) = SOFTMAX.exercise.laws, SOFTMAX.mistakes
    assert defined().exercise.points == SOFTMAX.exercise.points
    with pytest.raises(DefinitionError, match=f"softmax: two laws are called '{law.name}'"):
        defined(laws=[*SOFTMAX.exercise.laws, law])
    with pytest.raises(DefinitionError, match=f"softmax: two misconceptions are called '{wrong.name}'"):
        defined(mistakes=[*SOFTMAX.mistakes, wrong])


def test_a_mistake_has_three_hints() -> None:
    two: Any = ("a nudge", "where to look")
    for hints in (two, (*two, "")):
        with pytest.raises(DefinitionError, match="softmax: misconception 'sums' needs three hints"):
            defined(mistakes=[mistake("sums", "You add them up.", hints, ("exp", "sum"))])
