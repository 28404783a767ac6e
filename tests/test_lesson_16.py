"""Lesson 16: what its prose says is so, its tools measure what they should, and its stretch tasks can be done."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
import torch
from stretch import assert_can_be_done, stretch_cell
from torch import Tensor

from course_lib.components import (
    Transformer,
    alignment_error_rate,
    attention_rollout,
    gate_heads,
    greedy_decode,
    rank_correlation,
)
from course_lib.course import Course
from course_lib.diagrams.lesson_16 import gated_heads
from course_lib.experiments import reading, recorded
from course_lib.experiments.mystery_rollout import mystery
from course_lib.translator import load_translator

LESSON = "16_reading"
PARTS = reading.Parts(
    load_translator(Transformer), gate_heads, attention_rollout, rank_correlation, alignment_error_rate
)
TOGETHER = {
    "return encoder[0], encoder[1]  # yours instead": ""
    "rest = without([])\n"
    "    single = {head: without([head]) - rest for head in encoder}\n"
    "    pairs = [(a, b) for i, a in enumerate(encoder) for b in encoder[:i]]\n"
    "    return max(pairs, key=lambda pair: without(pair) - rest - single[pair[0]] - single[pair[1]])"
}
BOTH = {
    "return torch.zeros_like(shares, dtype=torch.bool)  # yours instead": ""
    "one = torch.nn.functional.one_hot\n"
    "    return one(shares.argmax(1), shares.size(1)).bool() & one(shares.argmax(0), shares.size(0)).bool().T"
}
DIFFERENCE = {
    "return 0.0, 0.0, 0.0  # yours instead": "return experiments.interval([a - b for a, b in zip(first, second)])"
}


def text(course: Course) -> str:
    return (course.root / "lessons" / f"{LESSON}.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def known() -> dict[str, Any]:
    given = reading.sentences(PARTS.translator, 40, seed=0)
    return {
        "torch": torch, "Tensor": Tensor, "experiments": reading, "parts": PARTS, "given": given,
        "translator": PARTS.translator, "gate_heads": gate_heads, "effects": reading.effects(PARTS, given),
    }  # fmt: skip


@pytest.mark.parametrize("holds, changes", [
    ("def missed_together", TOGETHER), ("def from_both_sides", BOTH), ("def difference", DIFFERENCE),
], ids=["two at a time", "links from both sides", "by how much"])  # fmt: skip
@pytest.mark.slow
def test_a_stretch_task_of_lesson_16_can_be_done(
    course: Course, known: dict[str, Any], holds: str, changes: dict[str, str]
) -> None:
    assert_can_be_done(stretch_cell(course, LESSON, holds), changes, known)


# on paper


def test_the_links_on_paper_are_right() -> None:
    gold = torch.zeros(6, 6, dtype=torch.bool)
    for t, s in ((0, 0), (1, 2), (2, 1), (3, 3), (4, 4), (5, 5)):  # le livre rouge est vieux .
        gold[t, s] = True
    predicted = gold.clone()
    predicted[1] = torch.tensor([False, True, False, False, False, False])
    assert alignment_error_rate(predicted, gold) == pytest.approx(1 - 10 / 12)
    assert f"{1 - 10 / 12:.2f}" == "0.17"


def test_the_ranks_on_paper_are_right() -> None:
    weights, falls = torch.tensor([0.05, 0.6, 0.25, 0.1]), torch.tensor([0.1, 2.0, 0.3, 0.0])
    assert rank_correlation(weights, falls) == pytest.approx(0.8)
    assert rank_correlation(torch.tensor([0.0, 0, 1]), torch.tensor([0.5, 0.5, 2])) == pytest.approx(1)


def test_the_rollout_on_paper_is_right() -> None:
    first, second = torch.tensor([[1.0, 0], [0.5, 0.5]]), torch.tensor([[0.5, 0.5], [0, 1]])
    found = attention_rollout(torch.stack([first, second]).unsqueeze(1))
    assert found.tolist() == [[0.8125, 0.1875], [0.25, 0.75]]


def test_the_gates_on_paper_are_right() -> None:
    found = gate_heads(torch.tensor(gated_heads.MERGED), torch.tensor(gated_heads.GATES))
    assert found.tolist() == list(gated_heads.gated()) == [1, 2, 0, 0, 2.5, 3]


# the components, against others' code and against definitions


def test_rank_correlation_is_pearsons_of_ranks_and_kind_to_any_increasing_change() -> None:
    generator = torch.Generator().manual_seed(0)
    for _ in range(20):
        x, y = torch.randn(2, 30, generator=generator, dtype=torch.float64)
        ranks = torch.stack([x.argsort().argsort(), y.argsort().argsort()]).double()
        assert rank_correlation(x, y) == pytest.approx(float(torch.corrcoef(ranks)[0, 1]), abs=1e-12)
        assert rank_correlation(x.exp(), y**3) == pytest.approx(rank_correlation(x, y), abs=1e-12)
        assert rank_correlation(x, -y) == pytest.approx(-rank_correlation(x, y), abs=1e-12)


def test_rollout_adds_up_every_path_through_the_layers() -> None:
    weights = torch.rand(3, 2, 4, 4, generator=torch.Generator().manual_seed(0)).double().softmax(-1)
    steps = [(layer.mean(0) + torch.eye(4)) / 2 for layer in weights]
    paths = torch.zeros(4, 4, dtype=torch.float64)
    for t in range(4):
        for s in range(4):
            for a in range(4):
                for b in range(4):
                    paths[t, s] += steps[2][t, a] * steps[1][a, b] * steps[0][b, s]
    torch.testing.assert_close(attention_rollout(weights), paths)


# the instruments


def test_open_gates_change_nothing_and_shut_ones_take_out_their_head() -> None:
    network: Any = PARTS.translator.network
    given = reading.sentences(PARTS.translator, 5, seed=3)
    with torch.no_grad():
        whole = network(given.source, given.inputs)
        with reading.gated(network, reading.open_gates(network), gate_heads):
            torch.testing.assert_close(network(given.source, given.inputs), whole)
        name, head = "encoder.layers.1.self_attention", 2
        gates = reading.open_gates(network)
        gates[name][head] = 0
        attention = network.get_submodule(name)
        width = attention.w_o.in_features // attention.num_heads
        x = torch.randn(1, 4, attention.w_o.in_features)
        kept = attention.w_o.weight.clone()
        kept[:, head * width : (head + 1) * width] = 0
        expected = x @ kept.T + attention.w_o.bias
        with reading.gated(network, gates, gate_heads):
            torch.testing.assert_close(attention.w_o(x), expected)
        torch.testing.assert_close(network(given.source, given.inputs), whole, msg="the hooks are gone")


def test_right_counts_what_greedy_decoding_gets_right() -> None:
    translator, given = PARTS.translator, reading.sentences(PARTS.translator, 30, seed=4)
    begin, end = int(given.inputs[0, 0]), translator.french.index("<eos>")
    found = greedy_decode(translator.network, given.source, begin, end, 40)
    same = 0
    for row, pair in zip(found.tolist(), given.pairs, strict=True):
        words = [translator.french[i] for i in row if i != begin]
        same += (words[: words.index("<eos>")] if "<eos>" in words else words) == list(pair.target)
    assert reading.right(PARTS, given) == pytest.approx(same / 30)


def test_a_word_that_is_hidden_is_missed_by_its_translation() -> None:
    given = reading.one_sentence(PARTS.translator, "The red book is old.")
    falls = reading.removal(PARTS.translator.network, given)[0]
    source, target = given.pairs[0].source, given.pairs[0].target
    for english, french in (("red", "rouge"), ("book", "livre"), ("old", "vieux")):
        assert source[int(falls[target.index(french)].argmax())] == english


def test_the_effect_of_a_head_is_the_rise_of_the_loss() -> None:
    given = reading.sentences(PARTS.translator, 10, seed=5)
    found = reading.effects(PARTS, given)
    assert len(found) == 24
    without = replace(PARTS, gate=lambda merged, gates: merged)
    assert set(reading.effects(without, given).values()) == {0.0}


def test_a_mean_lies_in_its_interval_which_narrows_with_the_sample() -> None:
    numbers = [random.Random(i).gauss(1, 1) for i in range(400)]
    low, mean, high = reading.interval(numbers)
    assert low < mean < high
    assert mean == pytest.approx(sum(numbers) / 400)
    assert 0.8 < (high - low) / (4 / 400**0.5) < 1.2, "two standard errors on both sides"


def test_the_mystery_multiplies_the_layers_backwards() -> None:
    weights = torch.rand(3, 2, 5, 5, generator=torch.Generator().manual_seed(1)).softmax(-1)
    torch.testing.assert_close(mystery(weights), attention_rollout(weights.flip(0)))
    assert not torch.allclose(mystery(weights), attention_rollout(weights), atol=1e-3)
    torch.testing.assert_close(mystery(weights[:1]), attention_rollout(weights[:1]))


# what was recorded


def test_the_mean_of_all_heads_aligns_better_than_the_best_of_them() -> None:
    rates = recorded(LESSON)["error rates"]["rate"]
    *heads, mean, place = zip(rates.low, rates.median, rates.high, strict=True)
    assert mean[1] < min(head[1] for head in heads)
    assert max(head[2] for head in heads) < place[0]
    assert 0.45 < place[1] < 0.5


def test_weights_say_something_about_what_matters_and_not_all() -> None:
    found = recorded(LESSON)["agreement"]["correlation"]
    assert 0.4 < found.low[0] <= found.high[0] < 0.55
    assert max(abs(found.low[2]), abs(found.high[2])) < 0.1
    assert found.high[3] < 0.01, "rollout is a hundredth better at best"
    assert found.median[3] < -0.005, "and mostly a little worse"


def test_heads_are_missed_as_the_lesson_says() -> None:
    heads = [reading.called(head) for head in reading.all_heads(PARTS.translator.network)]
    effects = dict(zip(heads, recorded(LESSON)["effects"]["effect"].median, strict=True))
    four = sorted(effects, key=lambda head: -effects[head])[:5]
    assert {head for head in four if head.startswith("cross 1")} == {f"cross 1, head {i}" for i in range(4)}
    assert [head for head in four if head.startswith("decoder 0")] == ["decoder 0, head 1"]
    assert max(effect for head, effect in effects.items() if head.startswith("encoder")) < 0.02
    slopes = torch.tensor(recorded(LESSON)["effects"]["slope"].median)
    assert rank_correlation(slopes, torch.tensor(list(effects.values()))) == pytest.approx(0.8, abs=0.08)


def test_a_third_of_the_heads_may_go_if_they_are_chosen_well() -> None:
    kept = {order: recorded(LESSON)[f"pruning, {order}"]["right"] for order in reading.ORDERS}
    at = reading.TAKEN_OUT.index(8)
    for order in reading.ORDERS[:2]:
        assert kept[order].low[at] > 0.75
    lost = {order: kept[order].median[0] - kept[order].median[at] for order in reading.ORDERS}
    assert 0.05 < lost["least effect first"] < 0.15
    assert 2.5 < lost["at random"] / lost["least effect first"] < 4
    assert max(kept[order].median[reading.TAKEN_OUT.index(16)] for order in reading.ORDERS) < 0.6
