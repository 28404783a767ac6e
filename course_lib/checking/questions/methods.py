"""Questions about a class that isn't a module."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from course_lib.checking.questions.question import Question
from course_lib.checking.values import Value, copy


@dataclass(frozen=True)
class MethodCall:
    """A call of an object's method, which calling it makes.

    Attributes:
        method: the method's name; ``"len"`` asks for the length of the object.
    """

    built: Any
    method: str
    argument: Value

    def __call__(self) -> Any:
        """Make the call."""
        return len(self.built) if self.method == "len" else getattr(self.built, self.method)(self.argument)

    def __repr__(self) -> str:
        return f"{self.method}({'' if self.method == 'len' else repr(self.argument)})"


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
        """Return the object, and its calls, which nobody has made yet."""
        built = implementation(*copy(dict(self.arguments)).values())
        return built, [MethodCall(built, *call) for calls in self.calls for call in copy(dict(calls)).items()]

    @property
    def use(self) -> tuple[str, str]:
        """See `Question.use`."""
        return "built, calls", "calls[-1]()"

    def __call__(self, implementation: Any) -> dict[str, Value]:
        """Construct the object, and call its methods."""
        given = copy(dict(self.arguments))
        built = implementation(*(iter(value) if name in self.once else value for name, value in given.items()))
        outcomes: list[dict[str, Value]] = []
        for asked in self.calls:
            for method, argument in copy(dict(asked)).items():
                outcomes.append({method: MethodCall(built, method, argument)()})
        return {"calls": outcomes, "after": given}
