"""Questions about a class that isn't a module."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from course_lib.checking.questions.question import Question
from course_lib.checking.values import Value, copy


@dataclass(frozen=True)
class Methods(Question):
    """Construct an object, and call its methods in order.

    The answer contains ``calls``: ``{method: result}`` for each call; ``after``: the constructor's arguments at the
    end.

    Attributes:
        arguments: the constructor's arguments, passed in order, by position.
        calls: each ``{method: argument}``; ``{"len": None}`` asks for the length of the object.
        once: those arguments that are passed as iterators, which can be read only once.
        returns: the method of the last call, whose result a card shows.
    """

    arguments: Mapping[str, Value]
    calls: Sequence[Mapping[str, Value]]
    once: Sequence[str] = field(default=(), kw_only=True)

    @property
    def inputs(self) -> Sequence[Mapping[str, Value]]:
        """The constructor's arguments, once for each call."""
        return [self.arguments] * len(self.calls)

    def live(self, implementation: Any, number: int = 0) -> Any:
        """Return the object, and the calls."""
        return implementation(*copy(dict(self.arguments)).values()), copy(list(self.calls))

    def __call__(self, implementation: Any) -> dict[str, Value]:
        """Construct the object, and call its methods."""
        given = copy(dict(self.arguments))
        built = implementation(*(iter(value) if name in self.once else value for name, value in given.items()))
        outcomes: list[dict[str, Value]] = []
        for asked in self.calls:
            for method, argument in copy(dict(asked)).items():
                outcomes.append({method: len(built) if method == "len" else getattr(built, method)(argument)})
        return {"calls": outcomes, "after": given}
