"""The experiments of lesson 05. Each takes the parts to test, yours for instance, and a seed."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import groupby, pairwise

import torch
from torch import Tensor
from torch.nn import functional as F

from course_lib.experiments.mystery_encoding import mystery_encoding
from course_lib.experiments.series import Series
from course_lib.experiments.word_before import (
    ARMS,
    LONGEST,
    TRAINED,
    WIDTH,
    WORDS,
    Parts,
    Positioned,
    accuracy_by_position,
    learn,
)

#: what the lesson also uses from the task
__all__ = ["LONGEST", "TRAINED", "WIDTH", "WORDS", "Parts", "Positioned", "accuracy_by_position", "learn"]


@contextmanager
def double_precision() -> Iterator[None]:
    """Make new tensors float64 inside the block, to distinguish exact equality from approximate."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


def similarity_by_gap(encoding: Callable[[int, int], Tensor], d_model: int, longest: int = 60) -> Series:
    """Return the cosine similarity of positions 0 and ``gap``, by the gap."""
    table = F.normalize(encoding(longest + 1, d_model), dim=-1)  # (T, D)
    return {"gap": [float(gap) for gap in range(longest + 1)], "cosine": (table @ table[0]).tolist()}


def first_minimum(similarity: Series) -> int:
    """Return the gap up to which similarity decreases as the gap grows."""
    cosine = similarity["cosine"]
    return next(gap for gap in range(len(cosine) - 1) if cosine[gap + 1] > cosine[gap])


def shift_errors(encoding: Callable[[int, int], Tensor], d_model: int) -> tuple[float, float]:
    """Fit one matrix that moves positions 0 to 49 by one. Return how far it is off there, and at 100 to 199."""
    with double_precision():
        table = encoding(201, d_model)  # (T, D)
    matrix = torch.linalg.lstsq(table[:50], table[1:51]).solution  # (D, D)
    near, far = (slice(0, 50), slice(1, 51)), (slice(100, 200), slice(101, 201))
    errors = [(table[here] @ matrix - table[there]).abs().max().item() for here, there in (near, far)]
    return errors[0], errors[1]


def rises(similarity: Series) -> list[float]:
    """Return by how much similarity increases each time it does so as the gap grows, in order of the gaps."""
    cosine = similarity["cosine"]
    steps = pairwise(cosine)
    runs = groupby(((later - now) for now, later in steps), key=lambda step: step > 0)
    return [sum(run) for upwards, run in runs if upwards]


def _curve(arm: str) -> Callable[[Parts, int], Series]:
    return lambda parts, seed: learn(parts, arm, seed)[1]


def _beyond(arm: str) -> Callable[[Parts, int], Series]:
    def measure(parts: Parts, seed: int) -> Series:
        series = accuracy_by_position(learn(parts, arm, seed)[0], seed)
        seen, new = series["accuracy"][: TRAINED - 1], series["accuracy"][TRAINED - 1 :]  # it begins at position 1
        return {**series, "seen": [sum(seen) / len(seen)], "new": [sum(new) / len(new)]}

    return measure


def _mistaken(parts: Parts) -> Parts:
    return dataclasses.replace(parts, sinusoidal_encoding=mystery_encoding)


#: what ``make experiments`` records, by name: functions of the parts and a seed
EXPERIMENTS: dict[str, Callable[[Parts, int], Series]] = {
    **{arm: _curve(arm) for arm in ARMS},
    "mystery": lambda parts, seed: learn(_mistaken(parts), "added", seed)[1],
    "beyond_embedding": _beyond("embedding"),
    "beyond_learned": _beyond("learned"),
}
