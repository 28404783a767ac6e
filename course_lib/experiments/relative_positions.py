"""The experiments of lesson 13: models that know distances but no positions name the word before."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from course_lib.experiments import word_before
from course_lib.experiments.mystery_rotary import mystery_of
from course_lib.experiments.series import Series

#: distances in words from which on all count as one, for `relative_attention`
MAX_DISTANCE = 4
#: sentence lengths for testing trained models: three times and sixteen times the trained length
LONG, VERY_LONG = 48, 256


@dataclass(frozen=True)
class Parts:
    """The components of the models: yours, for instance.

    Attributes:
        transformer: `Transformer`.
        embedding: `PositionEmbedding`.
        attention: `MultiHeadAttention`.
        rotary: `RotaryAttention`.
        relative: ``(query, key, value, key_table, value_table, mask) -> (output, weights)``, like `relative_attention`.
        split, merge: `split_heads` and `merge_heads`.
    """

    transformer: Callable[..., nn.Module]
    embedding: Callable[..., nn.Module]
    attention: type[nn.Module]
    rotary: type[nn.Module]
    relative: Callable[..., tuple[Tensor, Tensor]]
    split: Callable[[Tensor, int], Tensor]
    merge: Callable[[Tensor], Tensor]


class RelativeHeads(nn.Module):
    """Multi-head attention over relative positions: one pair of tables, shared by all heads.

    Args:
        parts: its parts.
        d_model: D, the width.
        num_heads: H, which must divide D.
        max_distance: K.
    """

    def __init__(self, parts: Parts, d_model: int, num_heads: int, max_distance: int = MAX_DISTANCE) -> None:
        super().__init__()
        self.parts, self.num_heads = parts, num_heads
        self.projections: Any = parts.attention(d_model, num_heads)
        rows, width = 2 * max_distance + 1, d_model // num_heads
        self.key_table = nn.Parameter(torch.randn(rows, width) / math.sqrt(width))  # (2K + 1, Dh)
        self.value_table = nn.Parameter(torch.zeros(rows, width))  # (2K + 1, Dh)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        """Map as `MultiHeadAttention` does: (B, T, D), (B, S, D) and (B, S, D) to (B, T, D)."""
        own = self.projections
        heads = (
            self.parts.split(w(x), self.num_heads) for w, x in ((own.w_q, query), (own.w_k, key), (own.w_v, value))
        )
        attended, weights = self.parts.relative(*heads, self.key_table, self.value_table, mask)  # (B, H, T, Dh)
        mixed: Tensor = own.w_o(self.parts.merge(attended))  # (B, T, D)
        return (mixed, weights) if need_weights else mixed


#: the ways to represent positions, by name: an arm of `word_before`, and the attention
WAYS: dict[str, Callable[[Parts], tuple[str, Callable[..., nn.Module]]]] = {
    "sinusoids": lambda parts: ("embedding", parts.attention),
    "relative": lambda parts: ("none", partial(RelativeHeads, parts)),
    "rotary": lambda parts: ("none", parts.rotary),
}


def learn(parts: Parts, way: str, seed: int) -> tuple[nn.Module, Series]:
    """Train a model to name the word before, in sentences of 16 words, and return it with its loss."""
    arm, attention = WAYS[way](parts)
    nothing: Any = None  # no table of sinusoids and no learned one is needed
    return word_before.learn(word_before.Parts(attention, nothing, nothing, parts.embedding), arm, seed)


def accuracy_by_position(model: nn.Module, seed: int, length: int = LONG) -> Series:
    """Return the share of previous words named correctly, by position, in sentences of ``length`` words."""
    sentences = 48_000 // length
    return word_before.accuracy_by_position(model, seed, length, sentences)  # type: ignore[arg-type]


@torch.no_grad()
def score_by_distance(model: Any, seed: int, longest: int = 100, sentences: int = 200) -> Series:
    """Return how far the scores of keys are below the previous word's score, on average, by distance from the query.

    Returns:
        ``distance``, from ``-longest`` to ``longest``, and ``score``: 0 at a distance of -1.
    """
    generator = torch.Generator().manual_seed(20_000 + seed)
    ids = torch.randint(word_before.WORDS, (sentences, 2 * longest + 1), generator=generator)  # (B, T)
    x = model.embedding(ids)  # (B, T, D)
    weights = model.attention(x, x, x, need_weights=True)[1][:, 0, longest]  # (B, T): of the middle query
    scores = weights.log().mean(dim=0)  # (T,): the scores of one query, up to a shared constant
    return {
        "distance": [float(distance) for distance in range(-longest, longest + 1)],
        "score": (scores - scores[longest - 1]).tolist(),
    }


def _by_distance(way: str, parts: Parts, seed: int) -> Series:
    return score_by_distance(learn(parts, way, seed)[0], seed)


def _curve(way: str, parts: Parts, seed: int) -> Series:
    return learn(parts, way, seed)[1]


def _beyond(way: str, length: int, parts: Parts, seed: int) -> Series:
    return accuracy_by_position(learn(parts, way, seed)[0], seed, length)


def _mistaken(parts: Parts) -> Parts:
    return replace(parts, rotary=mystery_of(parts.rotary))


#: what `make experiments` records, by name: functions of the parts and a seed. Sinusoids for 256 positions do not exist
EXPERIMENTS: dict[str, Callable[[Parts, int], Series]] = {
    **{way: partial(_curve, way) for way in WAYS},
    **{f"{way}, long": partial(_beyond, way, LONG) for way in WAYS},
    **{f"{way}, very long": partial(_beyond, way, VERY_LONG) for way in ("relative", "rotary")},
    **{f"{way}, by distance": partial(_by_distance, way) for way in ("relative", "rotary")},
    "mystery, long": lambda parts, seed: _beyond("rotary", LONG, _mistaken(parts), seed),
}
