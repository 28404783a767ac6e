"""Sentences of cards are compared with the code: true ones pass, and false ones are found."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from autograder.exercises import DEFINITIONS
from benchmarks.card_checks import kind_of, promised
from benchmarks.card_evidence import Evidence
from benchmarks.card_sentences import checked, of_paragraph
from course_lib.checking.answer_key import public_key
from course_lib.checking.ask import ask
from course_lib.checking.questions import Question


@pytest.mark.parametrize(
    "exercise_id",
    ["softmax", *(pytest.param(name, marks=pytest.mark.slow) for name in ("encoder_classifier", "train_step"))],
)
def test_no_sentence_of_a_card_is_false(exercise_id: str) -> None:
    found = checked(exercise_id)
    assert [one for one in found if one.sentence.holds is False] == []
    assert sum(one.sentence.holds is True for one in found) > 0.85 * len(found)


#: what the sentence of a check may promise, by the rule that decides it
PROMISES = {
    "calls_none": {"written by hand"},
    "equally_alike_at_equal_gaps": {"equal gaps"},
    "equals_reference": {"equals the reference", "encoded once", "left as it was"},
    "every_gradient_flows": {"receives a gradient"},
    "finite": {"finite"},
    "holds_little": {"little memory"},
    "inputs_unchanged": {"left as it was"},
    "keeps_dtype": {"dtype"},
    "moves_along": {"not moved"},
    "refuses": {"refuses"},
    "sums_to_one": {"sums to 1"},
    "unmoved": {"not moved"},
    "whole_numbers": {"integers"},
    "zero_where_blocked": {"masked keys get no weight"},
}


@pytest.mark.parametrize("exercise_id", DEFINITIONS)
def test_a_line_promises_what_its_rule_decides(exercise_id: str) -> None:
    for check in DEFINITIONS[exercise_id].exercise.checks:
        assert kind_of(check) in PROMISES[check.rule.__name__], check.sentence


@pytest.mark.parametrize("exercise_id", DEFINITIONS)
def test_a_line_does_not_depend_on_the_line_before_it(exercise_id: str) -> None:
    for check in DEFINITIONS[exercise_id].exercise.checks:
        assert not re.match(r"so (?:do|does|is|are)\b", check.sentence), check.sentence


def given(question: Question, name: str) -> Any:
    """Return an argument of the constructor or of the first call."""
    return {**question.built_with, **question.inputs[0]}.get(name)


def pads(question: Question) -> bool:
    ids = [value for value in question.inputs[0].values() if isinstance(value, Tensor) and value.dtype is torch.int64]
    return any(bool((value == given(question, "pad_id")).any()) for value in ids)


#: what a sentence says of the inputs, and whether a question has it
CONDITIONS: tuple[tuple[str, Callable[[Question], bool]], ...] = (
    (r"^one sentence without padding\b", lambda q: not pads(q)),
    (r"^padded batch(?:es)? come", pads),
    (r"^pre-norm\b", lambda q: given(q, "norm_first") is True),
    (r"^post-norm\b", lambda q: given(q, "norm_first") is False),
    (r"^(?:\w+-norm, )?in training\b", lambda q: q.in_training and bool(given(q, "dropout"))),
    (r"^in evaluation\b", lambda q: not q.in_training and bool(given(q, "dropout"))),
    (r"^(?!400).*`causal=True`", lambda q: given(q, "causal") is True),
    (r"`need_weights=True`", lambda q: given(q, "need_weights") is True),
    (r"`axis=1`", lambda q: given(q, "axis") == 1),
    (r"\bwithout masks\b", lambda q: given(q, "mask") is None and given(q, "memory_mask") is None),
    (r"^a mask \(T, [TS]\)", lambda q: given(q, "mask").ndim == 2),
    (r"^a mask \(B, 1, 1, S\)", lambda q: given(q, "mask").shape[1:3] == (1, 1)),
    (r"^a mask \(B, 1, T, S\)", lambda q: given(q, "mask").ndim == 4),
    (r"^a batch of heads \(B, H, T", lambda q: next(iter(q.inputs[0].values())).ndim == 4),
)


@pytest.mark.parametrize("exercise_id", DEFINITIONS)
def test_every_question_of_a_line_has_the_inputs_that_it_describes(exercise_id: str) -> None:
    key = public_key(exercise_id)
    for check in key.exercise.checks:
        for pattern, has in CONDITIONS:
            if re.search(pattern, check.sentence):
                assert all(has(key.question(name)) for name in check.questions), check.sentence


# false sentences are found


def of(exercise_id: str, implementation: Any = None, **more: Any) -> Evidence:
    definition, key = DEFINITIONS[exercise_id], public_key(exercise_id)
    right = definition.load(definition.reference)
    asked = [ask(key.questions, each) for each in (implementation or right, right)]
    return Evidence(key.exercise, key.questions, *asked, **more)


def wide(scores: Any, axis: int = -1) -> Any:
    """A softmax over the whole array."""
    powers = np.exp(scores - scores.max())
    return powers / powers.sum()


@pytest.mark.parametrize(
    ("line", "holds"),
    [
        ("  ✗ the weights of each row sum to 1 — one of yours sums to 0.0555556", True),
        ("  ✓ the weights of each row sum to 1", False),
        ("  ✗ your input is left as it was", False),
        ("  ✓ your input is left as it was", True),
        ("  `weights` is 3 times the right one, wherever it is wrong.", False),
        ("  `weights` has the shape (2, 3), where (3, 2) is asked for.", False),
        ("  On some input it stops with ValueError.", False),
        ("  Every check holds.", False),
        ("  In `weights`, row 0 is wrong already.", True),
        ("  In `weights`, row 0 is right, and row 1 is the first that is wrong.", False),
        ("softmax — 3 of 3 points", False),
    ],
)
def test_a_line_is_true_or_false_of_a_softmax_over_the_whole_array(line: str, holds: bool) -> None:
    assert next(of_paragraph(line, of("softmax", wide))).holds is holds


def test_an_example_must_have_inputs_of_a_question_and_the_values_that_come_out() -> None:
    evidence = of("softmax", wide)
    question = evidence.question("by_hand")
    scores, weights = question.inputs[0]["scores"], evidence.ours["by_hand"].values["weights"]
    right = evidence.right["by_hand"].values["weights"]

    def shown(values: Any) -> str:
        inputs = np.array2string(scores, precision=3, separator=", ", prefix="    scores = ")
        outputs = np.array2string(values, precision=3, separator=", ", prefix="    your weights = ")
        return f"  The smallest example on which it goes wrong:\n    scores = {inputs}\n    your weights = {outputs}"

    assert [one.holds for one in of_paragraph(shown(weights), evidence)] == [True]
    assert [one.holds for one in of_paragraph(shown(weights + 0.1), evidence)] == [False]
    assert [one.holds for one in of_paragraph(shown(right), of("softmax"))] == [False], "the code is right on it"


def test_a_mistake_that_the_author_does_not_name_is_false() -> None:
    sentence = DEFINITIONS["softmax"].exercise.misconceptions[0]
    for names, holds in ((frozenset({sentence.name}), True), (frozenset[str](), False), (None, None)):
        found = list(of_paragraph(f"  {sentence.sentence}", of("softmax", wide, names=names)))
        assert found[0].holds is holds


def test_a_sentence_of_an_unknown_kind_is_unchecked() -> None:
    [found] = of_paragraph("  Your code is elegant.", of("softmax"))
    assert (found.template, found.holds) == ("", None)


def test_a_half_is_right_only_if_there_are_two_halves() -> None:
    evidence = of("encoder_classifier")
    line = "  The encoder's half is right: `encode` returns the right memory. The decoder's is not."
    assert [one.holds for one in of_paragraph(line, evidence)] == [False]


def test_code_that_stops_keeps_no_promise() -> None:
    def stops(scores: Any, axis: int = -1) -> Any:
        raise ValueError

    evidence = of("softmax", stops)
    assert {promised(evidence, check).kept for check in evidence.exercise.checks} == {False}
