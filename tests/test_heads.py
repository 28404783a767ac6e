"""Lesson 04 computes with the numbers that its diagrams show, and its stretch tasks can be done."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from course_lib.components import merge_heads, scaled_dot_product_attention, split_heads
from course_lib.course import Course
from course_lib.diagrams.lesson_04 import numbers as red_or_old

PREVIOUS_Q, PREVIOUS_K, MATCHING_Q, MATCHING_K = np.zeros((4, 12, 12))
for i in range(7):
    PREVIOUS_K[5 + i, i] = 6
    PREVIOUS_Q[5 + i, i - 1] = 6 if i else 0
    MATCHING_Q[5 + i, 5 + i], MATCHING_K[5 + i, 5 + i] = -6, 6
for i in range(5):
    MATCHING_Q[i, i] = MATCHING_K[i, i] = 6

HANDS = "previous_q, previous_k = torch.zeros(12, 12), torch.zeros(12, 12)  # (D, Dh): yours instead"
OTHERS = "matching_q, matching_k = torch.zeros(12, 12), torch.zeros(12, 12)  # (D, Dh): yours instead"
GROUPS = "torch.zeros_like(query)  # yours instead"
SHARED = "scaled_dot_product_attention(query, *(x.repeat_interleave(4 // x.size(1), 1) for x in (key, value)))[0]"
CYCLED = "scaled_dot_product_attention(query, *(x.repeat(1, 4 // x.size(1), 1, 1) for x in (key, value)))[0]"


def cell(course: Course, holds: str) -> str:
    """The only demo cell of the lesson that holds a text."""
    text = (course.root / "lessons" / "04_multi_head_attention.md").read_text(encoding="utf-8")
    (found,) = [c for c in re.findall(r"```{code-cell}\n:tags: \[demo\]\n\n(.*?)\n```", text, re.DOTALL) if holds in c]
    return found


def run(source: str, **known: Any) -> dict[str, Any]:
    names = {"torch": torch, "Tensor": Tensor, "split_heads": split_heads, "merge_heads": merge_heads}
    names |= {"scaled_dot_product_attention": scaled_dot_product_attention} | known
    exec(source, names)
    return names


def marks(source: str, capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    run(source)
    return "".join(line[0] for line in capsys.readouterr().out.splitlines())


def test_the_lesson_computes_with_the_numbers_that_its_diagram_shows(course: Course) -> None:
    said = run(cell(course, "red_book = "))
    assert (said["red_book"].numpy() == red_or_old.PASSES_ON).all()
    assert (said["old_book"].numpy() == red_or_old.PASSES_ON[list(red_or_old.EXCHANGED)]).all()
    shown = {"one softmax": red_or_old.BOTH, "which book?": red_or_old.WHICH, "what about it?": red_or_old.WHAT}
    for name, row in said["weights_of"].items():
        assert row.sum() == pytest.approx(1)
        assert name not in shown or (row.numpy() == shown[name]).all()


def test_the_diagram_of_the_shape_trap_shows_what_splitting_does() -> None:
    labelled = torch.tensor(red_or_old.LABELS)[None]  # (B, T, D)
    assert (split_heads(labelled, red_or_old.HEADS)[0].numpy() == red_or_old.SPLIT).all()
    assert (labelled.view(1, 2, 5, 2)[0].numpy() == red_or_old.ONLY_VIEWED).all()


def test_on_paper_one_column_tells_the_two_sentences_apart(course: Course, capsys: pytest.CaptureFixture[str]) -> None:
    first = run(cell(course, "red_book = "))
    labelled = torch.tensor(red_or_old.LABELS)[None]  # (B, T, D)
    run(
        cell(course, "by_head @ "),
        labelled=labelled,
        **{name: first[name] for name in ("weights_of", "red_book", "old_book")},
    )
    said = capsys.readouterr().out
    assert "the red book is old: merged [0.6, 0.1, 0.1, 0.6], through the column 1.2" in said
    assert "the old book is red: merged [0.1, 0.6, 0.6, 0.1], through the column 0.2" in said


def test_two_heads_by_hand_can_be_found(course: Course, capsys: pytest.CaptureFixture[str]) -> None:
    source = cell(course, "previous_q")
    assert marks(source, capsys) == "✗✗✗✗✗"
    for old, matrices in ((HANDS, (PREVIOUS_Q, PREVIOUS_K)), (OTHERS, (MATCHING_Q, MATCHING_K))):
        assert source.count(old) == 1
        names = old.split(" =")[0]
        source = source.replace(old, f"{names} = torch.tensor({[m.tolist() for m in matrices]})")
    assert marks(source, capsys) == "✓✓✓✓✓"


def test_grouped_queries_can_be_written_and_groups_in_the_wrong_order_are_seen(
    course: Course, capsys: pytest.CaptureFixture[str]
) -> None:
    source = cell(course, "grouped_query_attention")
    assert marks(source, capsys) == "✗✗✗"
    assert marks(source.replace(GROUPS, SHARED), capsys) == "✓✓✓"
    assert marks(source.replace(GROUPS, CYCLED), capsys) == "✓✗✓"
