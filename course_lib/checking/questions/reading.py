"""Questions about what the outputs of a model depend on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from course_lib.checking.questions.call import OneCall
from course_lib.checking.questions.question import as_tuple, named
from course_lib.checking.scripted import WeighingModel
from course_lib.checking.values import Value, copy


@dataclass(frozen=True)
class Reading(OneCall):
    """Call a function with a model, given by its weights, and further arguments.

    The first argument, ``model``, contains the weights (T, T, V), and a `WeighingModel` is passed instead. The answer
    contains the named returns, and ``after``: the arguments afterwards.
    """

    shown_as: ClassVar[Mapping[str, str]] = {"model": "model, which adds up the ids with these weights,"}

    def live(self, implementation: Any, number: int = 0) -> Any:
        """Return the arguments as a named tuple."""
        given = copy(self.arguments_of(number))
        return as_tuple({**given, "model": WeighingModel(given["model"])})

    def __call__(self, implementation: Any) -> dict[str, Value]:
        """Call the function."""
        given = copy(dict(self.arguments))
        weights, *others = given.values()
        return {**named(implementation(WeighingModel(weights), *others), self.returns), "after": given}
