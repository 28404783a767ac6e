"""A task for deep stacks: reverse a sentence. Which settings can train them, and which cannot?"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from course_lib.experiments.encoder_block import Parts, start_as_the_paper
from course_lib.experiments.mystery_residual import mystery_of
from course_lib.experiments.series import Series, in_tens

WORDS, LENGTH, WIDTH, HEADS = 20, 10, 32, 4

#: layers of the trained stack, training steps, and warm-up steps
DEPTH, STEPS, WARM_UP = 4, 200, 50
RATES = (1e-3, 3e-3, 1e-2, 3e-2)

#: depths at which untrained stacks are measured, and depths that are trained without residual connections
DEPTHS, SHALLOW = (2, 4, 8, 16), (1, 2, 3, 4, 8)


class Backwards(nn.Module):
    """Predicts, at every position, the word that belongs there in the reversed sentence."""

    def __init__(self, parts: Parts, depth: int, norm_first: bool) -> None:
        super().__init__()
        if parts.encoder is None:
            raise ValueError("an encoder is trained here: pass one, Parts(..., encoder=Encoder)")
        self.words = nn.Embedding(WORDS, WIDTH)
        self.places = nn.Embedding(LENGTH, WIDTH)
        self.encoder = parts.encoder(depth, WIDTH, HEADS, 4 * WIDTH, dropout=0.0, norm_first=norm_first)
        self.readout = nn.Linear(WIDTH, WORDS)
        start_as_the_paper(self.encoder)
        start_as_the_paper(self.readout)

    def forward(self, ids: Tensor) -> Tensor:
        """Return logits (B, T, words) for ids (B, T)."""
        x = self.words(ids) + self.places.weight  # (B, T, D)
        logits: Tensor = self.readout(self.encoder(x))  # (B, T, words)
        return logits


def _new(parts: Parts, seed: int, depth: int, norm_first: bool) -> Backwards:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Backwards(parts, depth, norm_first)


def loss_of(model: Backwards, generator: torch.Generator) -> Tensor:
    """Return the cross-entropy on 32 random sentences."""
    ids = torch.randint(WORDS, (32, LENGTH), generator=generator)  # (B, T)
    return F.cross_entropy(model(ids).flatten(0, 1), ids.flip(1).flatten())


@functools.cache  # train each stack only once
def learn(
    parts: Parts, seed: int, norm_first: bool, warm_up: bool, rate: float = 1e-2, depth: int = DEPTH, steps: int = STEPS
) -> Series:
    """Train a stack with Adam, and return its loss, averaged over ten steps at a time.

    Args:
        warm_up: raise the rate from 0 over the first `WARM_UP` steps; otherwise it is ``rate`` from the first step.
    """
    model, generator = _new(parts, seed, depth, norm_first), torch.Generator().manual_seed(seed)
    return train(model, generator, warm_up, rate, steps)


def train(model: Backwards, generator: torch.Generator, warm_up: bool, rate: float, steps: int) -> Series:
    """Train a model with Adam, and return its loss, averaged over ten steps at a time."""
    optimiser = torch.optim.Adam(model.parameters(), lr=rate, betas=(0.9, 0.98))
    losses = []
    for step in range(1, steps + 1):
        if warm_up:
            optimiser.param_groups[0]["lr"] = rate * min(1.0, step / WARM_UP)
        loss = loss_of(model, generator)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        losses.append(loss.item())
    return in_tens(losses)


#: the four ways to train, by name: whether pre-norm, and whether with warm-up
ARMS = {
    "post": (False, False),
    "post_warm_up": (False, True),
    "pre": (True, False),
    "pre_warm_up": (True, True),
}


def loss_by_rate(parts: Parts, seed: int) -> Series:
    """Return the final loss (the mean of the last twenty steps) by learning rate, for each of the `ARMS`."""
    series: Series = {"rate": list(RATES)}
    for name, (norm_first, warm_up) in ARMS.items():
        losses = [learn(parts, seed, norm_first, warm_up, rate)["loss"][-2:] for rate in RATES]
        series[name] = [sum(last) / 2 if math.isfinite(sum(last)) else math.log(WORDS) for last in losses]
    return series


class WithoutResidual(nn.Module):
    """A pre-norm sub-layer whose residual connection is cut."""

    def __init__(self, norm: nn.Module) -> None:
        super().__init__()
        self.norm = norm

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        """Map (B, T, D) to ``sublayer(norm(x))``, of the same shape."""
        return sublayer(self.norm(x))


def loss_by_depth(parts: Parts, seed: int, depths: Sequence[int] = SHALLOW) -> Series:
    """Return the loss at the end of training, by the depth of a pre-norm stack.

    Returns:
        ``depth``, ``residual`` for the stack as it is, and ``without`` for the stack without residual connections.
    """
    series: Series = {"depth": [float(depth) for depth in depths], "residual": [], "without": []}
    for depth in depths:
        series["residual"].append(learn(parts, seed, True, False, RATES[1], depth)["loss"][-1])
        model = _new(parts, seed, depth, norm_first=True)
        _replace_residuals(model.encoder, lambda residual: WithoutResidual(residual.get_submodule("norm")))
        losses = train(model, torch.Generator().manual_seed(seed), warm_up=False, rate=RATES[1], steps=STEPS)["loss"]
        series["without"].append(losses[-1])
    return series


def _replace_residuals(encoder: nn.Module, new: Callable[[nn.Module], nn.Module]) -> None:
    """Replace every residual sub-layer of an encoder."""
    for layer in encoder.get_submodule("layers").children():
        for name in ("self_attention_residual", "feed_forward_residual"):
            setattr(layer, name, new(layer.get_submodule(name)))


def gradient_at_start(parts: Parts, seed: int, models: int = 6) -> Series:
    """Return the gradient norm of the last layer's ``w_2`` before training, by the depth of the stack.

    Returns:
        ``depth``, ``post`` and ``pre``; ``post_first`` and ``pre_first`` are the same for the *first* layer. Each is
        the mean over ``models``, initialised one after the other.
    """
    series: Series = {"depth": [float(depth) for depth in DEPTHS]}
    for norm, norm_first in (("post", False), ("pre", True)):
        for depth in DEPTHS:
            first = last = 0.0
            for number in range(models):
                model = _new(parts, models * seed + number, depth, norm_first)
                loss_of(model, torch.Generator().manual_seed(seed)).backward()  # type: ignore[no-untyped-call]
                first += _gradient(model, 0) / models
                last += _gradient(model, depth - 1) / models
            series.setdefault(norm, []).append(last)
            series.setdefault(f"{norm}_first", []).append(first)
    return series


def _gradient(model: Backwards, layer: int) -> float:
    """Return the gradient norm of a layer's second matrix."""
    gradient = model.get_parameter(f"encoder.layers.{layer}.feed_forward.w_2.weight").grad
    return 0.0 if gradient is None else gradient.norm().item()


def with_mystery(parts: Parts, encoder: nn.Module) -> nn.Module:
    """Replace every residual sub-layer of the encoder with a mysterious one."""
    mystery = mystery_of(parts.residual)  # type: ignore[arg-type]
    _replace_residuals(encoder, lambda residual: mystery(WIDTH, dropout=0.0, norm_first=True))
    return encoder


def learn_with_mystery(parts: Parts, seed: int, rate: float, depth: int = DEPTH, steps: int = STEPS) -> Series:
    """Train as `learn` does, with pre-norm, no warm-up, and the mystery in every layer."""
    model, generator = _new(parts, seed, depth, norm_first=True), torch.Generator().manual_seed(seed)
    with_mystery(parts, model.encoder)
    return train(model, generator, warm_up=False, rate=rate, steps=steps)


def _arm(name: str, rate: float = RATES[2]) -> Callable[[Parts, int], Series]:
    norm_first, warm_up = ARMS[name]
    return lambda parts, seed: learn(parts, seed, norm_first, warm_up, rate)


#: what ``make experiments`` records, by name: functions of the parts and a seed
EXPERIMENTS: dict[str, Callable[[Parts, int], Series]] = {
    "gradient_at_start": gradient_at_start,
    **{name: _arm(name) for name in ARMS},
    "loss_by_rate": loss_by_rate,
    "loss_by_depth": loss_by_depth,
    "pre_slowly": _arm("pre", rate=RATES[1]),
    "mystery_slowly": lambda parts, seed: learn_with_mystery(parts, seed, rate=RATES[1]),
    "mystery": lambda parts, seed: learn_with_mystery(parts, seed, rate=RATES[2]),
}
