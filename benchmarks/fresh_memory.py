"""What it costs that the C library returns large tensors to the operating system, and has to ask for them again.

Each run is a process of its own, because these settings are read once, when it starts. Without glibc they do nothing.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from time import process_time

import torch

from course_lib.components import chunked_attention, scaled_dot_product_attention
from course_lib.experiments.costs import CHUNK, LENGTHS, TIMES, WIDTH
from course_lib.experiments.series import Series

#: freed memory is kept, however large it is
KEPT = {"MALLOC_MMAP_THRESHOLD_": str(2**33), "MALLOC_TRIM_THRESHOLD_": str(2**33)}


def fresh_memory(seed: int) -> Series:
    """Compare attention at once and in chunks at the longest length, with memory returned and with memory kept.

    Returns:
        ``kept``: 0 as usual, 1 if memory is kept; the times, relative to the usual time at once; and the megabytes of
        fresh memory that one run touches, by its page faults.
    """
    both = [_in_a_process(seed, settings) for settings in ({}, KEPT)]
    unit = both[0]["at once"][0]
    series: Series = {"kept": [0.0, 1.0]}
    for way in ("at once", "in chunks"):
        series[way] = [one[way][0] / unit for one in both]
        series[f"{way}, fresh megabytes"] = [one[way][1] for one in both]
    return series


def _in_a_process(seed: int, settings: dict[str, str]) -> dict[str, tuple[float, float]]:
    command = [sys.executable, "-m", "benchmarks.fresh_memory", str(seed)]
    answer = subprocess.run(command, env={**os.environ, **settings}, capture_output=True, text=True, check=True)
    found: dict[str, tuple[float, float]] = json.loads(answer.stdout)
    return found


@torch.no_grad()
def _measure(seed: int) -> dict[str, tuple[float, float]]:
    """Return for each way its least processor time, and the megabytes of its page faults."""
    torch.set_num_threads(1)
    x = torch.randn(1, LENGTHS[-1], WIDTH, generator=torch.Generator().manual_seed(seed))  # (1, T, D)
    ways: dict[str, Callable[[], object]] = {
        "at once": partial(scaled_dot_product_attention, x, x, x),
        "in chunks": partial(chunked_attention, x, x, x, CHUNK),
    }
    return {name: min(_once(run) for _ in range(TIMES + 1)) for name, run in ways.items()}


def _once(run: Callable[[], object]) -> tuple[float, float]:
    faults, start = resource.getrusage(resource.RUSAGE_SELF).ru_minflt, process_time()
    run()
    seconds = process_time() - start
    return seconds, (resource.getrusage(resource.RUSAGE_SELF).ru_minflt - faults) * resource.getpagesize() / 2**20


#: by name, functions of a seed
FRESH_MEMORY: dict[str, Callable[[int], Series]] = {"fresh memory": fresh_memory}


if __name__ == "__main__":
    print(json.dumps(_measure(int(sys.argv[1]))))
