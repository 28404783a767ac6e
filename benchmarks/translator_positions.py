"""Lesson 13: translators with several kinds of positions: functions of a seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from benchmarks.translators import transformer_parts
from course_lib.components import (
    MultiHeadAttention,
    PositionEmbedding,
    RotaryAttention,
    Transformer,
    corpus_bleu,
    merge_heads,
    relative_attention,
    split_heads,
)
from course_lib.experiments import translation
from course_lib.experiments.relative_positions import Parts
from course_lib.experiments.series import Series
from course_lib.experiments.translator_positions import JOINED, WAYS, translator_with

PARTS = Parts(
    Transformer, PositionEmbedding, MultiHeadAttention, RotaryAttention, relative_attention, split_heads, merge_heads
)


def by_split(way: str, joined: float, seed: int) -> Series:
    """`scores_by_split` of a translator that is trained as lesson 09's, and the CPU ``seconds`` of that."""
    parts = transformer_parts(joined=joined)
    made = replace(parts, translator=translator_with(way, PARTS))
    model, history = translation.learn(made, seed)
    return translation.scores_by_split(made, model, corpus_bleu, seed) | {"seconds": history.seconds[-1:]}


TRANSLATOR_POSITIONS: dict[str, Callable[[int], Series]] = {
    **{f"translator, {way}": partial(by_split, way, 0.0) for way in WAYS},
    **{f"translator, {way}, joined": partial(by_split, way, JOINED) for way in WAYS},
}
