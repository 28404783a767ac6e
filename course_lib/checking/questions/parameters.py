"""Questions about functions that read or change the parameters of modules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

import torch
from torch import Tensor, nn

from course_lib.checking.questions.built import Built
from course_lib.checking.questions.call import OneCall
from course_lib.checking.questions.question import as_tuple, named
from course_lib.checking.values import Value, copy


class FourProjections(nn.Module):
    """The layers of a `MultiHeadAttention`. Its `forward` is the student's, and copying weights doesn't need it."""

    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)


#: the modules to copy, by the name that a question gives them
COPIED: dict[str, type[nn.Module]] = {"ours": FourProjections, "torchs": nn.MultiheadAttention}


@dataclass(frozen=True)
class ModuleCopy(Built):
    """Let a function copy a module, then set the original's weights to 0.

    The answer contains ``state`` (the copy's weights by name), ``settings``, ``own`` (its weights after the original's
    were set to 0), ``after`` (the original's weights after it was copied) and ``kept`` (the original's mode, frozen
    parameters and dtypes).

    Attributes:
        original: the name of the module's class in `COPIED`.
        settings: the attributes of the copy to record, such as ``"dropout.p"``.
    """

    original: str = field(kw_only=True)
    settings: Sequence[str] = field(kw_only=True)

    def live(self, implementation: Any, number: int = 0) -> Any:
        """Return the original."""
        return as_tuple({"module": self._original()})

    def _original(self) -> nn.Module:
        return self.loaded(self.construct(COPIED[self.original]))

    def __call__(self, implementation: Any) -> dict[str, Value]:
        """Let the function copy the original."""
        given = self._original()
        copied = implementation(given)
        values: dict[str, Value] = {
            "state": copy(_weights(copied)),
            "settings": {name: attrgetter(name)(copied) for name in self.settings},
            "after": copy(_weights(given)),
            "kept": {
                "training": given.training,
                "frozen": [name for name, parameter in given.named_parameters() if not parameter.requires_grad],
                "dtypes": sorted({str(parameter.dtype) for parameter in given.parameters()}),
            },
        }
        for parameter in given.parameters():
            parameter.data.zero_()
        return {**values, "own": _weights(copied)}


def _weights(module: nn.Module) -> dict[str, Value]:
    """Return a module's parameters by name, tied ones under each of their names. Leave out buffers."""
    return {name: parameter.detach() for name, parameter in module.named_parameters(remove_duplicate=False)}


@dataclass(frozen=True)
class GradientChange(OneCall):
    """Call a function that changes the gradients of parameters in place.

    The parameters come as a generator, like those of `nn.Module.parameters`. The answer contains the named return, a
    float or a tensor, as a scalar tensor, and the ``gradients`` and ``weights`` afterwards.

    Attributes:
        arguments: passed after the parameters, in order, by position.
        weights: the parameters, by name.
        gradients: the ``grad`` of each parameter.
    """

    weights: Mapping[str, Tensor] = field(kw_only=True)
    gradients: Mapping[str, Tensor | None] = field(kw_only=True)

    @property
    def parameters(self) -> Mapping[str, Tensor]:
        """The parameters."""
        return self.weights

    def live(self, implementation: Any, number: int = 0) -> Any:
        """Return the parameters as a list, and the other arguments."""
        return as_tuple({"parameters": [*self._parameters().values()], **copy(self.arguments_of(number))})

    def _parameters(self) -> dict[str, nn.Parameter]:
        parameters = {name: nn.Parameter(weight.clone()) for name, weight in self.weights.items()}
        for name, grad in self.gradients.items():
            parameters[name].grad = None if grad is None else grad.clone()
        return parameters

    def __call__(self, implementation: Any) -> dict[str, Value]:
        """Call the function."""
        parameters = self._parameters()
        returned = implementation(
            (parameter for parameter in parameters.values()), *copy(dict(self.arguments)).values()
        )
        if isinstance(returned, int | float):
            returned = torch.tensor(float(returned))
        return {
            **named(returned, self.returns),
            "gradients": {name: parameter.grad for name, parameter in parameters.items()},
            "weights": {name: parameter.detach() for name, parameter in parameters.items()},
        }
