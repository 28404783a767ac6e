"""Lesson 12: what its prose and drawings say is so, its stretch tasks can be done, and its kinds of attention agree."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from stretch import assert_can_be_done, stretch_cell
from torch import Tensor
from torch.nn import functional as F

from course_lib.components import (
    chunked_attention,
    linear_attention,
    online_softmax,
    scaled_dot_product_attention,
    sliding_window_mask,
)
from course_lib.course import Course
from course_lib.diagrams.lesson_12 import scores_in_chunks, window_reach
from course_lib.experiments import costs, recorded
from course_lib.experiments.mystery_chunks import mystery
from course_lib.experiments.rank import share_held
from course_lib.memory_watch import MemoryWatch

LESSON = "12_costs"
PARTS = costs.Parts(scaled_dot_product_attention, chunked_attention, linear_attention)
WINDOW = {
    "return torch.zeros_like(value)  # yours instead": ""
    "T, D = query.shape\n"
    "    missing = -T % width\n"
    "    pad = lambda x, front: F.pad(x, (0, 0, front, missing)).reshape(-1, width, D)\n"
    "    q, k, v = (F.pad(x, (0, 0, 0, missing)).reshape(-1, width, D) for x in (query, key, value))\n"
    "    before = lambda x: torch.cat([torch.zeros_like(x[:1]), x[:-1]])\n"
    "    k, v = torch.cat([before(k), k], dim=1), torch.cat([before(v), v], dim=1)\n"
    "    t, s = torch.arange(width)[:, None] + width, torch.arange(2 * width)\n"
    "    mask = ((t - s >= 0) & (t - s < width)).expand(len(q), -1, -1).clone()\n"
    "    mask[0, :, :width] = False\n"
    "    return scaled_dot_product_attention(q, k, v, mask)[0].reshape(-1, D)[:T]"
}
FADING = {
    "return torch.zeros_like(value)  # yours instead": ""
    "t = torch.arange(len(query))\n"
    "    fade = (gamma ** (t[:, None] - t)).tril()\n"
    "    weights = ((F.elu(query) + 1) @ (F.elu(key) + 1).T) * fade\n"
    "    return weights / weights.sum(dim=-1, keepdim=True) @ value"
}
SINKS = {
    "return torch.zeros(length, length, dtype=torch.bool)  # yours instead": ""
    "past = torch.ones(length, length, dtype=torch.bool).tril()\n"
    "    return past & (sliding_window_mask(length, width) | (torch.arange(length) < sinks))"
}
KNOWN: dict[str, Any] = {
    "math": math, "torch": torch, "Tensor": Tensor, "F": F, "MemoryWatch": MemoryWatch,
    "linear_attention": linear_attention, "sliding_window_mask": sliding_window_mask,
    "scaled_dot_product_attention": scaled_dot_product_attention,
}  # fmt: skip


def text(course: Course) -> str:
    return (course.root / "lessons" / f"{LESSON}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("holds, changes", [
    ("def window_attention", WINDOW), ("def fading_attention", FADING), ("def window_with_sinks", SINKS),
], ids=["a window that pays", "a memory that fades", "sinks"])  # fmt: skip
def test_a_stretch_task_of_lesson_12_can_be_done(course: Course, holds: str, changes: dict[str, str]) -> None:
    assert_can_be_done(stretch_cell(course, LESSON, holds), changes, KNOWN)


# on paper


def test_the_chunks_on_paper_are_the_diagrams_and_the_components() -> None:
    scores, values = (
        torch.from_numpy(scores_in_chunks.EXPONENTIALS).log()[None],
        torch.from_numpy(scores_in_chunks.VALUES),
    )
    state = torch.full((1,), -math.inf).double(), torch.zeros(1).double(), torch.zeros(1, 1).double()
    found = []
    for start in (0, 2):
        state = online_softmax(*state, scores[:, start : start + 2], values[start : start + 2, None])
        found.append((state[0].exp().item(), state[1].item(), state[2].item()))
    assert [pytest.approx(one) for one in found] == [(4, 1.5, 6), (8, 1.875, 13.5)]
    assert [(m, t, x) for m, _, t, x in scores_in_chunks.carried()] == [(4, 1.5, 6), (8, 1.875, 13.5)]
    whole = (scores_in_chunks.EXPONENTIALS @ scores_in_chunks.VALUES) / scores_in_chunks.EXPONENTIALS.sum()
    assert whole == pytest.approx(7.2)
    assert 13.5 / 1.875 == 7.2


def test_linear_attention_on_paper_is_right_in_both_orders() -> None:
    q, k, v = torch.tensor([2.0, 1]), torch.tensor([[1.0, 2], [2, 1]]), torch.tensor([6.0, 12])
    assert (k @ q).tolist() == [4, 5]
    assert (v @ k).tolist() == [30, 24]
    assert k.sum(dim=0).tolist() == [3, 3]
    assert (v @ k @ q).item() == ((k @ q) @ v).item() == 84
    found = linear_attention(torch.tensor([[1.0, 0]]), torch.tensor([[0.0, 1], [1, 0]]), v[:, None])
    assert found.item() == pytest.approx(84 / 9)


def test_the_numbers_of_large_models_are_as_the_lesson_says() -> None:
    assert 100_000**2 * 4 == 40e9, "bytes of scores of a book"
    assert f"{2048 / (6 * 12_288 + 2048):.3f}" == "0.027"
    assert f"{1e6 / (6 * 12_288 + 1e6):.2f}" == "0.93"
    assert 50_000 / 6 > 8_000, "the width at which 50,000 words are half of the bill"
    held = recorded(LESSON)["memory"]["attention"].median[-1]
    assert held == pytest.approx(129, abs=0.5)
    assert 2 * 100_000**2 * 4 == 2 * 40e9, "bytes of the scores and the weights of a book"
    assert 4096**2 * 4 == 64 * 2**20, "the scores, and the weights; the output is the rest"


@pytest.mark.parametrize("layers", [1, 2, 3])
def test_windows_reach_as_far_as_the_lesson_says(layers: int) -> None:
    seen = torch.eye(window_reach.WORDS, dtype=torch.bool)
    for _ in range(layers):
        seen = (sliding_window_mask(window_reach.WORDS, window_reach.WINDOW).int() @ seen.int()) > 0
    assert int(seen[-1].sum()) == window_reach.reach(layers) == layers * (window_reach.WINDOW - 1) + 1


# the kinds of attention


@pytest.mark.parametrize("size", [1, 2, 7, 64, 65, 100, 1000])
def test_chunked_attention_equals_attention_for_every_chunk_size(size: int) -> None:
    torch.manual_seed(0)
    query, key, value = torch.randn(2, 3, 50, 16), torch.randn(2, 3, 65, 16), torch.randn(2, 3, 65, 8)
    mask = torch.rand(50, 65) < 0.5
    mask[4] = False
    for allowed in (None, mask):
        whole, _ = scaled_dot_product_attention(query, key, value, allowed)
        torch.testing.assert_close(chunked_attention(query, key, value, size, allowed), whole, rtol=0, atol=1e-6)


def test_chunked_and_linear_attention_hold_memory_that_grows_with_the_length() -> None:
    def held(length: int, kind: str) -> int:
        x = torch.randn(1, length, 32)
        ways: dict[str, Any] = {
            "chunks": lambda: chunked_attention(x, x, x, 64),
            "linear": lambda: linear_attention(x, x, x),
        }
        with MemoryWatch() as watch:
            ways[kind]()
        return watch.peak

    for kind in ("chunks", "linear"):
        assert held(2048, kind) < 2.1 * held(1024, kind) < 2.1 * 2.1 * held(512, kind)


def test_linear_attention_is_a_weighted_mean_whose_weights_are_products() -> None:
    torch.manual_seed(1)
    query, key, value = torch.randn(3, 2, 20, 6, dtype=torch.float64)
    weights = (F.elu(query) + 1) @ (F.elu(key) + 1).mT
    torch.testing.assert_close(linear_attention(query, key, value), weights / weights.sum(-1, keepdim=True) @ value)
    weights = weights.tril()
    causal = linear_attention(query, key, value, causal=True)
    torch.testing.assert_close(causal, weights / weights.sum(-1, keepdim=True) @ value)


def test_a_sliding_window_of_no_tokens_is_refused() -> None:
    with pytest.raises(ValueError, match="window of 0 tokens"):
        sliding_window_mask(5, 0)


def test_the_mystery_is_right_but_where_all_scores_lie_far_below_zero() -> None:
    torch.manual_seed(0)
    query, key, value = (torch.randn(1, 20, 16).abs() for _ in range(3))
    for shift, right in ((0, True), (-10, True), (-50, False)):
        whole, _ = scaled_dot_product_attention(query, key + shift, value)
        assert torch.allclose(mystery(query, key + shift, value, 7), whole, atol=1e-5) is right
    assert mystery(query, key - 100, value, 7).abs().max() == 0, "every exponential is 0"


# what was recorded


def test_costs_grow_as_the_lesson_says() -> None:
    time, memory = recorded(LESSON)["time"], recorded(LESSON)["memory"]
    lengths = time["length"].median
    for name, power in {"attention": 2, "in chunks": 1, "linear": 1, "recurrent": 1, "convolution": 1}.items():
        assert costs.exponent(lengths, memory[name].median) == pytest.approx(power, abs=0.03)
    for ends in (time["attention"].low, time["attention"].median, time["attention"].high):
        assert 2.05 <= costs.exponent(lengths, ends) <= 2.85
    for name in ("linear", "recurrent", "convolution"):
        assert costs.exponent(lengths, time[name].median) == pytest.approx(1, abs=0.15)


def test_memory_is_counted_alike_on_every_machine() -> None:
    live, table = costs.memory_by_length(PARTS, seed=0), recorded(LESSON)["memory"]
    for name, interval in table.items():
        assert interval.low == interval.high
        if name != "recurrent":  # PyTorch's LSTM holds what its version needs
            assert live[name] == pytest.approx(interval.median, rel=1e-3)


def test_half_of_a_layers_time_is_quadratic_where_the_count_says() -> None:
    table = recorded(LESSON)["quadratic share"]
    for multiple, counted, low, high in zip(
        table["multiple"].median, table["counted"].median, table["measured"].low, table["measured"].high, strict=True
    ):
        assert counted == pytest.approx(multiple / (6 + multiple), abs=1e-4)
        assert counted - 0.06 < low <= high < counted + 0.06


def test_a_memory_of_fixed_size_forgets_as_the_lesson_says() -> None:
    share = {way: recorded(LESSON)[f"recall, {way}"]["share"] for way in ("attention", "window", "linear", "recurrent")}
    assert min(share["attention"].low) >= 0.995, "no mistake worth a percent, at 128 pairs either"
    assert 0.4 < share["linear"].low[4] <= share["linear"].high[4] < 0.9
    assert share["linear"].high[5] < 0.4
    assert min(share["window"].low[:2]) == 1 and share["window"].high[2] < 0.6
    assert max(share["recurrent"].high[:2]) < min(share["window"].low[:2])
    assert share["recurrent"].high[0] < 0.95
    assert (
        share["window"].median[1] > share["linear"].median[1] and share["window"].median[2] < share["linear"].median[2]
    )


def test_the_ranks_are_as_the_lesson_says() -> None:
    table = recorded(LESSON)["rank"]
    needed = {name: sum(share < 0.9 for share in table[name].median) + 1 for name in ("trained", "random", "shift")}
    assert needed == {"trained": 5, "random": 6, "shift": 12}


def test_the_share_of_singular_values_is_one_for_a_matrix_of_rank_one() -> None:
    assert share_held(torch.ones(2, 4, 4)) == pytest.approx([1, 1, 1, 1])
    assert share_held(torch.eye(4)[None]) == pytest.approx([0.25, 0.5, 0.75, 1])
