"""What a card says where no known mistake explains what came back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from torch import nn

from autograder.exercises import DEFINITIONS
from course_lib import check
from course_lib.checking.card import AT_A_GLANCE
from course_lib.session import CURRENT

ATTENTION = DEFINITIONS["scaled_dot_product_attention"]


@pytest.fixture(autouse=True)
def _new_kernel(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(CURRENT, "judged", {})


@pytest.mark.parametrize("exercise_id", ["softmax", ATTENTION.id])
def test_a_forgotten_return_is_told(exercise_id: str) -> None:
    assert check(exercise_id, lambda *_: None).card.says == "It returns None. Does it end with `return`?"


def test_parameters_of_other_names_are_told() -> None:
    class SelfAttention(nn.Module):
        def __init__(self, d_model: int, bias: bool = True) -> None:
            super().__init__()
            self.wq = nn.Linear(d_model, d_model, bias=bias)
            self.w_k = nn.Linear(d_model, 2 * d_model, bias=bias)

    says = check("self_attention", SelfAttention).card.says
    assert "Missing: `w_q.weight`, `w_v.weight`, `w_o.weight`." in says
    assert "Not asked for: `wq.weight`." in says
    assert "With the wrong shape: `w_k.weight`." in says


def test_an_error_is_quoted_as_it_is_and_with_its_line() -> None:
    def softmax(scores: Any, axis: int = -1) -> Any:
        raise ValueError("`no` <b>*x*</b>")

    card = check("softmax", softmax).card
    assert card.says == "It stops with ValueError."
    message, line = card.quote.splitlines()
    assert message == "ValueError: `no` <b>*x*</b>"
    assert line.endswith('of softmax: raise ValueError("`no` <b>*x*</b>")')
    assert "ValueError: `no` &lt;b&gt;*x*&lt;/b&gt;" in card.html
    assert message in card.text


def test_a_named_mistake_that_crashes_is_told_with_its_error() -> None:
    definition = DEFINITIONS["softmax"]
    card = check("softmax", definition.load(definition.implementation("keepdims_missing"))).card
    assert card.says == definition.exercise.misconception("keepdims_missing").sentence
    assert "could not be broadcast" in card.quote


def test_what_is_written_in_part_is_not_called_unwritten() -> None:
    right = ATTENTION.load(ATTENTION.reference)

    def without_mask(query: Any, key: Any, value: Any, mask: Any = None) -> Any:
        if mask is not None:
            raise NotImplementedError
        return right(query, key, value)

    card = check(ATTENTION.id, without_mask).card
    assert card.score > 0
    assert card.says.startswith("Part of it is not written yet")


def test_checks_that_fail_for_one_reason_are_told_once() -> None:
    failed = check(ATTENTION.id, lambda *_: "weights").card.checks[0]
    assert failed.seen == "it returned the str 'weights', not (output, weights), each time"
    assert len(failed.sentences) > 1


def test_a_card_is_read_from_the_top_and_the_checks_come_last() -> None:
    card = check("softmax", lambda scores, axis=-1: scores).card
    places = [card.text.index(part) for part in (card.says, "smallest example", "your weights", "Hint 1", " ✗ ")]
    assert places == sorted(places)
    assert [check.mark for check in card.checks] == sorted((c.mark for c in card.checks), key="✗○✓".index)
    in_html = [
        card.html.index(part) for part in ("right but for one step", "smallest example", "Hint 1", ">✗<", "<details")
    ]
    assert in_html == sorted(in_html)


def test_of_many_checks_those_that_hold_are_folded() -> None:
    card = check(ATTENTION.id, ATTENTION.load(ATTENTION.reference)).card
    assert len(card.checks) > AT_A_GLANCE
    assert f"{len(card.checks)} checks hold." in card.text
    assert " ✓ " not in card.text
    few = check("attention_loops", DEFINITIONS["attention_loops"].load(DEFINITIONS["attention_loops"].reference)).card
    assert ("<details" in few.html) == (len(few.checks) > AT_A_GLANCE)


def test_a_module_is_shown_with_the_weights_it_was_tested_with() -> None:
    definition = DEFINITIONS["self_attention"]
    example = check("self_attention", definition.load(definition.implementation("keys_by_w_q"))).card.examples[0]
    assert example is not None
    assert [name for name, _ in example.given][:4] == ["w_q.weight", "w_k.weight", "w_v.weight", "w_o.weight"]


def test_one_point_is_one_point() -> None:
    definition = DEFINITIONS["attention_numpy"]
    assert "1 of 1 point\n" in check("attention_numpy", definition.load(definition.reference)).text


def test_the_tables_of_a_tuple_are_shown_one_below_the_other() -> None:
    definition = DEFINITIONS["recurrent_encoder"]
    wrong = definition.load(definition.implementation("padding_read"))
    text = check("recurrent_encoder", wrong).card.text
    assert "your last[0] = [[" in text
    assert "your last[1] = [[" in text
