"""Check that an exercise's definition is valid, so that a mistyped name is reported in one sentence at build time."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from autograder.exercises.definition import Definition, DefinitionError
from course_lib.checking.questions import OnPaper, Question
from course_lib.suggestion import suggestion


def validate(definition: Definition, questions: Iterable[Question]) -> None:
    """Require that checks name only existing questions and checks, and that some check reads every question.

    Raises:
        DefinitionError: a check failed. The message says where, and suggests what may have been meant.
    """
    exercise, questions = definition.exercise, tuple(questions)
    on_paper = [isinstance(question, OnPaper) for question in questions]
    if exercise.on_paper != any(on_paper) or (exercise.on_paper and len(on_paper) > 1):
        raise DefinitionError(
            f"{definition.id}: an exercise on paper has one question, of the kind OnPaper, and its component is a "
            "function without parameters; no other exercise has either"
        )
    asked = [question.name for question in questions]
    checks = [check.name for check in exercise.checks]
    for check in exercise.checks:
        where = f"check {check.name!r}"
        for name in check.questions:
            _require(definition, where, "question", name, asked)
        if check.needs is not None:
            _require(definition, where, "check that it needs", check.needs, checks)
    read = {name for check in exercise.checks for name in check.questions}
    if unread := [name for name in asked if name not in read]:
        raise DefinitionError(
            f"{definition.id}: no check reads the question {unread[0]!r}: wrong answers to it would pass"
        )


def _require(definition: Definition, where: str, what: str, name: str, there: Collection[str]) -> None:
    if name not in there:
        raise DefinitionError(
            f"{definition.id}: {where} names the {what} {name!r}, which is not there{suggestion(name, there)}"
        )
