"""Questions that construct a PyTorch module and call it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor, nn

from course_lib.checking.by_name import call_by_name
from course_lib.checking.questions.built import Built
from course_lib.checking.questions.gradients import gradients, record
from course_lib.checking.questions.question import named
from course_lib.checking.values import Value, copy
from course_lib.parameters import load_parameters


@dataclass(frozen=True)
class Module(Built):
    """Construct a module, load weights by name, and call it several times.

    The answer contains ``shapes`` of the parameters by name, ``calls`` (the named returns of each call), ``after`` (the
    arguments of the last call afterwards) and, with ``upstream``, ``gradients``.

    Attributes:
        calls: arguments of each call, by name.
        upstream: as in `Call`; the gradients are those of the last call, for every floating-point argument and every
            parameter.
        order: for the rule `moves_along`, the order in which the second call's inputs contain the first's.
        training: whether it is called in training mode.
        evaluated: the names of sub-modules that stay in evaluation mode all the same.
        method: the method to call, if it is not the module itself.
        learned: the inputs and parameters whose gradients are returned. The default is all, which may be many.
        with_shapes: whether to return the shapes even if the weights fit. If they don't, only the shapes are returned.
    """

    calls: Sequence[Mapping[str, Value]]
    upstream: Mapping[str, Tensor] | None = field(default=None, kw_only=True)
    order: Tensor | None = field(default=None, kw_only=True)
    training: bool = field(default=False, kw_only=True)
    evaluated: Sequence[str] = field(default=(), kw_only=True)
    method: str = field(default="__call__", kw_only=True)
    learned: Sequence[str] | None = field(default=None, kw_only=True)
    with_shapes: bool = field(default=True, kw_only=True)

    @property
    def inputs(self) -> Sequence[Mapping[str, Value]]:
        """The arguments of each call."""
        return self.calls

    @property
    def in_training(self) -> bool:
        """Whether it is called in training mode."""
        return self.training

    @property
    def use(self) -> tuple[str, str]:
        """See `Question.use`."""
        return "module, inputs", f"module{'' if self.method == '__call__' else f'.{self.method}'}(**inputs)"

    def live(self, implementation: Any, number: int = 0) -> Any:
        """Return the module after the earlier calls, and the arguments of one call."""
        built, call = super().live(implementation, number)
        self._in_mode(built)
        for earlier in self.calls[:number]:
            self._call(built, copy(dict(earlier)))
        return built, call

    def _call(self, built: nn.Module, given: Mapping[str, Value]) -> Value:
        like = built.forward if self.method == "__call__" else None
        return call_by_name(getattr(built, self.method), given, like)

    def __call__(self, implementation: Any) -> dict[str, Value]:
        """Construct the module, load the weights if they fit, and call it."""
        built = self.construct(implementation)
        parameters = dict(built.named_parameters())
        dtype = next(iter(self.weights.values())).dtype
        if any(one.dtype is not dtype for one in (*parameters.values(), *built.buffers())):  # it is slow
            built.to(dtype=dtype)
        shapes: Value = {name: list(parameter.shape) for name, parameter in parameters.items()}
        if shapes != {name: list(weight.shape) for name, weight in self.weights.items()}:
            return {"shapes": shapes}
        load_parameters(built, self.weights)
        self._in_mode(built)
        outcomes: list[dict[str, Value]] = []
        inputs: dict[str, Tensor] = dict(parameters)
        given: dict[str, Value] = {}
        for arguments in self.calls:
            given = copy(dict(arguments))
            if self.upstream is not None:
                inputs |= record(given)
            outcomes.append(named(self._call(built, given), self.returns))
        values: dict[str, Value] = {"calls": outcomes}
        if self.upstream is not None:
            found = gradients(outcomes[-1], self.upstream, inputs)
            values["gradients"] = {name: found.get(name) for name in self.learned or found}
        values["after"] = given
        # last, so that code that compares two answers need not go through what most have in common
        return {**values, "shapes": shapes} if self.with_shapes else values

    def _in_mode(self, built: nn.Module) -> nn.Module:
        built.train(self.training)
        for name in self.evaluated:
            built.get_submodule(name).eval()
        return built


@dataclass(frozen=True)
class AroundSublayer(Module):
    """Construct a module that takes a sub-layer with each call.

    Attributes:
        calls: ``x`` and ``matrix``. The sub-layer multiplies its input by that matrix, ``y @ matrix``, and adds
            ``shift`` if there is one.
    """

    def construct(self, implementation: Any) -> nn.Module:
        """Construct the module, and let it take a matrix instead of a sub-layer."""
        built = super().construct(implementation)
        forward = built.forward
        built.forward = lambda x, matrix, shift=0.0: forward(x, lambda y: y @ matrix + shift)
        return built

    def live(self, implementation: Any, number: int = 0) -> Any:
        """Return the module, and the arguments of one call, among them the sub-layer."""
        call = copy(self.arguments_of(number))
        matrix, shift = call.pop("matrix"), call.pop("shift", 0.0)
        call["sublayer"] = lambda y: y @ matrix + shift
        return self._in_mode(self.loaded(super().construct(implementation))), call
