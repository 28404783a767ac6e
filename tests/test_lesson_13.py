"""Lesson 13: what its prose and drawings say is so, its stretch tasks can be done, and joined sentences are sound."""

from __future__ import annotations

import math
from itertools import islice
from typing import Any

import pytest
import torch
from stretch import assert_can_be_done, stretch_cell
from torch import Tensor, nn

from benchmarks.translator_positions import PARTS
from course_lib.components import (
    RotaryAttention,
    merge_heads,
    relative_positions,
    rotary_embedding,
    scaled_dot_product_attention,
    split_heads,
)
from course_lib.corpus import generate, joined
from course_lib.corpus.joined import LONGEST
from course_lib.course import Course
from course_lib.diagrams.lesson_13 import relative_gaps, turned_together
from course_lib.experiments import recorded
from course_lib.experiments import relative_positions as experiments
from course_lib.experiments.mystery_rotary import mystery_of
from course_lib.experiments.translator_positions import JOINED, WAYS, translator_with

LESSON = "13_relative_positions"
FACTOR = {"return 1.0  # yours instead": "return math.log(n) / math.log(16)"}
SLOPES = {
    "return torch.zeros(num_heads, length, length)  # yours instead": "t = torch.arange(length)\n"
    "    slopes = 2.0 ** (-8 * torch.arange(1, num_heads + 1) / num_heads)\n"
    "    return -slopes[:, None, None] * (t[:, None] - t).abs()"
}
CACHE = {
    "return torch.zeros_like(y), keys, values  # yours instead": ""
    "H, t = layer.num_heads, torch.tensor([keys.size(2)])\n"
    "    q, k, v = (split_heads(w(y), H) for w in (layer.w_q, layer.w_k, layer.w_v))\n"
    "    keys = torch.cat([keys, rotary_embedding(k, t)], dim=2)\n"
    "    values = torch.cat([values, v], dim=2)\n"
    "    found, _ = scaled_dot_product_attention(rotary_embedding(q, t), keys, values)\n"
    "    return layer.w_o(merge_heads(found)), keys, values"
}
KNOWN: dict[str, Any] = {
    "math": math, "torch": torch, "Tensor": Tensor, "nn": nn, "experiments": experiments, "parts": PARTS,
    "RotaryAttention": RotaryAttention, "rotary_embedding": rotary_embedding, "split_heads": split_heads,
    "merge_heads": merge_heads, "scaled_dot_product_attention": scaled_dot_product_attention,
}  # fmt: skip


def text(course: Course) -> str:
    return (course.root / "lessons" / f"{LESSON}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("holds, changes", [
    ("def factor", FACTOR), ("def slopes_down", SLOPES), ("def step", CACHE),
], ids=["a lead that grows", "slopes", "a cache of turned keys"])  # fmt: skip
@pytest.mark.slow
def test_a_stretch_task_of_lesson_13_can_be_done(course: Course, holds: str, changes: dict[str, str]) -> None:
    assert_can_be_done(stretch_cell(course, LESSON, holds), changes, KNOWN)


def test_the_diagram_has_the_distances_of_the_exercise() -> None:
    rows = relative_positions(5, 5, relative_gaps.MAX_DISTANCE) - relative_gaps.MAX_DISTANCE
    assert rows.tolist() == relative_gaps.distances().tolist()


def test_the_row_of_attention_on_paper_adds_up() -> None:
    scores = torch.tensor([0.0, 2.0, 2.0]) / 2, torch.tensor([0.0 + 0, 2 + 4, 2 - 2]) / 2
    assert [[f"{w:.2f}" for w in torch.softmax(s, dim=0).tolist()] for s in scores] == [
        ["0.16", "0.42", "0.42"], ["0.05", "0.91", "0.05"],
    ]  # fmt: skip


@pytest.mark.parametrize("t, s, query, key, score", [
    (0, 0, (2.0, 0.0), (1.0, 1.0), 2.0),
    (2, 1, (-0.832, 1.819), (-0.301, 1.382), 2.764),
    (5, 4, (0.567, -1.918), (0.103, -1.410), 2.764),
    (1, 2, (1.081, 1.683), (-1.325, 0.493), -0.602),
])  # fmt: skip
def test_the_turned_pairs_on_paper_are_right(
    t: int, s: int, query: tuple[float, ...], key: tuple[float, ...], score: float
) -> None:
    q = rotary_embedding(torch.tensor([turned_together.QUERY]).double(), torch.tensor([t]))[0]
    k = rotary_embedding(torch.tensor([turned_together.KEY]).double(), torch.tensor([s]))[0]
    assert [round(number, 3) for number in (*q.tolist(), *k.tolist(), (q @ k).item())] == [*query, *key, score]


def test_the_weight_of_a_lead_is_as_the_lesson_says() -> None:
    assert f"{math.exp(-5.3):.3f}" == "0.005"
    assert [f"{1 / (1 + (n - 1) * math.exp(-5.3)):.2f}" for n in (16, 256)] == ["0.93", "0.44"]
    scores = recorded(LESSON)["relative, by distance"]["score"].median
    distances = recorded(LESSON)["relative, by distance"]["distance"].median
    far = [score for score, distance in zip(scores, distances, strict=True) if abs(distance) > experiments.MAX_DISTANCE]
    assert -5.6 < sum(far) / len(far) < -5.0


def test_the_word_before_is_missed_where_its_weight_is_small() -> None:
    model: Any = experiments.learn(PARTS, "relative", seed=0)[0]
    ids = torch.randint(16, (50, experiments.VERY_LONG), generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        x = model.embedding(ids)
        weights = model.attention(x, x, x, need_weights=True)[1][:, 0].diagonal(offset=-1, dim1=1, dim2=2)
        wrong = model(ids)[:, 1:].argmax(dim=-1) != ids[:, :-1]
    assert wrong.double().mean() > 0.1
    assert (weights[wrong] < 0.3).double().mean() > 0.99


def test_rotary_scores_are_low_where_training_was_and_rise_beyond() -> None:
    table = recorded(LESSON)["rotary, by distance"]
    within, beyond = [], []
    for distance, score in zip(table["distance"].median, table["score"].median, strict=True):
        if not -2 <= distance <= 0:  # next to the word before
            (within if abs(distance) <= 15 else beyond).append(score)
    assert max(within) < -3
    assert max(beyond) > -2
    scores = dict(zip(table["distance"].median, table["score"].median, strict=True))
    assert scores[43] > max(-3, scores[41], scores[42], scores[44], scores[45])
    assert abs(44 - 7 * 2 * math.pi) < 0.02


def test_far_keys_get_little_weight_in_48_words_and_most_of_it_in_256() -> None:
    model: Any = experiments.learn(PARTS, "rotary", seed=0)[0]
    for length, low, high in ((experiments.LONG, 0.05, 0.2), (experiments.VERY_LONG, 0.5, 0.8)):
        ids = torch.randint(16, (50, length), generator=torch.Generator().manual_seed(0))
        with torch.no_grad():
            x = model.embedding(ids)
            weights = model.attention(x, x, x, need_weights=True)[1][:, 0]
        untrained = relative_positions(length, length, length).sub(length).abs() > 15
        assert low < (weights * untrained).sum(dim=-1)[:, 1:].mean() < high


def test_only_the_mystery_notices_where_a_sentence_stands() -> None:
    torch.manual_seed(0)
    right = RotaryAttention(8, num_heads=2).double()
    wrong = mystery_of(RotaryAttention)(8, num_heads=2).double()
    wrong.load_state_dict(right.state_dict())
    x = torch.randn(1, 5, 8, dtype=torch.float64)
    further_down = torch.cat([torch.zeros(1, 10, 8, dtype=torch.float64), x], dim=1)
    real = (torch.arange(15) >= 10).expand(15, 15)

    def moved(layer: nn.Module) -> tuple[float, float]:
        output, weights = layer(x, x, x, need_weights=True)
        late, late_weights = layer(further_down, further_down, further_down, real, need_weights=True)
        changes = (late_weights[..., 10:, 10:] - weights, late[:, 10:] - output)
        return tuple(change.abs().max().item() for change in changes)  # type: ignore[return-value]

    assert max(moved(right)) < 1e-12
    weights, outputs = moved(wrong)
    assert weights < 1e-12
    assert outputs > 0.1


def test_joined_sentences_are_all_there_in_order_and_stay_aligned() -> None:
    pairs = list(islice(generate(0, "train"), 2000))
    rows = list(joined(pairs, 0.5, seed=0))
    assert [word for row in rows for word in row.source] == [word for pair in pairs for word in pair.source]
    assert [word for row in rows for word in row.target] == [word for pair in pairs for word in pair.target]
    links = [(row.source[i], row.target[j]) for row in rows for i, j in row.alignment]
    assert links == [(pair.source[i], pair.target[j]) for pair in pairs for i, j in pair.alignment]
    lengths = [len(row.source) for row in rows]
    assert 14 < max(lengths) <= LONGEST
    assert rows == list(joined(pairs, 0.5, seed=0))
    assert rows != list(joined(pairs, 0.5, seed=1))
    assert list(joined(pairs, 0.0, seed=0)) == pairs


def test_four_of_ten_training_examples_are_rows_of_sentences() -> None:
    rows = list(joined(list(islice(generate(0, "train"), 20_000)), JOINED, seed=0))
    ends = [sum(word in (".", "?") for word in row.source) for row in rows]
    assert max(ends) == 4
    assert 0.38 < sum(end > 1 for end in ends) / len(rows) < 0.43
    assert max(row.depth for row in rows) == 1, "no relative clause inside another"


@pytest.mark.parametrize("way", WAYS)
def test_a_translator_of_each_way_is_blind_to_words_to_come(way: str) -> None:
    torch.manual_seed(0)
    translator = translator_with(way, PARTS)(20, 30).eval()
    source, inputs = torch.randint(1, 20, (2, 6)), torch.randint(1, 30, (2, 7))
    changed = inputs.clone()
    changed[:, 4:] = torch.randint(1, 30, (2, 3))
    with torch.no_grad():
        before, after = translator(source, inputs), translator(source, changed)
    assert torch.allclose(before[:, :4], after[:, :4], atol=1e-6)
    assert not torch.allclose(before[:, 4:], after[:, 4:], atol=1e-2)


@pytest.mark.parametrize("way, notices", [("none", False), ("sinusoids", True), ("relative", True), ("rotary", True)])
def test_an_encoder_without_positions_reads_a_bag_of_words(way: str, notices: bool) -> None:
    torch.manual_seed(0)
    network: Any = translator_with(way, PARTS)(20, 30).eval().network  # type: ignore[union-attr]
    source = torch.arange(1, 7).unsqueeze(0)
    order = torch.tensor([0, 3, 2, 1, 4, 5])
    with torch.no_grad():
        memory, shuffled = network.encode(source)[0], network.encode(source[:, order])[0]
    assert torch.allclose(memory[:, order], shuffled, atol=1e-5) is not notices


def test_the_shares_of_longer_sentences_are_as_the_lesson_says() -> None:
    table = recorded(LESSON)
    single = {way: table[f"translator, {way}"]["exact_match"] for way in WAYS}
    rows = {way: table[f"translator, {way}, joined"]["exact_match"] for way in WAYS}
    assert [round(single[way].median[2]) for way in ("sinusoids", "learned")] == [3, 0]
    assert [round(rows[way].median[2]) for way in ("sinusoids", "learned")] == [74, 72]
    assert max(single, key=lambda way: single[way].median[2]) == "relative"
    assert 1 / 8 < single["relative"].median[2] / 100 < 1 / 6
    assert round(rows["rotary"].low[2]) == 35
    distances = max(rows[way].median[2] for way in ("relative", "rotary"))
    assert all(rows[way].median[2] > distances for way in ("learned", "sinusoids"))
    assert single["random offsets"].median[2] <= single["sinusoids"].median[2]
    assert 75 < single["none"].median[0] < 85
    best = ("learned", "sinusoids", "relative", "rotary")
    assert all(0 <= single[way].median[0] - rows[way].median[0] <= 3 for way in best)
    assert max(rows, key=lambda way: rows[way].median[3] - single[way].median[3]) in (
        "sinusoids",
        "learned",
        "relative",
    )
    assert all(rows[way].median[3] > single[way].median[3] for way in WAYS if way != "none")
    assert max(rows[way].high[3] for way in WAYS) < 50
