"""The stretch tasks of the lessons can be done: with a solution, every law that their cell prints holds."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
import torch
from torch import Tensor

from course_lib.components import SelfAttention, attention_numpy
from course_lib.course import Course
from course_lib.diagrams import whose_bowl

WINDOW = "torch.ones(length, length, dtype=torch.bool)  # yours instead"
BAND = "(torch.arange(length)[:, None] - torch.arange(length)).abs() <= reach"
TWO = {"your_W_q = np.zeros((4, 2))": "your_W_q = np.array([[0, 8], [0, 0], [8, 0], [8, 0]])",
       "your_W_k = np.zeros((4, 2))": "your_W_k = np.array([[0, 0], [1, 0], [0, 1], [0, 0]])"}  # fmt: skip
ONE = {"your_W_q = np.zeros((4, 2))": "your_W_q = np.array([[-8], [0], [8], [8]])",
       "your_W_k = np.zeros((4, 2))": "your_W_k = np.array([[0], [1], [-1], [0]])"}  # fmt: skip


def cell(course: Course, lesson: str, holds: str) -> str:
    """The demo cell below *Stretch* that holds a text."""
    text = (course.root / "lessons" / f"{lesson}.md").read_text(encoding="utf-8").split("\n## Stretch\n")[1]
    (found,) = [c for c in re.findall(r"```{code-cell}\n:tags: \[demo\]\n\n(.*?)\n```", text, re.DOTALL) if holds in c]
    return found


def run(source: str, changes: dict[str, str], capsys: pytest.CaptureFixture[str]) -> list[str]:
    """The marks that a cell prints once these texts of it are replaced."""
    for old, new in changes.items():
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    known = {"np": np, "torch": torch, "math": math, "Tensor": Tensor, "SelfAttention": SelfAttention}
    values = {"attention_numpy": attention_numpy, "x": whose_bowl.X, "values": whose_bowl.VALUES}
    exec(source, known | values)
    return [line[0] for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize("holds, changes", [
    ("your_W_q", TWO), ("your_W_q", ONE), ("window_mask", {WINDOW: BAND}), ("suspect", {"w_q.bias": "w_k.bias"}),
], ids=["two columns", "one column", "a window", "the bias of the keys"])  # fmt: skip
def test_a_stretch_task_of_lesson_03_can_be_done(
    course: Course, capsys: pytest.CaptureFixture[str], holds: str, changes: dict[str, str]
) -> None:
    source = cell(course, "03_self_attention", holds)
    untouched, done = run(source, {}, capsys), run(source, changes, capsys)
    assert "✗" in untouched, "it is not done yet"
    assert set(done) == {"✓"}


@pytest.mark.parametrize("suspect", [f"w_{x}.{kind}" for x in "qkvo" for kind in ("weight", "bias")])
def test_only_the_bias_of_the_keys_does_nothing(
    course: Course, capsys: pytest.CaptureFixture[str], suspect: str
) -> None:
    source = cell(course, "03_self_attention", "suspect")
    assert run(source, {"w_q.bias": suspect}, capsys) == ["✓" if suspect == "w_k.bias" else "✗"]
