"""The question about a training step: what it does to a small model, one step after another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim.lr_scheduler import LambdaLR

from course_lib.checking.questions.built import Built
from course_lib.checking.questions.question import as_tuple
from course_lib.checking.values import Value, copy
from course_lib.parameters import load_parameters


class SmallTranslator(nn.Module):
    """A model called like a `Transformer`, from ``(source, inputs)`` to logits (B, T, V), by the previous word.

    It sees the source only as the mean of its words, to which it applies dropout in training.
    """

    def __init__(self, source_size: int, target_size: int, d_model: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.source = nn.Embedding(source_size, d_model)
        self.target = nn.Embedding(target_size, d_model)
        self.output = nn.Linear(d_model, target_size)
        self.dropout = nn.Dropout(dropout)

    def forward(self, source: Tensor, inputs: Tensor) -> Tensor:
        """Return the logits (B, T, V) of the word after each of the ``inputs`` (B, T), for a ``source`` (B, S)."""
        read = self.dropout(self.source(source).mean(dim=1, keepdim=True))  # (B, 1, D)
        logits: Tensor = self.output(torch.tanh(self.target(inputs) + read))  # (B, T, V)
        return logits


@dataclass(frozen=True)
class TrainingSteps(Built):
    """Let a function train a `SmallTranslator` that ``build`` and ``weights`` describe, one step for each batch.

    The answer contains ``calls``: for each step, what came back, the ``weights`` after it and the learning ``rate`` of
    the next; ``after``: the batches afterwards.

    Attributes:
        calls: the batches, each with ``source`` (B, S) and ``target`` (B, T + 1).
        settings: what is passed after them, by position: the padding id, and perhaps ε and the maximum norm.
        optimizer: the learning rate and momentum of gradient descent.
        rates: the factor of the learning rate at each step.
        training: whether the model is in training mode before the first step.
        gradients: the ``grad`` of each parameter before the first step, by name; None for no gradients.
        groups: the number of parameter groups in the optimizer, all with the same learning rate.
    """

    with_optimizer = True

    calls: Sequence[Mapping[str, Value]]
    settings: Sequence[Value] = field(kw_only=True)
    optimizer: Mapping[str, float] = field(kw_only=True)
    rates: Sequence[float] = field(kw_only=True)
    training: bool = field(default=True, kw_only=True)
    gradients: Mapping[str, Tensor] | None = field(default=None, kw_only=True)
    groups: int = field(default=1, kw_only=True)

    @property
    def inputs(self) -> Sequence[Mapping[str, Value]]:
        """The batches."""
        return self.calls

    @property
    def named_settings(self) -> dict[str, Value]:
        """The settings by their names, as far as they are given."""
        return dict(zip(("pad_id", "smoothing", "max_norm"), self.settings, strict=False))

    def live(self, implementation: Any, number: int = 0) -> Any:
        """Return the arguments of one step as a named tuple, after the earlier steps."""
        model, optimizer, scheduler = self._begin()
        for earlier in copy(list(self.calls[:number])):
            implementation(model, optimizer, scheduler, earlier["source"], earlier["target"], *self.settings)
        batch = copy(self.arguments_of(number))
        return as_tuple(
            {"model": model, "optimizer": optimizer, "scheduler": scheduler, **batch, **self.named_settings}
        )

    def _begin(self) -> tuple[SmallTranslator, torch.optim.SGD, LambdaLR]:
        """Return the model, its optimizer and its learning-rate schedule, before the first step."""
        model = SmallTranslator(**copy(dict(self.build))).to(dtype=next(iter(self.weights.values())).dtype)
        load_parameters(model, self.weights)
        model.train(self.training)
        for name, parameter in model.named_parameters():
            parameter.grad = self.gradients[name].clone() if self.gradients else None
        parameters = list(model.parameters())
        shares = [{"params": parameters[first :: self.groups]} for first in range(self.groups)]
        descent = torch.optim.SGD(shares, lr=self.optimizer["lr"], momentum=self.optimizer["momentum"])
        rates = self.rates
        return model, descent, LambdaLR(descent, lambda step: rates[min(step, len(rates) - 1)])

    def __call__(self, implementation: Any) -> dict[str, Value]:
        """Let the function train the model on one batch after another."""
        model, descent, scheduler = self._begin()
        given = copy(list(self.calls))
        steps: list[dict[str, Value]] = []
        for batch in given:
            returned = implementation(model, descent, scheduler, batch["source"], batch["target"], *self.settings)
            steps.append(
                {
                    self.returns[0]: returned,
                    "weights": {name: weight.detach().clone() for name, weight in model.named_parameters()},
                    "rate": descent.param_groups[0]["lr"],
                }
            )
        return {"calls": steps, "after": given}
