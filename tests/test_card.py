"""What a card says where no known mistake explains what came back."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from autograder.exercises import DEFINITIONS
from course_lib import check
from course_lib.checking.answer_key import public_key
from course_lib.checking.card import AT_A_GLANCE, CheckLine, _fold
from course_lib.checking.explain.show import show_wrong

ATTENTION = DEFINITIONS["scaled_dot_product_attention"]


pytestmark = pytest.mark.usefixtures("new_kernel")


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
    assert failed.seen == "it returned the str 'weights', not (output, weights) (in each)"
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
    shown = {name for names, _ in example.given for name in names.split(", ")}
    assert {"w_q.weight", "w_k.weight", "w_v.weight", "w_o.weight"} <= shown


def test_one_point_is_one_point() -> None:
    definition = DEFINITIONS["attention_numpy"]
    assert "1 of 1 point\n" in check("attention_numpy", definition.load(definition.reference)).text


def test_the_tables_of_a_tuple_are_shown_one_below_the_other() -> None:
    tables = torch.ones(2, 3), torch.zeros(2, 3)
    shown = show_wrong("last", tables, (tables[1], tables[0]))
    assert [name for name, *_ in shown] == ["last[0]", "last[1]"]


def test_folded_checks_are_counted_once() -> None:
    waits = "holds, but earns nothing until the values are right"
    folded = [CheckLine("✗", ("a",), "")] + 6 * [CheckLine("✓", ("b",), "")] + [CheckLine("○", ("c",), waits)]
    assert _fold(folded) == "1 more fails, 7 hold; 1 of these earns nothing until the values are right"
    assert _fold(folded[1:7]) == "6 checks hold"
    assert _fold(folded[7:]) == "1 check holds; it earns nothing until the values are right"
    assert _fold(2 * [CheckLine("○", ("d",), "")]) == "2 checks are still to come"
    assert _fold(2 * [CheckLine("○", ("d",), "")], carried=True) == "2 checks will hold once that is fixed"


def test_a_card_about_an_error_shows_the_inputs_of_that_error() -> None:
    def no_mask(query: Any, key: Any, value: Any, mask: Any = None, dropout: float = 0.0) -> Any:
        scores = (query @ key.transpose(-2, -1) / query.size(-1) ** 0.5).masked_fill(~mask, -1e9)
        weights = scores.softmax(-1) * mask  # right wherever it does not stop
        return weights @ value, weights

    card = check(ATTENTION.id, no_mask).card
    assert card.examples[0].title == "The smallest inputs that raise this error:"
    assert "mask" not in dict(card.examples[0].given)
    assert card.examples[0].wrong == ()
    with pytest.raises(TypeError) as raised:
        no_mask(*public_key(ATTENTION.id).question(card.question).live(no_mask))
    assert str(raised.value) in card.quote


def test_a_card_about_a_class_shows_the_call_that_went_wrong() -> None:
    right = DEFINITIONS["vocabulary"].load(DEFINITIONS["vocabulary"].reference)

    class Vocabulary(right):  # type: ignore[misc, valid-type]
        def decode(self, ids: list[int]) -> list[str]:
            return [str(word) for word in super().decode(ids)][:1]

    card = check("vocabulary", Vocabulary).card
    (name, *_), *_ = card.examples[0].wrong
    assert name.startswith("decode([")


def test_integers_asked_for_are_not_answered_with_a_width() -> None:
    def pad_batch(sentences: Any, pad_id: int) -> Any:
        batch = torch.full((len(sentences), max(map(len, sentences))), float(pad_id))
        for row, sentence in zip(batch, sentences, strict=True):
            row[: len(sentence)] = torch.tensor(sentence)
        return batch

    card = check("pad_batch", pad_batch).card
    assert "float64" not in card.text and "floating-point" in card.says


def test_an_unknown_mistake_is_located() -> None:
    attention = ATTENTION.load(ATTENTION.reference)

    def wrong_weights(*given: Any) -> Any:
        output, weights = attention(*given)
        return output, weights.cos() * weights

    says = check(ATTENTION.id, wrong_weights).card.says
    assert "`weights` is wrong, and `output` is right on all inputs that were tried." in says
