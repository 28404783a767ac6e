"""Questions that call a function."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from course_lib.checking.questions.gradients import gradients, record
from course_lib.checking.questions.question import Question, as_tuple, named
from course_lib.checking.values import Value, copy, plain


@dataclass(frozen=True)
class OneCall(Question):
    """A question with the arguments of one call.

    Attributes:
        arguments: passed in order, by position, so that parameters may have any name.
    """

    arguments: Mapping[str, Value]

    @property
    def inputs(self) -> Sequence[Mapping[str, Value]]:
        """The arguments."""
        return (self.arguments,)

    def live(self, implementation: Any, number: int = 0) -> Any:
        """Return the arguments as a named tuple."""
        return as_tuple(copy(self.arguments_of(number)))


@dataclass(frozen=True)
class Call(OneCall):
    """Call a function once.

    The answer contains the named returns, ``after`` (the arguments afterwards) and, with ``upstream``, ``gradients``.

    Attributes:
        upstream: for gradients, what each named return (``"last/0"`` for the first of a tuple) is multiplied with
            before everything is summed. Gradients are then taken for every floating-point argument.
    """

    upstream: Mapping[str, Tensor] | None = field(default=None, kw_only=True)

    def __call__(self, implementation: Any) -> dict[str, Value]:
        """Call the function."""
        given = copy(dict(self.arguments))
        inputs = {} if self.upstream is None else record(given)
        values = named(implementation(*given.values()), self.returns)
        if self.upstream is not None:
            values["gradients"] = gradients(values, self.upstream, inputs)
        return {**values, "after": given}


@dataclass(frozen=True)
class Refusal(OneCall):
    """Call a function with arguments that it should refuse.

    The answer contains ``raised``: the type of the error that it raises, or None.
    """

    def __call__(self, implementation: Any) -> dict[str, Value]:
        """Call the function."""
        try:
            implementation(*copy(dict(self.arguments)).values())
        except NotImplementedError:  # nothing is written yet, so nothing was refused
            raise
        except Exception as error:
            return {"raised": type(error).__name__}
        return {"raised": None}


@dataclass(frozen=True)
class Calls(Question):
    """Call a function several times, to compare its results for inputs that differ in one way.

    The answer contains ``calls``: a list of the named returns, with one entry per call.

    Attributes:
        calls: the arguments of each call, passed in order, by position.
    """

    calls: Sequence[Mapping[str, Value]]

    @property
    def inputs(self) -> Sequence[Mapping[str, Value]]:
        """The arguments of each call."""
        return self.calls

    def live(self, implementation: Any, number: int = 0) -> Any:
        """Return the arguments of one call as a named tuple."""
        return as_tuple(copy(self.arguments_of(number)))

    def __call__(self, implementation: Any) -> dict[str, Value]:
        """Call the function with each of the arguments."""
        outcomes = (implementation(*copy(dict(arguments)).values()) for arguments in self.calls)
        return {"calls": [named(outcome, self.returns) for outcome in outcomes]}


@dataclass(frozen=True)
class DistinctRows(OneCall):
    """Call a function that draws random numbers, and record which rows it returns, not how often or where.

    With enough rows, every possible one occurs, so the answer doesn't depend on chance. The answer contains, for each
    named return, its different rows in ascending order.
    """

    def __call__(self, implementation: Any) -> dict[str, Value]:
        """Call the function, and sort its rows."""
        values = named(implementation(*copy(dict(self.arguments)).values()), self.returns)
        return {name: _distinct_rows(value) for name, value in values.items()}


def _distinct_rows(value: Value) -> Value:
    value = plain(value)  # too many numbers are not sorted
    if not isinstance(value, Tensor) or value.dim() == 0:
        return value
    # rounding merges rows that were computed in another order
    return torch.unique(value.detach().double().round(decimals=9), dim=0)


def calling(*names: str, returns: Sequence[str]) -> Callable[..., Call]:
    """Return a function that makes a `Call` from a question's name and arguments by position.

    Its keyword ``upstream`` may be a tensor, for the first of the returns. Other keywords are arguments by name.

    Args:
        names: of the arguments, in the order of the parameters.
        returns: as in `Question`.
    """

    def question(
        name: str, *values: Value, upstream: Tensor | Mapping[str, Tensor] | None = None, **more: Value
    ) -> Call:
        arguments = {**dict(zip(names, values, strict=False)), **more}
        weights = {returns[0]: upstream} if isinstance(upstream, Tensor) else upstream
        return Call(name, arguments, returns=returns, upstream=weights)

    return question
