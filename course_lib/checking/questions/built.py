"""What questions about modules share, and the smaller ones of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

from torch import Tensor, nn

from course_lib.checking.by_name import call_by_name
from course_lib.checking.questions.question import Question
from course_lib.checking.values import Value, copy
from course_lib.parameters import load_parameters


@dataclass(frozen=True)
class Built(Question):
    """A question that constructs a module.

    Attributes:
        build: arguments of the constructor, by name.
        weights: the module's parameters, by name.
    """

    build: Mapping[str, Value]
    weights: Mapping[str, Tensor]

    @property
    def built_with(self) -> Mapping[str, Value]:
        """The arguments of the constructor."""
        return self.build

    @property
    def parameters(self) -> Mapping[str, Tensor]:
        """The weights."""
        return self.weights

    def construct(self, implementation: Any) -> nn.Module:
        """Construct the module."""
        built: nn.Module = call_by_name(implementation, copy(dict(self.build)))
        return built

    def loaded(self, built: nn.Module) -> nn.Module:
        """Load the weights into a module, in their dtype. Return the module."""
        if self.weights:
            built.to(dtype=next(iter(self.weights.values())).dtype)
            load_parameters(built, self.weights)
        return built

    def live(self, implementation: Any, number: int = 0) -> Any:
        """Return the module, and the arguments of one call."""
        return self.loaded(self.construct(implementation)).eval(), copy(self.arguments_of(number))


@dataclass(frozen=True)
class Construction(Built):
    """Construct a module, and read its attributes before weights are loaded or anything is called.

    The answer contains ``settings``: the values of those attributes that exist.

    Attributes:
        settings: the attributes to record, such as ``"feed_forward.dropout.p"``.
    """

    weights: Mapping[str, Tensor] = field(default_factory=dict, kw_only=True)
    settings: Sequence[str] = field(kw_only=True)

    def __call__(self, implementation: Any) -> dict[str, Value]:
        """Construct the module, and read its attributes."""
        built = self.construct(implementation)
        found: dict[str, Value] = {}
        for name in self.settings:
            with suppress(AttributeError):
                found[name] = attrgetter(name)(built)
        return {"settings": found}


@dataclass(frozen=True)
class ModuleRefusal(Built):
    """Construct a module, load weights by name, and call it with arguments that it should refuse.

    The answer contains ``raised``: the type of the error that the call raises, or None; ``returned``: what came back
    instead. It is empty if the weights don't fit.

    Attributes:
        arguments: the call's arguments, by name.
    """

    arguments: Mapping[str, Value]

    @property
    def inputs(self) -> Sequence[Mapping[str, Value]]:
        """The call's arguments."""
        return (self.arguments,)

    def __call__(self, implementation: Any) -> dict[str, Value]:
        """Construct the module, and call it."""
        built = self.construct(implementation)
        if {k: v.shape for k, v in built.named_parameters()} != {k: v.shape for k, v in self.weights.items()}:
            return {}
        load_parameters(built, self.weights)
        built.eval()
        try:
            returned = call_by_name(built, copy(dict(self.arguments)), built.forward)
        except NotImplementedError:  # nothing is written yet, so nothing was refused
            raise
        except Exception as error:
            return {"raised": type(error).__name__, "returned": None}
        return {"raised": None, "returned": returned}
