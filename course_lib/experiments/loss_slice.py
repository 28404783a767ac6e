"""A slice through the loss: along one line through trained weights, with residual connections and without."""

from __future__ import annotations

import functools
from collections.abc import Callable
from itertools import pairwise

import torch
from torch import Tensor, nn

from course_lib.experiments import backwards
from course_lib.experiments.backwards import Backwards
from course_lib.experiments.encoder_block import Parts
from course_lib.experiments.series import Series

DEPTH, STEPS, RATE = 12, 300, 3e-3
#: how far to go from the trained weights in each direction, in row norms, and in how many steps
FARTHEST, PLACES = 1.0, 41


class WithoutSum(nn.Module):
    """A sub-layer after its norm, with no residual sum."""

    def __init__(self, norm: nn.Module) -> None:
        super().__init__()
        self.norm = norm

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        """Map (B, T, D) to F(norm(x)), of the same shape."""
        return sublayer(self.norm(x))


@functools.cache  # train each stack only once
def loss_slice(parts: Parts, seed: int) -> Series:
    """Return the loss along a random line through a stack's trained weights; each row moves in proportion to its norm.

    Returns:
        ``along``, from −`FARTHEST` to `FARTHEST`, and the loss there of pre-norm stacks of `DEPTH` layers that learned
        to reverse sentences: ``with_sum`` as they are, ``without`` without the residual sums.

    Source: Li et al. 2018 (arXiv:1712.09913), who normalise each filter's direction; here, each row's is normalised.
    """
    along = torch.linspace(-FARTHEST, FARTHEST, PLACES)
    series: Series = {"along": along.tolist()}
    for name in ("with_sum", "without"):
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            model = Backwards(parts, DEPTH, norm_first=True)
            if name == "without":
                _take_sums_out(model)
            generator = torch.Generator().manual_seed(seed)
            backwards.train(model, generator, True, RATE, STEPS)
            series[name] = _walk(model, along, generator)
    return series


def _take_sums_out(model: Backwards) -> None:
    for layer in model.encoder.get_submodule("layers").children():
        for name in ("self_attention_residual", "feed_forward_residual"):
            setattr(layer, name, WithoutSum(layer.get_submodule(name).get_submodule("norm")))


@torch.no_grad()
def _walk(model: Backwards, along: Tensor, generator: torch.Generator) -> list[float]:
    """Return the loss on the same sentences at each point of the line."""
    start = [weight.clone() for weight in model.parameters()]
    directions = [_as_long_as(torch.randn(weight.shape, generator=generator), weight) for weight in start]
    sentences = generator.get_state()
    losses = []
    for far in along:
        for weight, here, direction in zip(model.parameters(), start, directions, strict=True):
            weight.copy_(here + far * direction)
        losses.append(backwards.loss_of(model, generator.set_state(sentences)).item())
    return losses


def _as_long_as(direction: Tensor, weight: Tensor) -> Tensor:
    """Scale each row of the direction to the norm of the weight's row; a vector is one row."""
    longer: Tensor = weight.norm(dim=-1, keepdim=True) / direction.norm(dim=-1, keepdim=True)
    return direction * longer


def turns(losses: list[float]) -> int:
    """Count how often a curve turns from falling to rising or back."""
    steps = [after - before for before, after in pairwise(losses)]
    return sum(before * after < 0 for before, after in pairwise(steps))


#: what ``make experiments`` records
EXPERIMENTS = {"loss_slice": loss_slice}
