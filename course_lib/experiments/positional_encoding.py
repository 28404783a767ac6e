"""The experiments of lesson 05. Each takes the parts to be tried, yours for instance, and a seed."""

from __future__ import annotations

import dataclasses
import math
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
    WordBefore,
    accuracy_by_place,
    counted,
    fraction,
    learn,
)

#: what a lesson needs of the task too
__all__ = ["LONGEST", "TRAINED", "WIDTH", "WORDS", "Parts", "Positioned", "accuracy_by_place", "learn"]

LENGTHS = (8, 16, 32, 64, 128, 256, 512)


@contextmanager
def double_precision() -> Iterator[None]:
    """Within it, new tensors hold float64: what is exact can be told from what is nearly so."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


def similarity_by_gap(encoding: Callable[[int, int], Tensor], d_model: int, longest: int = 60) -> Series:
    """The cosine of the vectors of two positions, by the gap between them: of position 0 and position ``gap``."""
    table = F.normalize(encoding(longest + 1, d_model), dim=-1)  # (T, D)
    return {"gap": [float(gap) for gap in range(longest + 1)], "cosine": (table @ table[0]).tolist()}


def first_minimum(similarity: Series) -> int:
    """The gap up to which farther is less alike."""
    cosine = similarity["cosine"]
    return next(gap for gap in range(len(cosine) - 1) if cosine[gap + 1] > cosine[gap])


def growth(parts: Parts, seed: int, sentences: int = 8) -> Series:
    """What positions do to an attention that has learned nothing yet, by the length of the sentence.

    Returns:
        ``length`` and, each ``_sinusoidal``, ``_counted`` and ``_fraction``: ``largest``, the weight of a
        query's largest key (mean), and ``gradient``, the norm of the gradient that a random gradient
        of length 1 at the output leaves at ``w_v``.
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


#: the four terms of (E + P)·(E' + P'), in the slide's order
TERMS = ("word_word", "word_position", "position_word", "position_position")


def cross_terms(parts: Parts, seed: int, model: WordBefore | None = None, pairs: int = 20_000) -> Series:
    """The terms of the dot product of a word at place 1 and another at place 1 + gap, in the mean over words.

    Args:
        model: a trained one with a `PositionEmbedding`: the mean runs over all pairs of two of its words.
            Without it, over ``pairs`` pairs of random vectors, each entry from N(0, 1).

    Returns:
        ``gap`` and the `TERMS`, each also with ``_error``, the standard error of the mean, and
        ``_single``, the standard deviation of the term from one pair of words to the next.
    """
    if model is None:
        generator = torch.Generator().manual_seed(seed)
        first, second = torch.randn(2, pairs, WIDTH, generator=generator)  # (pairs, D), (pairs, D)
        independent = pairs
    else:
        words = model.embedding.token_embedding.weight.detach() * math.sqrt(WIDTH)  # type: ignore[union-attr,operator]
        left, right = (~torch.eye(WORDS, dtype=torch.bool)).nonzero(as_tuple=True)  # (pairs,), (pairs,)
        first, second, independent = words[left], words[right], WORDS  # pairs that share a word are not independent
    table = parts.sinusoidal_encoding(LONGEST, WIDTH)  # (LONGEST, D)
    gaps = (1, 3)
    series: Series = {"gap": [float(gap) for gap in gaps]}
    for gap in gaps:
        here, there = table[1].expand_as(first), table[1 + gap].expand_as(first)  # (pairs, D), (pairs, D)
        for name, a, b in zip(TERMS, (first, first, here, here), (second, there, second, there), strict=True):
            term = (a * b).sum(dim=-1)  # (pairs,)
            series.setdefault(name, []).append(term.mean().item())
            series.setdefault(f"{name}_error", []).append(term.std().item() / math.sqrt(independent))
            series.setdefault(f"{name}_single", []).append(term.std().item())
    return series


def _curve(arm: str) -> Callable[[Parts, int], Series]:
    return lambda parts, seed: learn(parts, arm, seed)[1]


def _beyond(arm: str) -> Callable[[Parts, int], Series]:
    return lambda parts, seed: accuracy_by_place(learn(parts, arm, seed)[0], seed)


def _mistaken(parts: Parts) -> Parts:
    return dataclasses.replace(parts, sinusoidal_encoding=mystery_encoding)


#: what ``make experiments`` records, by name: functions of the parts and a seed
EXPERIMENTS: dict[str, Callable[[Parts, int], Series]] = {
    **{arm: _curve(arm) for arm in ARMS},
    "mystery": lambda parts, seed: learn(_mistaken(parts), "added", seed)[1],
    "beyond_embedding": _beyond("embedding"),
    "beyond_learned": _beyond("learned"),
    "growth": growth,
    "cross_terms_random": cross_terms,
    "cross_terms_untrained": lambda parts, seed: cross_terms(parts, seed, learn(parts, "embedding", seed, steps=0)[0]),
    "cross_terms_trained": lambda parts, seed: cross_terms(parts, seed, learn(parts, "embedding", seed)[0]),
}
