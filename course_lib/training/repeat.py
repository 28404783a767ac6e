"""Repeating a training step of your own."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, repeat
from typing import TypeVar

from course_lib.training.history import History
from course_lib.training.loop import NonFiniteLossError
from course_lib.training.memory import keep_freed_memory
from course_lib.training.progress import ProgressBar

Batch = TypeVar("Batch")


def repeat_step(step: Callable[[Batch], float], batches: Iterable[Batch], steps: int, progress: bool = True) -> History:
    """Take ``steps`` steps; the step itself computes the loss, follows its gradient and sets the learning rate.

    Args:
        step: takes a batch, trains on it, and returns the loss before the update.
        batches: iterated over again from the start when they end.
        steps: how many steps to take.
        progress: whether to show a bar. It never writes to stderr.

    Returns:
        The history of the loss, with the CPU time of each step.

    Raises:
        NonFiniteLossError: the loss is NaN or infinite.
    """
    keep_freed_memory()
    history, start = History(), time.process_time()
    coming: Iterator[Batch] = chain.from_iterable(repeat(batches))
    with ProgressBar(progress) as bar:
        while history.steps < steps:
            value = step(next(coming))
            used = time.process_time() - start
            history.losses.append(value)
            history.seconds.append(used)
            if not math.isfinite(value):
                raise NonFiniteLossError(f"The loss of step {history.steps} is {value}: no gradient leads back.")
            text = f"step {history.steps} of {steps} · {used:.0f} s · loss {value:.3f}"
            bar.show(history.steps / steps, text, last=history.steps == steps)
    return history
