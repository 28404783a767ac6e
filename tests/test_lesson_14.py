"""Lesson 14: what its prose and drawings say is so, its stretch tasks can be done, and its kinds of attention agree."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from stretch import assert_can_be_done, stretch_cell
from torch import Tensor
from torch.nn import functional as F

from course_lib.components import (
    cache_bytes,
    chunked_attention,
    grouped_query_attention,
    linear_attention,
    online_softmax,
    scaled_dot_product_attention,
    sliding_window_mask,
)
from course_lib.course import Course
from course_lib.diagrams.lesson_14 import scores_in_chunks, window_reach
from course_lib.experiments import costs, recorded, writing
from course_lib.experiments.mystery_chunks import mystery
from course_lib.experiments.rank import share_held
from course_lib.experiments.recordings import recordings
from course_lib.memory_watch import MemoryWatch

LESSON = "14_costs"
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
def test_a_stretch_task_of_lesson_14_can_be_done(course: Course, holds: str, changes: dict[str, str]) -> None:
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


def test_the_caches_of_large_models_are_as_the_lesson_says() -> None:
    assert cache_bytes(96, 12_288, 96, 96, 1) == 4.5 * 2**20
    assert cache_bytes(96, 12_288, 96, 96, 2_048) == 9 * 2**30
    assert cache_bytes(80, 8_192, 64, 8, 131_072) == 40 * 2**30
    assert cache_bytes(80, 8_192, 64, 64, 131_072) == 320 * 2**30 > 2 * 2 * 70e9, "two copies of the model"


@pytest.mark.parametrize("heads, kv_heads", [(4, 4), (4, 2), (4, 1)])
def test_cache_bytes_counts_the_tensors_of_a_cache(heads: int, kv_heads: int) -> None:
    layers, width, length, batch = 3, 20, 7, 2
    tensors = [torch.zeros(2, batch, kv_heads, length, width // heads, dtype=torch.float16) for _ in range(layers)]
    kept = sum(tensor.nbytes for tensor in tensors)
    assert cache_bytes(layers, width, heads, kv_heads, length, batch) == kept
    assert cache_bytes(layers, width, heads, kv_heads, length, batch, 4) == 2 * kept


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


@pytest.mark.parametrize("lead", [(), (2,), (2, 3)])
@pytest.mark.parametrize("groups", [6, 3, 2, 1])
@pytest.mark.parametrize("masked", [False, True])
def test_grouped_query_attention_equals_torchs_and_so_do_its_gradients(
    lead: tuple[int, ...], groups: int, masked: bool
) -> None:
    torch.manual_seed(0)
    shapes = ((6, 5, 8), (groups, 7, 8), (groups, 7, 10))
    inputs = [torch.randn(*lead, *shape, dtype=torch.float64, requires_grad=True) for shape in shapes]
    mask = torch.rand(*lead, 6, 5, 7) < 0.5 if masked else None
    if mask is not None:
        mask[..., 0] = True
    output, weights = grouped_query_attention(*inputs, mask)
    right = F.scaled_dot_product_attention(*inputs, attn_mask=mask, enable_gqa=True)
    torch.testing.assert_close(output, right, rtol=0, atol=1e-10)
    repeated = inputs[2].repeat_interleave(6 // groups, dim=-3)
    torch.testing.assert_close(weights @ repeated, right, rtol=0, atol=1e-10)
    upstream = torch.randn(right.shape, dtype=torch.float64)
    found, expected = (torch.autograd.grad(one, inputs, upstream) for one in (output, right))
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-10)


def test_as_many_groups_as_heads_are_multi_head_attention_and_one_group_is_attention_to_the_same_keys() -> None:
    torch.manual_seed(0)
    query, key, value = torch.randn(3, 2, 4, 5, 8, dtype=torch.float64)  # (B, H, T, Dk) each
    for shared in (slice(None), slice(1)):
        found = grouped_query_attention(query, key[:, shared], value[:, shared])
        right = scaled_dot_product_attention(query, key[:, shared], value[:, shared])
        for one, other in zip(found, right, strict=True):
            torch.testing.assert_close(one, other, rtol=0, atol=1e-10)


def test_grouped_query_attention_copies_no_keys() -> None:
    query, key = torch.randn(2, 8, 1, 64), torch.randn(2, 1, 512, 64)  # (B, H, T, Dk), (B, G, S, Dk)
    with MemoryWatch() as watch:
        grouped_query_attention(query, key, key)
    assert watch.peak < key.nbytes


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
    memory = recorded(LESSON)["memory"]
    for name, power in {"attention": 2, "in chunks": 1, "linear": 1, "recurrent": 1, "convolution": 1}.items():
        assert costs.exponent(memory["length"].median, memory[name].median) == pytest.approx(power, abs=0.03)


def test_time_is_relative_to_the_shortest_length_of_the_same_way() -> None:
    time = costs.time_by_length(PARTS, seed=0)
    assert time.pop("length") == [float(length) for length in costs.LENGTHS]
    assert all(row[0] == 1 and row[-1] > 1 for row in time.values())


def test_chunks_are_faster_only_because_they_need_less_fresh_memory() -> None:
    fresh = recorded(LESSON)["fresh memory"]
    megabytes = {way: fresh[f"{way}, fresh megabytes"] for way in ("at once", "in chunks")}
    assert megabytes["at once"].low[0] >= 3 * 64, "three tensors of scores"
    assert megabytes["in chunks"].high[0] < megabytes["at once"].low[0] / 2
    assert all(of_way.median[1] < 1 for of_way in megabytes.values())
    assert fresh["at once"].high[1] < 1, "in every run"
    for machine in recordings(LESSON):
        if kept := machine.experiments.get("fresh memory"):
            assert kept["in chunks"].median[0] < 1 and kept["in chunks"].median[1] > kept["at once"].median[1]


def test_a_small_cache_saves_time_only_if_it_is_not_copied() -> None:
    token = recorded(LESSON)["a token"]
    assert token["heads"].median == [float(heads) for heads in writing.KV_HEADS]
    assert min(token["copied"].low) > 1.5
    assert token["grouped"].high[2] < 0.6 and token["grouped"].high[3] < 0.5
    live = writing.time_of_a_token(scaled_dot_product_attention, grouped_query_attention, seed=0)
    assert live["megabytes"] == token["megabytes"].median == [64, 32, 16, 8]
    assert live["grouped"][-1] < live["copied"][-1]


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
