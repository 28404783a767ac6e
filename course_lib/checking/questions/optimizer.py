"""The question about an optimizer: how it moves parameters, one step after another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor, nn

from course_lib.checking.by_name import call_by_name
from course_lib.checking.questions.question import Question, as_tuple
from course_lib.checking.values import Value, copy


@dataclass(frozen=True)
class OptimizerSteps(Question):
    """Let an optimizer move parameters, with these gradients at each step.

    The answer contains ``calls``: the parameters after each step, by name; ``gradients``: the ``grad`` of each
    parameter after the last.

    Attributes:
        arguments: the optimizer's settings, by name.
        weights: the parameters before the first step, by name.
        calls: the gradient of each parameter at each step, by name. A parameter that is left out has none.
        rates: the learning rate of each step, if it changes.
        groups: the number of parameter groups.
        returns: the names of the parameters, whose values a card shows.
    """

    with_optimizer = True

    arguments: Mapping[str, Value]
    weights: Mapping[str, Tensor]
    calls: Sequence[Mapping[str, Tensor]]
    rates: Sequence[float] = field(default=(), kw_only=True)
    groups: int = field(default=1, kw_only=True)

    @property
    def inputs(self) -> Sequence[Mapping[str, Value]]:
        """For each step, what its result depends on: the settings, and the gradients and rates up to this step."""
        return [{**self.arguments, **self._up_to(number)} for number in range(len(self.calls))]

    def _up_to(self, last: int) -> dict[str, Value]:
        """Return the gradients and learning rates of all steps up to ``last``, as a card calls them."""
        found: dict[str, Value] = {}
        for number in range(last + 1):
            step = f" at step {number + 1}" if last else ""
            if self.rates:
                found[f"lr{step}"] = self.rates[number]
            found |= {f"{name}.grad{step}": gradient for name, gradient in self.calls[number].items()}
        return found

    @property
    def parameters(self) -> Mapping[str, Tensor]:
        """The parameters before the first step."""
        return self.weights

    def live(self, implementation: Any, number: int = 0) -> Any:
        """Return the optimizer, the parameters, and the gradients of one step."""
        parameters, optimizer = self._begin(implementation)
        return as_tuple({"optimizer": optimizer, "parameters": parameters, "gradients": copy(dict(self.calls[number]))})

    def _begin(self, implementation: Any) -> tuple[dict[str, nn.Parameter], Any]:
        """Return the parameters by name, and their optimizer."""
        parameters = {name: nn.Parameter(weight.clone()) for name, weight in self.weights.items()}
        every = list(parameters.values())
        groups = [{"params": every[first :: self.groups]} for first in range(self.groups)]
        given = groups if self.groups > 1 else iter(every)
        return parameters, call_by_name(implementation, {"parameters": given, **copy(dict(self.arguments))})

    def __call__(self, implementation: Any) -> dict[str, Value]:
        """Set the gradients and take a step, for each call."""
        parameters, optimizer = self._begin(implementation)
        steps: list[dict[str, Value]] = []
        for number, gradients in enumerate(self.calls):
            for name, parameter in parameters.items():
                parameter.grad = gradients[name].clone() if name in gradients else None
            if self.rates:
                for group in optimizer.param_groups:
                    group["lr"] = self.rates[number]
            optimizer.step()
            steps.append({name: parameter.detach().clone() for name, parameter in parameters.items()})
        return {"calls": steps, "gradients": {name: parameter.grad for name, parameter in parameters.items()}}
