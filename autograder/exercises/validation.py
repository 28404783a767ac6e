"""Whether an exercise can be asked and judged as it is defined: a mistyped name is one sentence at build time."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterable

from autograder.exercises.definition import Definition, DefinitionError
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import RULES
from course_lib.checking.probes import PROBES
from course_lib.checking.recognisers import PREDICATES
from course_lib.suggestion import suggestion

#: what a rule is handed by the judge, besides its law's settings
_HANDED = 3


def validate(definition: Definition, questions: Iterable[Question]) -> None:
    """Check that laws, questions and mistakes name only what is there.

    Raises:
        DefinitionError: one does not; the message says which, and what may have been meant.
    """
    exercise = definition.exercise
    asked = {question.name: question for question in questions}
    for question in asked.values():
        _require(definition, f"question {question.name!r}", "probe", question.probe, PROBES)
    laws = [law.name for law in exercise.laws]
    for law in exercise.laws:
        where = f"law {law.name!r}"
        _require(definition, where, "rule", law.rule, RULES)
        for name in law.questions:
            _require(definition, where, "question", name, asked)
        if law.needs is not None:
            _require(definition, where, "law that it needs", law.needs, laws)
        _require_settings(definition, law)
    read = {name for law in exercise.laws for name in law.questions}
    if unread := [name for name in asked if name not in read]:
        raise DefinitionError(
            f"{definition.id}: no law reads the question {unread[0]!r}: wrong answers to it would pass"
        )
    for misconception in exercise.misconceptions:
        if misconception.predicate is not None:
            where = f"misconception {misconception.name!r}"
            _require(definition, where, "predicate", misconception.predicate, PREDICATES)
    for kind, names in (("laws", laws), ("misconceptions", [m.name for m in exercise.misconceptions])):
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise DefinitionError(f"{definition.id}: two {kind} are called {twice[0]!r}")


def _require(definition: Definition, where: str, what: str, name: str, there: Collection[str]) -> None:
    if name not in there:
        raise DefinitionError(
            f"{definition.id}: {where} names the {what} {name!r}, which is not there{suggestion(name, there)}"
        )


def _require_settings(definition: Definition, law: Law) -> None:
    """The law's settings must be those that its rule takes."""
    parameters = list(inspect.signature(RULES[law.rule]).parameters.values())[_HANDED:]
    taken = [parameter.name for parameter in parameters]
    for name in law.settings:
        _require(definition, f"law {law.name!r}", f"setting of {law.rule}", name, taken)
    for parameter in parameters:
        if parameter.default is parameter.empty and parameter.name not in law.settings:
            raise DefinitionError(
                f"{definition.id}: law {law.name!r} lacks the setting {parameter.name!r} of {law.rule}"
            )
