"""The translators of letters of lesson 02: functions of a seed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from torch import nn

from course_lib.components import (
    AdditiveScores,
    AttentionalDecoder,
    AttentionalTranslator,
    BahdanauDecoder,
    RecurrentDecoder,
    RecurrentEncoder,
    RecurrentTranslator,
    attend,
    dot_scores,
)
from course_lib.experiments.letters import WIDTH, run
from course_lib.experiments.series import Series


def without_attention(source: int, target: int) -> nn.Module:
    """All that the decoder knows of the source is one state."""
    return RecurrentTranslator(RecurrentEncoder(source, WIDTH), RecurrentDecoder(target, WIDTH))


def luong(source: int, target: int) -> nn.Module:
    """The current state asks, with dot products."""
    return AttentionalTranslator(RecurrentEncoder(source, WIDTH), AttentionalDecoder(target, WIDTH, dot_scores, attend))


def bahdanau(source: int, target: int) -> nn.Module:
    """The state before asks, with additive scores."""
    decoder = BahdanauDecoder(target, WIDTH, AdditiveScores(WIDTH, WIDTH, WIDTH // 2), attend)
    return AttentionalTranslator(RecurrentEncoder(source, WIDTH), decoder)


LETTERS: dict[str, Callable[[int], Series]] = {
    "copy_without": partial(run, without_attention, "copy"),
    "copy_luong": partial(run, luong, "copy"),
    "reverse_without": partial(run, without_attention, "reverse"),
    "reverse_luong": partial(run, luong, "reverse"),
    "reverse_bahdanau": partial(run, bahdanau, "reverse"),
}
