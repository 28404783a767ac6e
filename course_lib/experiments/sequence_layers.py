"""Three layers that read a sequence, compared by its length: recurrent, convolutional, self-attention.

They are PyTorch's own, because lesson 03 begins with them, before its reader has written any attention. Two things are
measured: how long a training step of one layer takes, as a ratio within one run, and how many operations have to wait
for one another, on any hardware, before the first word can reach the last.
"""

from __future__ import annotations

from time import perf_counter

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from course_lib.experiments.series import Series

LENGTHS = (16, 64, 256, 1024)
WIDTH, BATCH = 64, 4


class Recurrent(nn.Module):
    """An LSTM: each state depends on the previous one. O(n d²)."""

    def __init__(self, width: int = WIDTH) -> None:
        super().__init__()
        self.layer = nn.LSTM(width, width, batch_first=True)

    def forward(self, x: Tensor) -> Tensor:
        """Map (B, T, D) to (B, T, D)."""
        states: Tensor = self.layer(x)[0]  # (B, T, D)
        return states


class Convolution(nn.Module):
    """A 1-D convolution of width 3: each position sees its two neighbours. O(n d²)."""

    def __init__(self, width: int = WIDTH) -> None:
        super().__init__()
        self.layer = nn.Conv1d(width, width, kernel_size=3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        """Map (B, T, D) to (B, T, D)."""
        seen: Tensor = self.layer(x.transpose(1, 2)).transpose(1, 2)  # (B, T, D)
        return seen


class Attention(nn.Module):
    """Self-attention with four projections, by PyTorch's function: each position sees all others. O(n² d)."""

    def __init__(self, width: int = WIDTH) -> None:
        super().__init__()
        self.inward, self.outward = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x: Tensor) -> Tensor:
        """Map (B, T, D) to (B, T, D)."""
        asked, offered, passed = self.inward(x).chunk(3, dim=-1)  # (B, T, D) each
        seen: Tensor = self.outward(F.scaled_dot_product_attention(asked, offered, passed))  # (B, T, D)
        return seen


class StepByStep(nn.Module):
    """An LSTM written as a loop, so that each of its steps can be counted."""

    def __init__(self, width: int = WIDTH) -> None:
        super().__init__()
        self.cell = nn.LSTMCell(width, width)

    def forward(self, x: Tensor) -> Tensor:
        """Map (B, T, D) to (B, T, D)."""
        state, states = None, []
        for t in range(x.size(1)):
            state = self.cell(x[:, t], state)  # (B, D), (B, D)
            states.append(state[0])
        return torch.stack(states, dim=1)  # (B, T, D)


def time_by_length(seed: int, threads: int = 1, times: int = 5) -> Series:
    """Return the time of one training step, forward and backward, relative to the LSTM's in the same run.

    Returns:
        ``length``, ``attention`` and ``convolution``, both as multiples of the LSTM's time.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        layers = _layers(seed, Recurrent, Convolution, Attention)
        series: Series = {"length": [float(n) for n in LENGTHS], "attention": [], "convolution": []}
        for length in LENGTHS:
            x = torch.randn(BATCH, length, WIDTH, generator=torch.Generator().manual_seed(seed))  # (B, T, D)
            rounds = [[_step(layer, x) for layer in layers] for _ in range(times)]
            recurrent, convolution, attention = (min(column) for column in zip(*rounds, strict=True))
            series["attention"].append(attention / recurrent)
            series["convolution"].append(convolution / recurrent)
    finally:
        torch.set_num_threads(before)
    return series


def longest_chain(seed: int) -> Series:
    """Count, by length, how many operations wait for one another until the first word can reach the last.

    One recurrent or attention layer is enough for that. A convolution of width 3 needs one layer for each step from
    word to word. The counts are those of the autograd graph, which doesn't depend on the layers' width.

    Returns:
        ``length``, ``recurrent``, ``attention`` and ``convolution``.
    """
    series: Series = {"length": [float(n) for n in LENGTHS], "recurrent": [], "convolution": [], "attention": []}
    with torch.random.fork_rng(devices=[]):  # the layers have random weights, which the counts don't depend on
        for length in LENGTHS:
            x = torch.zeros(1, length, 4)  # (B, T, D)
            stack = nn.Sequential(*(Convolution(4) for _ in range(length - 1)))
            for name, layer in (("recurrent", StepByStep(4)), ("convolution", stack), ("attention", Attention(4))):
                series[name].append(float(longest_path(layer(x))))
    return series


def _layers(seed: int, *kinds: type[nn.Module]) -> list[nn.Module]:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return [kind() for kind in kinds]


def _step(layer: nn.Module, x: Tensor) -> float:
    start = perf_counter()
    layer(x).sum().backward()
    return perf_counter() - start


def longest_path(output: Tensor) -> int:
    """Return the longest path through the graph that leads to a tensor, without recursion, as it can be very long."""
    depth: dict[object, int] = {}
    waiting: list[object] = [output.grad_fn]
    while waiting:
        node = waiting[-1]
        inputs = [other for other, _ in getattr(node, "next_functions", ()) if other is not None]
        missing = [other for other in inputs if other not in depth]
        if missing:
            waiting += missing
        else:
            depth[waiting.pop()] = 1 + max((depth[other] for other in inputs), default=0)
    return depth[output.grad_fn]
