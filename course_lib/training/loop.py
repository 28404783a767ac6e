"""The training loop: a batch, its loss, the gradient and a step, until the budget is used up."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

import torch
from torch import Tensor

from course_lib.training.checkpoint import Checkpoint
from course_lib.training.history import History
from course_lib.training.memory import keep_freed_memory
from course_lib.training.progress import ProgressBar

Batch = TypeVar("Batch")


class NonFiniteLossError(ArithmeticError):
    """The loss became infinite or NaN, and no gradient leads back from there."""


def train(
    loss: Callable[[Batch], Tensor],
    batches: Iterable[Batch],
    optimizer: torch.optim.Optimizer,
    *,
    seconds: float | None = None,
    steps: int | None = None,
    schedule: Callable[[float], float] | None = None,
    clip: Callable[[], object] | None = None,
    after: Callable[[History], str] | None = None,
    checkpoint: Checkpoint | None = None,
    resume: bool = False,
    progress: bool = True,
) -> History:
    """Minimise a loss step by step until the given seconds or steps are used up, whichever comes first.

    Args:
        loss: returns the loss of a batch, a scalar; it determines the model and its objective.
        batches: iterated over again from the start when they end.
        optimizer: of the parameters to learn, with the highest learning rate.
        seconds: CPU time of this process, not wall-clock time, so other programs on the machine do not matter. The time
            of all threads is added up, so compare with `one_thread`.
        steps: the number of steps; training is then the same on every run, down to the last bit.
        schedule: maps the used share of the budget to a share of the learning rate, like `rise_and_fall`.
        clip: called between the gradient and the step, to clip gradients.
        after: called after each step; its return value is shown after the loss.
        checkpoint: where to save, and how often.
        resume: continue from the checkpoint instead of the start. With ``steps``, and batches that are the same in
            every iteration, the end is the same, bit for bit, as without the interruption. The seconds and steps used
            before count.
        progress: whether to show a bar. It never writes to stderr.

    Returns:
        The history of the loss, from the very first step.

    Raises:
        NonFiniteLossError: the loss is NaN or infinite. The weights are those before this step.
        CheckpointError: with ``resume``, the checkpoint is missing, damaged, or of another model.
        ValueError: there is no budget, or no batch.
    """
    if seconds is None and steps is None:
        raise ValueError("Training needs an end: say train(…, seconds=60) or train(…, steps=1000).")
    if resume and checkpoint is None:
        raise ValueError("To resume, train needs to know from where: train(…, checkpoint=Checkpoint(path, model)).")
    keep_freed_memory()
    for group in optimizer.param_groups:
        group.setdefault("initial_lr", group["lr"])
    history = checkpoint.load(optimizer) if checkpoint and resume else History()
    coming = _again_and_again(batches)
    with torch.random.fork_rng(devices=[]):  # batches may use the random state that the checkpoint set
        for _ in range(history.steps):
            next(coming)
    used = history.seconds[-1] if history.seconds else 0.0
    start = time.process_time() - used
    with ProgressBar(progress) as bar:
        while (share := _share(history.steps, steps, used, seconds)) < 1:
            for group in optimizer.param_groups:
                group["lr"] = group["initial_lr"] * (schedule(share) if schedule else 1.0)
            value = _step(loss, next(coming), optimizer, clip, history.steps + 1)
            used = time.process_time() - start
            history.losses.append(value)
            history.seconds.append(used)
            more = after(history) if after else ""
            if checkpoint and history.steps % checkpoint.every == 0:
                checkpoint.save(optimizer, history)
            bar.show(share, f"step {history.steps} · {used:.0f} s · loss {value:.3f}{more}")
        bar.show(1.0, _summary(history), last=True)
    if checkpoint:
        checkpoint.save(optimizer, history)
    return history


def _step(
    loss: Callable[[Batch], Tensor],
    batch: Batch,
    optimizer: torch.optim.Optimizer,
    clip: Callable[[], object] | None,
    number: int,
) -> float:
    """Take one step, and return the loss before it."""
    optimizer.zero_grad()
    of_batch = loss(batch)
    value = of_batch.item()
    if not math.isfinite(value):
        raise NonFiniteLossError(
            f"The loss of step {number} is {value}; the weights are those before this step. Most often the learning "
            "rate is too high, a logarithm met 0, or a softmax met a row that is masked from end to end."
        )
    of_batch.backward()  # type: ignore[no-untyped-call]
    if clip:
        clip()
    optimizer.step()
    return value


def _share(step: int, steps: int | None, used: float, seconds: float | None) -> float:
    """Return how much of the budget is used, by steps or seconds, whichever is further."""
    of_steps = step / steps if steps else float(steps is not None)
    of_seconds = used / seconds if seconds else float(seconds is not None)
    return max(of_steps, of_seconds)


def _summary(history: History) -> str:
    if not history.steps:
        return "no step was made"
    curve = history.averaged(points=20)
    start, end = [0.0, *curve["step"]][-2:]
    spent = f"{history.steps} steps in {history.seconds[-1]:.0f} s of CPU time"
    return f"{spent} · loss {curve['loss'][-1]:.3f} over the last {end - start:.0f}"


def _again_and_again(batches: Iterable[Batch]) -> Iterator[Batch]:
    """Yield the batches, starting over when they end."""
    while True:
        empty = True
        for batch in batches:
            empty = False
            yield batch
        if empty:
            raise ValueError(
                "There are no more batches, because an iterator can be used only once. Pass something that can "
                "be iterated over again, such as a list or `TranslationBatches`."
            )
