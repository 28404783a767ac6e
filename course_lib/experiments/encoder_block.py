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

#: sentence lengths, as multiples of the width, at which operations are counted
LENGTHS = (16, 32, 64, 96, 128, 192, 256)


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


#: how a sub-layer F turns x into the next x
Step = Callable[[Tensor, Callable[[Tensor], Tensor]], Tensor]


def start_as_the_paper(part: nn.Module) -> None:
    """Initialise matrices as Vaswani et al.'s code does (uniform, Glorot and Bengio 2010), and biases with 0."""
    for name, parameter in part.named_parameters():
        if parameter.dim() > 1:
            nn.init.xavier_uniform_(parameter)
        elif name.endswith("bias"):
            nn.init.zeros_(parameter)


def _sublayers(parts: Parts, network: bool = True) -> list[Callable[[Tensor], Tensor]]:
    """Build the sub-layers of one layer: attention and, with ``network``, a feed-forward network."""
    attention, feed_forward = parts.attention(WIDTH, HEADS).double(), parts.feed_forward(WIDTH, 4 * WIDTH).double()
    start_as_the_paper(attention)
    start_as_the_paper(feed_forward)
    attend: Callable[[Tensor], Tensor] = lambda y: attention(y, y, y)  # noqa: E731
    return [attend, feed_forward] if network else [attend]


def spread_of_tokens(x: Tensor) -> float:
    """Return how much the tokens (B, T, D) of a sentence differ, relative to their norm: 0 if all are equal."""
    return float((x - x.mean(dim=1, keepdim=True)).norm() / x.norm())


#: stacks by name: what surrounds a sub-layer (see `_step`), and whether there is a feed-forward network
STACKS = {
    "attention": ("neither", False),
    "with_network": ("neither", True),
    "with_norm": ("norm", False),
    "with_residual": ("residual", False),
    "with_all": ("both", True),
}


#: what may surround the sub-layers (see `_step`), and its name in the lesson's table
AROUND = {
    "neither": "nothing",
    "norm": "norm only",
    "residual": "residual only",
    "both": "both, pre-norm",
    "post": "both, post-norm",
}


def tokens_by_depth(parts: Parts, seed: int) -> Series:
    """Measure how much the tokens of a sentence differ, by depth, in a stack of random layers.

    Returns:
        ``depth`` and, for each of `STACKS`, `spread_of_tokens`.
    """
    series: Series = {"depth": [float(depth) for depth in range(DEEPEST + 1)]}
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        for name, (around, network) in STACKS.items():
            torch.manual_seed(seed)
            x = torch.randn(8, TOKENS, WIDTH, dtype=torch.float64)  # (B, T, D)
            spreads = [spread_of_tokens(x)]
            for _ in range(DEEPEST):
                for sublayer in _sublayers(parts, network):
                    x = _step(parts, around)(x, sublayer)  # (B, T, D)
                spreads.append(spread_of_tokens(x))
            series[name] = spreads
    return series


def gradient_by_layer(parts: Parts, seed: int) -> Series:
    """Return the norm of a gradient that starts at norm 1, by the number of layers it went back through.

    Returns:
        ``layers_back`` and, by whether there are sums and normalisations, ``neither``, ``norm``, ``residual``, ``both``
        (pre-norm) and ``post``.
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


def words_apart(parts: Parts, seed: int) -> dict[str, float]:
    """Return `spread_of_tokens` after `DEEPEST` random layers of attention and network, by what surrounds them."""
    shares = {}
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        for around, name in AROUND.items():
            torch.manual_seed(seed)
            x = torch.randn(8, TOKENS, WIDTH, dtype=torch.float64)  # (B, T, D)
            for _ in range(DEEPEST):
                for sublayer in _sublayers(parts):
                    x = _step(parts, around)(x, sublayer)  # (B, T, D)
            shares[name] = spread_of_tokens(x)
    return shares


def _step(parts: Parts, around: str) -> Step:
    """Return the step from x and F to F(x), F(norm(x)), x + F(x), x + F(norm(x)) or norm(x + F(x))."""
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


def network_share(parts: Parts, seed: int) -> Series:
    """Return the feed-forward network's share of the operations in a layer's matrix products, by sentence length.

    On paper, an attention takes ``8 N D² + 4 N² D`` operations, and a network with ``F = 4 D`` takes ``16 N D²``. A
    decoder layer has two attentions.

    Returns:
        ``length`` (as a multiple of D), ``encoder`` and ``decoder``.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        attention, network = parts.attention(WIDTH, HEADS), parts.feed_forward(WIDTH, 4 * WIDTH)
    series: Series = {"length": [], "encoder": [], "decoder": []}
    for length in LENGTHS:
        x = torch.zeros(1, length, WIDTH)  # (1, T, D)
        for_attention, for_network = operations(attention, x, x, x), operations(network, x)
        series["length"].append(length / WIDTH)
        series["encoder"].append(for_network / (for_network + for_attention))
        series["decoder"].append(for_network / (for_network + 2 * for_attention))
    return series


#: what ``make experiments`` records, by name: functions of the parts and a seed
EXPERIMENTS: dict[str, Callable[[Parts, int], Series]] = {
    "tokens_by_depth": tokens_by_depth,
    "gradient_by_layer": gradient_by_layer,
    "network_share": network_share,
}
