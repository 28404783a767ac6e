"""The experiments of lesson 06 on untrained stacks. Each takes the parts to test and a seed."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from course_lib.experiments.series import Series

WIDTH, HEADS, TOKENS = 64, 4, 16

#: layers of the deepest stack
DEEPEST = 12


@dataclasses.dataclass(frozen=True)
class Parts:
    """The components of lesson 06, and the attention they are built on.

    Attributes:
        attention: built with ``(d_model, num_heads)``; ``(query, key, value) -> (B, T, D)``.
        feed_forward: built with ``(d_model, d_ff)``; ``(x) -> (B, T, D)``.
        layer_norm: built with ``(d_model)``; ``(x) -> (B, T, D)``.
        residual: built with ``(d_model, dropout, norm_first)``; ``(x, sublayer) -> (B, T, D)``.
        encoder: built with ``(num_layers, d_model, num_heads, d_ff, dropout, norm_first)``; ``(x) -> (B, T, D)``; only
            needed for training.
    """

    attention: Callable[..., nn.Module]
    feed_forward: Callable[..., nn.Module]
    layer_norm: Callable[..., nn.Module]
    residual: Callable[..., nn.Module]
    encoder: Callable[..., nn.Module] | None = None


#: how a sub-layer turns x into the next x
Step = Callable[[Tensor, Callable[[Tensor], Tensor]], Tensor]


def start_as_the_paper(part: nn.Module) -> None:
    """Initialise matrices as Vaswani et al.'s code does (uniform, Glorot and Bengio 2010), and biases with 0."""
    for name, parameter in part.named_parameters():
        if parameter.dim() > 1:
            nn.init.xavier_uniform_(parameter)
        elif name.endswith("bias"):
            nn.init.zeros_(parameter)


def _sublayers(parts: Parts) -> list[Callable[[Tensor], Tensor]]:
    """Build the sub-layers of one layer: attention and a feed-forward network."""
    attention, feed_forward = parts.attention(WIDTH, HEADS).double(), parts.feed_forward(WIDTH, 4 * WIDTH).double()
    start_as_the_paper(attention)
    start_as_the_paper(feed_forward)
    attend: Callable[[Tensor], Tensor] = lambda y: attention(y, y, y)  # noqa: E731
    return [attend, feed_forward]


def spread_of_tokens(x: Tensor) -> float:
    """Return how much the tokens (B, T, D) of a sentence differ, relative to their norm: 0 if all are equal."""
    return float((x - x.mean(dim=1, keepdim=True)).norm() / x.norm())


#: what may surround the sub-layers (see `_step`), and its name in the lesson
AROUND = {
    "neither": "nothing",
    "norm": "LayerNorm only",
    "residual": "residual only",
    "both": "pre-norm",
    "post": "post-norm",
}


def tokens_by_depth(parts: Parts, seed: int) -> Series:
    """Measure how much the tokens of a sentence differ, by depth, in a stack of random layers.

    Returns:
        ``depth`` and, for each of `AROUND`, `spread_of_tokens`.
    """
    series: Series = {"depth": [float(depth) for depth in range(DEEPEST + 1)]}
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        for around in AROUND:
            torch.manual_seed(seed)
            x = torch.randn(8, TOKENS, WIDTH, dtype=torch.float64)  # (B, T, D)
            spreads = [spread_of_tokens(x)]
            for _ in range(DEEPEST):
                for sublayer in _sublayers(parts):
                    x = _step(parts, around)(x, sublayer)  # (B, T, D)
                spreads.append(spread_of_tokens(x))
            series[around] = spreads
    return series


def gradient_by_layer(parts: Parts, seed: int) -> Series:
    """Return the norm of a gradient that starts at norm 1, by the number of layers it went back through.

    Returns:
        ``layers_back`` and, for each of `AROUND`, the norm.
    """
    series: Series = {"layers_back": [float(back) for back in range(DEEPEST + 1)]}
    with torch.random.fork_rng(devices=[]):
        for name in AROUND:
            torch.manual_seed(seed)
            x = torch.randn(8, TOKENS, WIDTH, dtype=torch.float64)  # (B, T, D)
            inputs = []
            for _ in range(DEEPEST):
                inputs.append(x.requires_grad_() if x.is_leaf else x)
                for sublayer in _sublayers(parts):
                    x = _step(parts, name)(x, sublayer)  # (B, T, D)
            upstream = torch.randn(x.shape, dtype=torch.float64)  # (B, T, D)
            gradients = torch.autograd.grad(x, inputs, upstream / upstream.norm())
            series[name] = [1.0, *(gradient.norm().item() for gradient in reversed(gradients))]
    return series


def _step(parts: Parts, around: str) -> Step:
    """Return the step from x to S(x), S(LN(x)), x + S(x), x + S(LN(x)) or LN(x + S(x)), where S is the sub-layer."""
    if around in ("both", "post"):
        residual: Step = parts.residual(WIDTH, dropout=0.0, norm_first=around == "both").double()
        return residual
    if around == "residual":
        return lambda x, sublayer: x + sublayer(x)
    norm = parts.layer_norm(WIDTH).double() if around == "norm" else nn.Identity()
    return lambda x, sublayer: sublayer(norm(x))


def operations(part: nn.Module, *arguments: Tensor) -> int:
    """Count the operations in the matrix products of one call; an addition and a multiplication count as one each."""
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        part(*arguments)
    return int(counter.get_total_flops())


#: what ``make experiments`` records, by name: functions of the parts and a seed
EXPERIMENTS: dict[str, Callable[[Parts, int], Series]] = {
    "tokens_by_depth": tokens_by_depth,
    "gradient_by_layer": gradient_by_layer,
}
