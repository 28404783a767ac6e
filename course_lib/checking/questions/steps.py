"""Questions that pass an object one token at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from torch import Tensor, nn

from course_lib.checking.chance import fixed_seed
from course_lib.checking.questions.built import Built
from course_lib.checking.values import Value, copy


@dataclass(frozen=True)
class StepByStep(Built):
    """Construct an object over a module of an earlier lesson, and pass it one token at a time with its ``step``.

    The answer contains ``calls``: for each translation, a list of what its steps returned.

    Attributes:
        weights: the module's state, by name. Everything else keeps its initialisation, which is the same each time.
        calls: for each translation, ``memory``, ``memory_mask`` and ``tokens``, with the steps on the second axis. A
            new object is constructed for each.
        over: the module's class, a component that the student has by now, such as ``"DecoderLayer"``.
        changed: the module's weights from step number ``change_at`` on.
    """

    calls: Sequence[Mapping[str, Value]]
    over: str = field(kw_only=True)
    changed: Mapping[str, Tensor] | None = field(default=None, kw_only=True)
    change_at: int = field(default=0, kw_only=True)

    @property
    def inputs(self) -> Sequence[Mapping[str, Value]]:
        """The three tensors of each translation."""
        return self.calls

    @property
    def use(self) -> tuple[str, str]:
        """See `Question.use`."""
        return "built, tokens", "built.step(tokens[0])"

    def live(self, implementation: Any, number: int = 0) -> Any:
        """Return the object and its tokens in float32, because the student's modules have torch's default dtype."""
        single = self.in_float32()
        call = copy(single.arguments_of(number))
        module = single._module()
        module.load_state_dict(dict(single.weights), strict=False)  # the rest keeps its initialisation
        tokens = [_as_input(token) for token in call["tokens"].unbind(1)]
        return implementation(module, call["memory"], call["memory_mask"]), tokens

    def _module(self) -> nn.Module:
        component = getattr(import_module("course_lib.components"), self.over)
        return self.construct(component).eval()

    def __call__(self, implementation: Any) -> dict[str, Value]:
        """Construct the object for each translation, and let it read the tokens."""
        with fixed_seed():
            module = self._module()
        outcomes: list[dict[str, Value]] = []
        for given in copy(list(self.calls)):
            module.load_state_dict(dict(self.weights), strict=False)
            built = implementation(module, given["memory"], given["memory_mask"])
            steps = []
            for number, tokens in enumerate(given["tokens"].unbind(1)):
                if self.changed is not None and number == self.change_at:
                    module.load_state_dict(dict(self.changed), strict=False)
                steps.append(built.step(_as_input(tokens)))
            outcomes.append({self.returns[0]: steps})
        return {"calls": outcomes}


def _as_input(token: Tensor) -> Tensor:
    """Return the input of a step: an integer per sentence, or a vector, which needs an axis of its own."""
    return token if token.ndim == 1 else token.unsqueeze(1)
