"""The stretch tasks of the lessons can be done: with a solution, every check that their cell prints holds."""

from __future__ import annotations

import math
from itertools import islice
from typing import Any

import numpy as np
import pytest
import torch
from stretch import assert_can_be_done, marks, stretch_cell
from torch import Tensor, nn

from course_lib.components import (
    CachedDecoder,
    RecurrentDecoder,
    SelfAttention,
    Transformer,
    Vocabulary,
    attend,
    attention_numpy,
    beam_search,
    corpus_bleu,
    teacher_forced_loss,
)
from course_lib.corpus import generate
from course_lib.course import Course
from course_lib.diagrams.lesson_03 import numbers as whose_bowl
from course_lib.experiments import decoding
from course_lib.translator import load_translator

WINDOW = "torch.ones(length, length, dtype=torch.bool)  # yours instead"
BAND = "(torch.arange(length)[:, None] - torch.arange(length)).abs() <= reach"
TWO = {"your_W_q = np.zeros((4, 2))": "your_W_q = np.array([[0, 8], [0, 0], [8, 0], [8, 0]])",
       "your_W_k = np.zeros((4, 2))": "your_W_k = np.array([[0, 0], [1, 0], [0, 1], [0, 0]])"}  # fmt: skip
ONE = {"your_W_q = np.zeros((4, 2))": "your_W_q = np.array([[-8], [0], [8], [8]])",
       "your_W_k = np.zeros((4, 2))": "your_W_k = np.array([[0], [1], [-1], [0]])"}  # fmt: skip

KNOWN = {
    "np": np, "torch": torch, "math": math, "Tensor": Tensor, "SelfAttention": SelfAttention,
    "attention_numpy": attention_numpy, "x": whose_bowl.X, "values": whose_bowl.VALUES,
}  # fmt: skip


@pytest.mark.parametrize("holds, changes", [
    ("your_W_q", TWO), ("your_W_q", ONE), ("window_mask", {WINDOW: BAND}), ("suspect", {"w_q.bias": "w_k.bias"}),
], ids=["two columns", "one column", "a window", "the bias of the keys"])  # fmt: skip
def test_a_stretch_task_of_lesson_03_can_be_done(course: Course, holds: str, changes: dict[str, str]) -> None:
    assert_can_be_done(stretch_cell(course, "03_self_attention", holds), changes, KNOWN)


@pytest.mark.parametrize("suspect", [f"w_{x}.{kind}" for x in "qkvo" for kind in ("weight", "bias")])
def test_only_the_bias_of_the_keys_does_nothing(course: Course, suspect: str) -> None:
    source = stretch_cell(course, "03_self_attention", "suspect")
    assert marks(source, {"w_q.bias": suspect}, KNOWN) == ["✓" if suspect == "w_k.bias" else "✗"]


def test_the_early_stop_of_lesson_10_can_be_written(course: Course) -> None:
    source = stretch_cell(course, "10_search", "def may_stop")
    done = (
        "    open_ones = [total for total, over in zip(sums, ended) if not over]\n"
        "    best = max((total for total, over in zip(sums, ended) if over), default=-math.inf)\n"
        "    return best >= max(open_ones, default=-math.inf) and any(ended)"
    )
    assert_can_be_done(source, {"    return all(ended)  # yours instead": done}, KNOWN)


@torch.no_grad()
def cached_beam(
    model: Any, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int, alpha: float = 0.0
) -> tuple[Tensor, Tensor]:
    """`beam_search` whose hypotheses take their keys and values along."""
    batch, pad_id = len(source), model.pad_id
    memory, memory_mask = (one.repeat_interleave(width, dim=0) for one in model.encode(source))
    decoder = CachedDecoder(model, memory, memory_mask)
    words = source.new_full((batch, width, 1), bos_id)
    total = torch.full((batch, width), -math.inf).index_fill(1, torch.tensor([0]), 0.0)
    length, ended = torch.zeros(batch, width), torch.zeros(batch, width, dtype=torch.bool)
    for _ in range(max_length):
        logs = decoder.step(words[:, :, -1].flatten()).log_softmax(dim=-1).view(batch, width, -1)
        waiting = torch.full_like(logs, -math.inf).index_fill(2, torch.tensor([pad_id]), 0.0)
        sums = total.unsqueeze(2) + torch.where(ended.unsqueeze(2), waiting, logs)  # (B, K, V)
        lengths = length + ~ended
        best = (sums / lengths.unsqueeze(2) ** alpha).flatten(1).topk(width, dim=1).indices  # (B, K)
        parent, word = best // logs.size(2), best % logs.size(2)
        rows = (torch.arange(batch).unsqueeze(1) * width + parent).flatten()
        for layer in decoder.layers:
            layer.keys, layer.values = layer.keys[rows], layer.values[rows]
        words = torch.cat([words.flatten(0, 1)[rows].view(batch, width, -1), word.unsqueeze(2)], dim=2)
        total, length = sums.flatten(1).gather(1, best), lengths.gather(1, parent)
        ended = ended.gather(1, parent) | (word == eos_id)
        if ended.all():
            break
    scores = total / length**alpha
    winner = scores.argmax(dim=1)
    found = words[torch.arange(batch), winner, 1:]
    longest = int((found != pad_id).sum(dim=1).max())
    return found[:, :longest], scores[torch.arange(batch), winner]


def test_the_cached_beam_of_lesson_11_can_be_written(course: Course) -> None:
    source = stretch_cell(course, "11_your_translator", "def cached_beam")
    parts = decoding.Parts(Transformer, Vocabulary, teacher_forced_loss, corpus_bleu, None, None, RecurrentDecoder)
    known = {
        **{"beam_search": beam_search, "nn": nn, "islice": islice, "generate": generate, "experiments": decoding},
        **{"shipped": decoding.shipped(parts), "load_translator": load_translator, "Transformer": Transformer},
        **{"BOS": 1, "EOS": 2, "LONGEST": 40, "yours": cached_beam},
    }
    yours = {"return beam_search(model, source, bos_id, eos_id, max_length, width, alpha)": "return yours(model, "
             "source, bos_id, eos_id, max_length, width, alpha)"}  # fmt: skip
    assert marks(source, {}, KNOWN | known) == ["✓", "✓", "✗"], "it is not done yet"
    assert marks(source, yours, KNOWN | known) == ["✓", "✓", "✓"]


EVERYWHERE = """
    return attend(scores, values, mask)  # yours instead
"""
NEARBY = """
    offset = torch.arange(scores.size(1)) - position[:, None]
    near = mask & (offset.abs() <= reach)
    _, weights = attend(scores, values, near)
    weights = weights * torch.exp(-(offset**2) / (2 * (reach / 2) ** 2))
    return (weights.unsqueeze(1) @ values).squeeze(1), weights
"""


def test_local_attention_of_lesson_02_can_be_written(course: Course) -> None:
    source = stretch_cell(course, "02_attention", "def local_attend")
    assert_can_be_done(source, {EVERYWHERE: NEARBY}, KNOWN | {"attend": attend})
