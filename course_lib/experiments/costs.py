"""The experiments of lesson 14: what attention costs, and what its cheaper variants lose.

Times are ratios to another time in the same run, on one thread. Memory is counted tensor by tensor, so it is the same
on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from time import process_time

import torch
from torch import Tensor, nn

from course_lib.experiments import rank, recall
from course_lib.experiments.series import Series
from course_lib.experiments.series import exponent as exponent
from course_lib.memory_watch import MemoryWatch

#: long enough for the quadratic terms to outweigh the rest
LENGTHS = (1024, 2048, 4096)
WIDTH, CHUNK = 64, 128
#: the width of the timed encoder layer, and its lengths as multiples of that width
LAYER_WIDTH, MULTIPLES = 128, (1, 2, 3, 4, 6, 8, 12)
#: each time is the best of this many runs
TIMES = 5


@dataclass(frozen=True)
class Parts:
    """What the experiments use: your components, for instance.

    Attributes:
        attention: ``(query, key, value) -> (output, weights)``, like `scaled_dot_product_attention`.
        chunked: ``(query, key, value, chunk_size) -> output``, like `chunked_attention`.
        linear: ``(query, key, value) -> output``, like `linear_attention`.
    """

    attention: Callable[..., tuple[Tensor, Tensor]]
    chunked: Callable[..., Tensor]
    linear: Callable[..., Tensor]


def ways(parts: Parts, seed: int) -> dict[str, Callable[[Tensor], object]]:
    """Return the layers that read a sequence (1, T, D), by name."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        recurrent = nn.LSTM(WIDTH, WIDTH, batch_first=True)
        convolution = nn.Conv1d(WIDTH, WIDTH, kernel_size=3, padding=1)
    return {
        "attention": lambda x: parts.attention(x, x, x),
        "in chunks": lambda x: parts.chunked(x, x, x, CHUNK),
        "linear": lambda x: parts.linear(x, x, x),
        "recurrent": recurrent,
        "convolution": lambda x: convolution(x.transpose(1, 2)),
    }


@torch.no_grad()
def time_by_length(parts: Parts, seed: int) -> Series:
    """Return the processor time of a forward pass, relative to the same way's at the shortest length.

    Returns:
        ``length``, and the times of each of `ways`, by name.
    """
    layers = ways(parts, seed)
    with one_thread():
        times = {name: [best_time(partial(layer, x)) for x in _sequences(seed)] for name, layer in layers.items()}
    return {"length": [float(n) for n in LENGTHS], **{name: [t / row[0] for t in row] for name, row in times.items()}}


@torch.no_grad()
def price_of_chunks(parts: Parts, seed: int) -> float:
    """Return the processor time of attention in chunks over that of attention at once, at the longest length."""
    *_, x = _sequences(seed)
    with one_thread():
        at_once = best_time(partial(parts.attention, x, x, x))
        return best_time(partial(parts.chunked, x, x, x, CHUNK)) / at_once


@torch.no_grad()
def memory_by_length(parts: Parts, seed: int) -> Series:
    """Return the peak memory of one forward pass in megabytes (2²⁰ bytes), not counting the sequence itself.

    Returns:
        ``length``, and the megabytes of each of `ways`, by name.
    """
    series: Series = {"length": [float(n) for n in LENGTHS]}
    for name, layer in ways(parts, seed).items():
        series[name] = [_peak(partial(layer, x)) / 2**20 for x in _sequences(seed)]
    return series


@torch.no_grad()
def quadratic_share(parts: Parts, seed: int) -> Series:
    """Return the share of an encoder layer's time spent on scores and mixing, whose work is quadratic in the length.

    The rest is four projections and a network of four times the width: 12 n D² products, against 2 n² D for the former.

    Returns:
        ``multiple``: the length divided by the width; ``measured``; and ``counted``: n / (6 D + n).
    """
    with torch.random.fork_rng(devices=[]), one_thread():
        torch.manual_seed(seed)
        projections = [nn.Linear(LAYER_WIDTH, LAYER_WIDTH) for _ in range(4)]
        network = nn.Sequential(
            nn.Linear(LAYER_WIDTH, 4 * LAYER_WIDTH), nn.ReLU(), nn.Linear(4 * LAYER_WIDTH, LAYER_WIDTH)
        )

        def rest(x: Tensor) -> None:
            for projection in projections:
                projection(x)
            network(x)

        series: Series = {"multiple": [float(m) for m in MULTIPLES], "measured": [], "counted": []}
        for multiple in MULTIPLES:
            x = torch.randn(1, multiple * LAYER_WIDTH, LAYER_WIDTH)  # (1, T, D)
            runs = partial(parts.attention, x, x, x), partial(rest, x)
            both = [[best_time(run, 1) for run in runs] for _ in range(TIMES)]
            quadratic, linear = (min(column) for column in zip(*both, strict=True))
            series["measured"].append(quadratic / (quadratic + linear))
            series["counted"].append(multiple / (6 + multiple))
    return series


@contextmanager
def one_thread() -> Iterator[None]:
    """Make PyTorch use one thread inside the block."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _sequences(seed: int) -> Iterator[Tensor]:
    for length in LENGTHS:
        yield torch.randn(1, length, WIDTH, generator=torch.Generator().manual_seed(seed))  # (1, T, D)


def best_time(run: Callable[[], object], times: int = TIMES) -> float:
    """Return the least processor time of several runs, after one warm-up run."""
    run()
    found = []
    for _ in range(times):
        start = process_time()
        run()
        found.append(process_time() - start)
    return min(found)


def _peak(run: Callable[[], object]) -> int:
    watch = MemoryWatch()
    with watch:
        run()
    return watch.peak


#: what `make experiments` records, by name: functions of the parts and a seed
EXPERIMENTS: dict[str, Callable[[Parts, int], Series]] = {
    "memory": memory_by_length,
    "quadratic share": quadratic_share,
    **{f"recall, {way}": partial(recall.share_by_pairs, way) for way in recall.WAYS},
    "price of chunks": lambda parts, seed: {"length": [float(LENGTHS[-1])], "ratio": [price_of_chunks(parts, seed)]},
    "rank": lambda parts, seed: rank.share_of_singular_values(seed),
}
