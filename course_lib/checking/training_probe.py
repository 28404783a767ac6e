"""The probe of a training step: what it does to a small model, one step after another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim.lr_scheduler import LambdaLR

from course_lib.checking.probes import probe
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


def small_training(
    build: Mapping[str, Value],
    weights: Mapping[str, Tensor],
    optimizer: Mapping[str, float],
    rates: Sequence[float],
    training: bool = True,
    gradients: Mapping[str, Tensor] | None = None,
    groups: int = 1,
) -> tuple[SmallTranslator, torch.optim.SGD, LambdaLR]:
    """Return a model, its optimizer and its learning-rate schedule; see `training_steps`."""
    model = SmallTranslator(**copy(dict(build))).to(dtype=next(iter(weights.values())).dtype)
    load_parameters(model, weights)
    model.train(training)
    for name, parameter in model.named_parameters():
        parameter.grad = gradients[name].clone() if gradients else None
    parameters = list(model.parameters())
    shares = [{"params": parameters[first::groups]} for first in range(groups)]
    descent = torch.optim.SGD(shares, lr=optimizer["lr"], momentum=optimizer["momentum"])
    return model, descent, LambdaLR(descent, lambda step: rates[min(step, len(rates) - 1)])


@probe
def training_steps(
    implementation: Callable[..., Any],
    build: Mapping[str, Value],
    weights: Mapping[str, Tensor],
    calls: Sequence[Mapping[str, Value]],
    settings: Sequence[Value],
    optimizer: Mapping[str, float],
    rates: Sequence[float],
    returns: Sequence[str],
    training: bool = True,
    gradients: Mapping[str, Tensor] | None = None,
    groups: int = 1,
) -> dict[str, Value]:
    """Let a function train a `SmallTranslator`, one step for each batch.

    Args:
        build: arguments of the model's constructor, by name.
        weights: the model's state, by name.
        calls: the batches, each with ``source`` (B, S) and ``target`` (B, T + 1).
        settings: what is passed after them, by position: the padding id, and perhaps ε and the maximum norm.
        optimizer: the learning rate and momentum of gradient descent.
        rates: the factor of the learning rate at each step.
        returns: a name for what comes back.
        training: whether the model is in training mode before the first step.
        gradients: the ``grad`` of each parameter before the first step, by name; None for no gradients.
        groups: the number of parameter groups in the optimizer, all with the same learning rate.

    Returns:
        ``calls``: for each step, what came back, the ``weights`` after it and the learning ``rate`` of the next;
        ``after``: the batches afterwards.
    """
    model, descent, scheduler = small_training(build, weights, optimizer, rates, training, gradients, groups)
    given = copy(list(calls))
    steps: list[dict[str, Value]] = []
    for batch in given:
        returned = implementation(model, descent, scheduler, batch["source"], batch["target"], *settings)
        steps.append(
            {
                returns[0]: returned,
                "weights": {name: weight.detach().clone() for name, weight in model.named_parameters()},
                "rate": descent.param_groups[0]["lr"],
            }
        )
    return {"calls": steps, "after": given}
