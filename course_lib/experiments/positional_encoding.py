"""The experiments of lesson 05. Each takes the parts to test, yours for instance, and a seed."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from contextlib import contextmanager

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
    counted,
    fraction,
    learn,
)

#: what the lesson also uses from the task
__all__ = ["LONGEST", "TRAINED", "WIDTH", "WORDS", "Parts", "Positioned", "accuracy_by_position", "learn"]

LENGTHS = (8, 16, 32, 64, 128, 256, 512)


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


def growth(parts: Parts, seed: int, sentences: int = 8) -> Series:
    """Measure what positions do to an untrained attention, by sentence length.

    Returns:
        ``length`` and, for each of ``_sinusoidal``, ``_counted`` and ``_fraction``: ``largest``, a query's largest
        weight (mean), and ``gradient``, the gradient norm at ``w_v`` when a random gradient of
        norm 1 arrives at the output.
    """
    series: Series = {"length": [float(length) for length in LENGTHS]}
    for length in LENGTHS:
        kinds = {"sinusoidal": parts.sinusoidal_encoding(length, WIDTH), "counted": counted(length)}
        kinds["fraction"] = fraction(length)
        for kind, positions in kinds.items():
            generator = torch.Generator().manual_seed(1000 * seed + length)
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(seed)
                attention = parts.attention(WIDTH, num_heads=1)
            x = torch.randn(sentences, length, WIDTH, generator=generator) + positions  # (B, T, D)
            output, weights = attention(x, x, x, need_weights=True)  # (B, T, D), (B, 1, T, T)
            upstream = torch.randn(output.shape, generator=generator)  # (B, T, D)
            (output * upstream / upstream.norm()).sum().backward()
            gradient = attention.get_parameter("w_v.weight").grad
            series.setdefault(f"largest_{kind}", []).append(weights.detach().amax(dim=-1).mean().item())
            series.setdefault(f"gradient_{kind}", []).append(0.0 if gradient is None else gradient.norm().item())
    return series


def _curve(arm: str) -> Callable[[Parts, int], Series]:
    return lambda parts, seed: learn(parts, arm, seed)[1]


def _beyond(arm: str) -> Callable[[Parts, int], Series]:
    return lambda parts, seed: accuracy_by_position(learn(parts, arm, seed)[0], seed)


def _mistaken(parts: Parts) -> Parts:
    return dataclasses.replace(parts, sinusoidal_encoding=mystery_encoding)


#: what ``make experiments`` records, by name: functions of the parts and a seed
EXPERIMENTS: dict[str, Callable[[Parts, int], Series]] = {
    **{arm: _curve(arm) for arm in ARMS},
    "mystery": lambda parts, seed: learn(_mistaken(parts), "added", seed)[1],
    "beyond_embedding": _beyond("embedding"),
    "beyond_learned": _beyond("learned"),
    "growth": growth,
}
