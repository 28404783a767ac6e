"""Lesson 05 says what holds: its stretch tasks can be done, its diagrams show the encoding, its paper adds up."""

from __future__ import annotations

import math

import pytest
import torch
from stretch import assert_can_be_done, stretch_cell
from torch import Tensor, nn
from torch.nn import functional as F

from course_lib.components import LearnedPositions, MultiHeadAttention, PositionEmbedding, sinusoidal_encoding
from course_lib.course import Course
from course_lib.diagrams import clock_faces
from course_lib.diagrams.lesson_05 import add_positions, shift_rotation
from course_lib.experiments import positional_encoding as experiments

LESSON = "05_positional_encoding"
OFFSET = {
    "return torch.arange(length)  # yours instead": "return torch.arange(length) + int(torch.randint(49 - length, ()))"
}
GAPS = {
    "return torch.zeros(length, length, dtype=bias.dtype)  # yours instead": "K = len(bias) // 2\n"
    "    t = torch.arange(length)\n    return bias[(t - t[:, None]).clamp(-K, K) + K]"
}
KNOWN = {
    "torch": torch, "math": math, "Tensor": Tensor, "nn": nn, "F": F, "MultiHeadAttention": MultiHeadAttention,
    "sinusoidal_encoding": sinusoidal_encoding,
}  # fmt: skip


def text(course: Course) -> str:
    return (course.root / "lessons" / f"{LESSON}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("holds, changes", [
    ("def training_positions", OFFSET), ("def relative_bias", GAPS),
], ids=["random offsets", "a number for each gap"])  # fmt: skip
def test_a_stretch_task_of_lesson_05_can_be_done(course: Course, holds: str, changes: dict[str, str]) -> None:
    assert_can_be_done(stretch_cell(course, LESSON, holds), changes, KNOWN)


def test_the_diagrams_show_the_encoding() -> None:
    table = sinusoidal_encoding(4, shift_rotation.D_MODEL).double()
    for t in range(4):
        assert torch.allclose(torch.tensor(shift_rotation.row_of(t)), table[t], atol=1e-6)
    assert torch.allclose(table[:3] @ torch.tensor(shift_rotation.one_step()), table[1:], atol=1e-6)
    step = [math.atan2(*sinusoidal_encoding(2, 8)[1, pair : pair + 2].tolist()) for pair in (0, 2, 4, 6)]
    assert step == pytest.approx([clock_faces.turn_of(pair, 8) for pair in range(4)], rel=1e-4)
    assert sorted(add_positions.RED_BOOK) == sorted(add_positions.OLD_BOOK)


def test_paper_adds_up(course: Course) -> None:
    table = sinusoidal_encoding(5, 4)
    assert [f"{number:.3f}" for number in table[2].tolist()] == ["0.909", "-0.416", "0.020", "1.000"]
    assert f"{table[1] @ table[2]:.3f}" == f"{table[3] @ table[4]:.3f}" == "1.540"
    assert f"{math.sin(2) * math.cos(1) + math.cos(2) * math.sin(1):.3f}" == "0.141"
    wide = sinusoidal_encoding(7, 8)
    assert [f"{wide[0] @ wide[t] / 4:.3f}" for t in (1, 3, 6)] == ["0.884", "0.491", "0.946"]
    assert 512 * 768 == 393_216 and "393{,}216" in text(course)


def test_large_words_saturate_the_softmax_before_the_first_step() -> None:
    parts = experiments.Parts(MultiHeadAttention, sinusoidal_encoding, LearnedPositions, PositionEmbedding)
    ids = torch.randint(experiments.WORDS, (200, experiments.TRAINED), generator=torch.Generator().manual_seed(0))
    largest = {}
    for arm in ("embedding", "torch_words"):  # words of norm 8 and of norm 64
        model, _ = experiments.learn(parts, arm, seed=0, steps=0)
        x = model.embedding(ids)
        largest[arm] = model.attention(x, x, x, need_weights=True)[1].amax(dim=-1).mean().item()
    assert 0.05 < largest["embedding"] < 0.15
    assert 0.7 < largest["torch_words"] < 0.9


def test_naming_the_most_frequent_word_is_right_in_13_percent() -> None:
    ids = torch.randint(16, (20_000, 48), generator=torch.Generator().manual_seed(0))
    assert abs(F.one_hot(ids).sum(dim=1).amax(dim=-1).double().mean().item() / 48 - 0.13) < 0.005


def test_four_of_32_hands_go_round_within_16_positions() -> None:
    turns = 10_000 ** (-torch.arange(0, 64, 2).double() / 64)  # (D / 2,): radians per position
    assert [int((turns * (length - 1) >= 2 * math.pi).sum()) for length in (16, 48)] == [4, 7]
