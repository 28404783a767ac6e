"""Every rule holds where its check does, and says what it sees where it does not."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from keys import wrong_before
from torch import Tensor

from autograder.exercises import DEFINITIONS
from autograder.exercises.sampler import Sampler
from course_lib.checking.answer_key import AnswerKey, Written
from course_lib.checking.answers import Answer, Error
from course_lib.checking.ask import ask
from course_lib.checking.exercise import Check, Exercise, Matcher, Misconception
from course_lib.checking.exercise_json import exercise_from_json, exercise_to_json
from course_lib.checking.judge import judge
from course_lib.checking.matchers import any_lesson, lesson_05
from course_lib.checking.questions import Call, Module, Question
from course_lib.checking.rules import (
    Finding,
    Rule,
    equally_alike_at_equal_gaps,
    equals_reference,
    every_gradient_flows,
    finite,
    inputs_unchanged,
    keeps_dtype,
    moves_along,
    refuses,
    sums_to_one,
    unmoved,
    zero_where_blocked,
)
from course_lib.checking.values import Unsupported, Value

T = torch.tensor
PLAIN = Call("plain", {"x": T([1.0, 1.0])}, returns=["w"])


def find(
    rule: Rule, answer: dict[str, Value], reference: Any = None, question: Question = PLAIN, **settings: Any
) -> Finding:
    return rule(question, answer, reference or {}, **settings)


def holds(finding: Finding) -> None:
    assert finding == Finding(True), finding.seen


def broken(finding: Finding, seen: str) -> None:
    assert not finding.holds
    assert seen in finding.seen


@pytest.mark.parametrize("exercise_id", DEFINITIONS)
def test_an_exercise_is_the_same_when_it_is_read_back(exercise_id: str) -> None:
    exercise = DEFINITIONS[exercise_id].exercise
    assert exercise_from_json(json.loads(json.dumps(exercise_to_json(exercise)))) == exercise


@pytest.mark.parametrize(
    "settings, says", [({}, "missing a required argument: 'fields'"), ({"feilds": ["w"]}, "'fields'")]
)
def test_settings_that_a_rule_does_not_take_are_an_error_where_the_law_is_defined(
    settings: dict[str, Value], says: str
) -> None:
    with pytest.raises(TypeError, match=f"check 'equal': equals_reference: .*{says}"):
        Check("equal", equals_reference, "plain", "comes out right", 3.0, settings)
    with pytest.raises(TypeError, match="unexpected keyword argument 'wihtin'"):
        Check("equal", equals_reference, "plain", "comes out right", 3.0, {"fields": ["w"], "wihtin": 1e-3})


# equals_reference

RIGHT = T([[0.25, 0.75]], dtype=torch.float64)


def test_equal_fields_hold_whatever_their_precision() -> None:
    for ours in (RIGHT, RIGHT + 1e-10, RIGHT.float(), RIGHT.clone().requires_grad_().detach()):
        holds(find(equals_reference, {"output": ours}, {"output": RIGHT}, fields=["output"]))


@pytest.mark.parametrize(
    "ours, seen",
    [
        (RIGHT + T([[0.0, 0.5]]), "1 of 2 numbers in `output` differ, by up to 0.5"),
        (RIGHT.T, "has the shape (2, 1), not (1, 2)"),
        (RIGHT[0], "has the shape (2,), not (1, 2)"),
        (RIGHT * math.nan, "holds nan"),
        (RIGHT.numpy(), "where a torch tensor is asked for"),
        (None, "`output` is None"),
        ([0.25, 0.75], "a list of 2"),
        ((RIGHT,), "a tuple of 1"),
        (0.25, "float 0.25"),
        ("x" * 1000, "str 'xxx"),
        (Unsupported("generator"), "a generator"),
        (Unsupported("object"), "an object"),
    ],
)
def test_a_field_that_differs_is_told_in_one_clause(ours: Value, seen: str) -> None:
    finding = find(equals_reference, {"output": ours}, {"output": RIGHT}, fields=["output"])
    broken(finding, seen)
    assert "\n" not in finding.seen
    assert len(finding.seen) < 200


def test_numbers_where_booleans_are_asked_for_are_told_as_such() -> None:
    mask = torch.tensor([True, False])
    finding = find(equals_reference, {"mask": mask.long()}, {"mask": mask}, fields=["mask"])
    broken(finding, "torch.int64, where booleans are asked for")
    holds(find(equals_reference, {"mask": mask.clone()}, {"mask": mask}, fields=["mask"]))


def test_infinity_equals_infinity_alone() -> None:
    right = T([math.inf, -math.inf])
    holds(find(equals_reference, {"x": right.clone()}, {"x": right}, fields=["x"]))
    for wrong in (T([1.0, 1.0]), -right, T([math.nan, -math.inf])):
        assert not find(equals_reference, {"x": wrong}, {"x": right}, fields=["x"]).holds


def test_an_array_where_arrays_are_asked_for() -> None:
    right = np.ones((2, 3))
    holds(find(equals_reference, {"w": right + 1e-12}, {"w": right}, fields=["w"]))
    broken(find(equals_reference, {"w": torch.ones(2, 3)}, {"w": right}, fields=["w"]), "a NumPy array is asked for")


def test_a_missing_field_is_told_with_what_came_instead() -> None:
    broken(find(equals_reference, {}, {"w": RIGHT}, fields=["w"]), "there is no `w`")
    only_shapes = {"shapes": {"table": [4, 2]}}  # what a module answers whose parameters do not fit
    broken(find(equals_reference, only_shapes, {"w": RIGHT}, fields=["w"]), "not tested yet: first, the parameters")
    broken(find(refuses, {}, {"raised": "ValueError"}), "not tested yet: first, the parameters")
    broken(find(equals_reference, {"returned": RIGHT}, {"w": RIGHT}, fields=["w"]), "it returned a tensor of shape")
    calls = {"calls": [{"returned": None}]}
    broken(find(equals_reference, calls, {"calls": [{"w": RIGHT}]}, fields=["calls/0/w"]), "it returned None")


def test_named_values_are_compared_one_by_one() -> None:
    right = {"shapes": {"w_q": [2, 2], "w_k": [2, 2]}, "gradients": {"x": RIGHT}}
    holds(find(equals_reference, {**right}, right, fields=["shapes", "gradients"]))
    other = {"shapes": {"w_q": [2, 2], "w_k": [2, 3]}, "gradients": {"x": RIGHT * 2}}
    broken(find(equals_reference, other, right, fields=["shapes"]), "`w_k` has the shape (2, 3), not (2, 2)")
    broken(find(equals_reference, {"gradients": {}}, right, fields=["gradients"]), "there is no gradient of `x`")
    broken(find(equals_reference, other, right, fields=["gradients"]), "the gradient of `x`")
    more = {"shapes": {**right["shapes"], "w_v": [2, 2]}}
    broken(find(equals_reference, more, right, fields=["shapes"]), "parameters that are not asked for: `w_v`")


@pytest.mark.parametrize(
    "ours, right, seen",
    [
        (6, 4, "`n` is 6: too large"),
        (-0.625, 0.5, "`n` is -0.625: too small"),
        (math.inf, 1.0, "`n` is inf: too large"),
        (math.nan, 1.0, "`n` is the float nan"),
        (None, 3, "`n` is None"),
        (True, 3, "`n` is `True`"),
        ([1, 5, 7], [1, 6, 8], "2 of 3 entries of `n` differ, the first at index 1"),
        (["a"], ["a", "b"], "`n` has 1 entry, not 2"),
        ((1, 2), [1, 2], "`n` is a tuple of 2"),
        ("a", "b", "`n` is the str 'a'"),
    ],
)
def test_numbers_and_lists_differ_in_words(ours: Value, right: Value, seen: str) -> None:
    broken(find(equals_reference, {"n": ours}, {"n": right}, fields=["n"]), seen)


def test_booleans_are_told_from_numbers() -> None:
    right = T([True, False])
    broken(
        find(equals_reference, {"m": T([1, 0])}, {"m": right}, fields=["m"]),
        "torch.int64, where booleans are asked for",
    )
    broken(
        find(equals_reference, {"m": right}, {"m": T([1.0, 0.0])}, fields=["m"]),
        "torch.bool, where numbers are asked for",
    )
    broken(find(equals_reference, {"m": ~right}, {"m": right}, fields=["m"]), "2 of 2 entries of `m` differ")


def test_one_number_and_a_part_of_a_tuple_are_told_as_such() -> None:
    broken(find(equals_reference, {"n": T(2.5)}, {"n": T(2.0)}, fields=["n"]), "`n` is off by 0.5")
    last, right = (RIGHT, RIGHT * 2), (RIGHT, RIGHT)
    broken(find(equals_reference, {"last": last}, {"last": right}, fields=["last/1"]), "in `last[1]` differ")


# keeps_dtype


def test_a_number_type_is_kept_or_is_not() -> None:
    holds(find(keeps_dtype, {"w": RIGHT * 3}, {"w": RIGHT}, fields=["w"]))
    holds(find(keeps_dtype, {"w": np.ones(2)}, {"w": np.zeros(2)}, fields=["w"]))
    broken(
        find(keeps_dtype, {"w": RIGHT.float()}, {"w": RIGHT}, fields=["w"]),
        "torch.float32, not torch.float64",
    )
    broken(find(keeps_dtype, {"w": [1.0]}, {"w": RIGHT}, fields=["w"]), "a list of 1")
    broken(find(keeps_dtype, {}, {"w": RIGHT}, fields=["w"]), "`w` is missing")


# sums_to_one


@pytest.mark.parametrize(
    "axis, ours", [(-1, RIGHT), (1, RIGHT), (0, RIGHT.T), (-1, np.full((2, 4), 0.25)), (0, torch.ones(1))]
)
def test_weights_sum_to_one(axis: int, ours: Value) -> None:
    holds(find(sums_to_one, {"w": ours}, field="w", axis=axis))


@pytest.mark.parametrize(
    "ours, axis, seen",
    [
        (RIGHT * 2, -1, "one of yours sums to 2"),
        (RIGHT, 0, "one of yours sums to 0.25"),
        (T([[1.5, -0.5]]), -1, "one of your weights is -0.5"),
        (T([[math.nan, 1.0]]), -1, "sums to nan"),
        (T([[0.5, 0.5], [math.inf, 0.0]]), -1, "sums to inf"),
        (torch.zeros(2, 0), -1, "sums to 0"),
        (T(1.0), -1, "has 0 dimensions"),
        (T([1.0]), 1, "has 1 dimensions"),
        (T([1.0]), -2, "has 1 dimensions"),
        (None, -1, "there is no `w`"),
    ],
)
def test_weights_that_do_not_sum_to_one_are_shown(ours: Value, axis: int, seen: str) -> None:
    broken(find(sums_to_one, {"w": ours}, field="w", axis=axis), seen)


# zero_where_blocked

MASK = Call("masked", {"mask": T([[True, False, True]])})


def test_blocked_keys_get_no_weight() -> None:
    ours = T([[0.5, 0.0, 0.5], [1.0, 0.0, 0.0]])
    holds(find(zero_where_blocked, {"w": ours}, question=MASK, field="w"))
    holds(find(zero_where_blocked, {"w": ours[None]}, question=MASK, field="w"))


@pytest.mark.parametrize(
    "ours, seen",
    [
        (T([[0.5, 0.25, 0.25]]), "a masked key gets 0.25"),
        (T([[0.5, -0.25, 0.25]]), "a masked key gets -0.25"),
        (T([[0.5, math.nan, 0.5]]), "a masked key gets nan"),
        (T([[0.5, 0.5]]), "has the shape (1, 2)"),
        (T(0.5), "has the shape ()"),
        ("w", "there is no `w`"),
    ],
)
def test_a_blocked_key_with_weight_is_shown(ours: Value, seen: str) -> None:
    broken(find(zero_where_blocked, {"w": ours}, question=MASK, field="w"), seen)


# inputs_unchanged


def test_inputs_are_left_as_they_were() -> None:
    asked = Call("plain", {"query": RIGHT, "mask": None, "axis": 1})
    holds(find(inputs_unchanged, {"after": {"query": RIGHT.clone(), "mask": None, "axis": 1}}, question=asked))
    changed = {"after": {"query": RIGHT * 0, "mask": None, "axis": 1}}
    broken(find(inputs_unchanged, changed, question=asked), "`query` is changed")
    broken(find(inputs_unchanged, {"after": {"query": RIGHT, "mask": None}}, question=asked), "`axis` is changed")
    broken(find(inputs_unchanged, {}, question=asked), "never returned")
    broken(find(inputs_unchanged, {"after": None}, question=asked), "`query` is changed")


# finite


def test_numbers_are_finite() -> None:
    holds(find(finite, {"a": RIGHT, "b": np.arange(3)}, fields=["a", "b"]))
    broken(find(finite, {"a": RIGHT, "b": T([math.nan])}, fields=["a", "b"]), "`b` holds nan")
    broken(find(finite, {"a": T([math.inf])}, fields=["a"]), "`a` holds inf")
    broken(find(finite, {}, fields=["a"]), "there is no `a`")
    broken(find(finite, {"a": 1.0}, fields=["a"]), "there is no `a`")
    broken(find(finite, {"gradients": {"a": None}}, fields=["gradients/a"]), "no gradient reaches `a`")


# unmoved

CALLS = {"before": "calls/0/output", "after": "calls/1/output"}


def two_calls(first: Value, second: Value) -> dict[str, Value]:
    return {"calls": [{"output": first}, {"output": second}]}


def test_what_differs_elsewhere_moves_nothing_here() -> None:
    first, second = T([[[1.0, 2.0], [3.0, 4.0]]]), T([[[1.0, 2.0], [9.0, 9.0]]])
    holds(find(unmoved, two_calls(first, first.clone()), **CALLS))
    holds(find(unmoved, two_calls(first, second), **CALLS, index=[None, 0]))
    broken(find(unmoved, two_calls(first, second), **CALLS, index=[None, 1]), "the numbers moved by 6")
    broken(find(unmoved, two_calls(first, second), **CALLS), "the numbers moved by 6")


@pytest.mark.parametrize(
    "first, second, index, seen",
    [
        (T([1.0]), T([[1.0]]), [], "an array of the same shape"),
        (T([1.0]), None, [], "an array of the same shape"),
        (T([1.0]), T([1.0]), [None, 0], "has the shape (1,)"),
        (T([1.0]), T([1.0]), [5], "has the shape (1,)"),
        (T([math.nan]), T([math.nan]), [], "the numbers moved by inf"),
    ],
)
def test_calls_that_cannot_be_compared_do_not_hold(first: Value, second: Value, index: list[Any], seen: str) -> None:
    broken(find(unmoved, two_calls(first, second), **CALLS, index=index), seen)


# moves_along

ORDER = Module("moved", {}, {}, [], order=T([2, 0, 1]))


@pytest.mark.parametrize("axis", [0, -2])
def test_an_output_moves_with_its_input(axis: int) -> None:
    first = torch.arange(6.0).reshape(3, 2)
    settings = {**CALLS, "axis": axis}
    holds(find(moves_along, two_calls(first, first[[2, 0, 1]]), question=ORDER, **settings))
    broken(find(moves_along, two_calls(first, first), question=ORDER, **settings), "they differ by 4")


@pytest.mark.parametrize(
    "first, second, seen",
    [
        (torch.ones(3), torch.ones(3), "has the shape (3,)"),
        (torch.ones(3, 2), torch.ones(3, 2), "has the shape (3, 2)"),
        (torch.ones(0, 3), torch.ones(0, 3), "has the shape (0, 3)"),
        (torch.ones(2, 3), None, "an array of the same shape"),
        (T([[1.0, math.nan, 1.0]]), T([[1.0, math.nan, 1.0]]), "they differ by inf"),
    ],
)
def test_outputs_that_cannot_be_reordered_do_not_hold(first: Value, second: Value, seen: str) -> None:
    settings = {**CALLS, "axis": 1}
    broken(find(moves_along, two_calls(first, second), question=ORDER, **settings), seen)


# every_gradient_flows


def test_every_parameter_learns() -> None:
    right = {"gradients": {"x": RIGHT, "w": RIGHT, "bias": RIGHT * 1e-9, "unused": None}}
    holds(find(every_gradient_flows, {"gradients": {"x": RIGHT, "w": RIGHT * 3}}, right))
    broken(find(every_gradient_flows, {"gradients": {"x": RIGHT, "w": None}}, right), "`w` receives no gradient")
    broken(find(every_gradient_flows, {"gradients": {"w": RIGHT}}, right), "`x` receives no gradient")
    broken(find(every_gradient_flows, {}, right), "`x` receives no gradient")


def test_a_gradient_of_zeros_is_received_because_every_relu_may_be_shut() -> None:
    holds(
        find(every_gradient_flows, {"gradients": {"x": RIGHT, "w": RIGHT * 0}}, {"gradients": {"x": RIGHT, "w": RIGHT}})
    )


def test_infinity_that_stays_infinity_does_not_move() -> None:
    calls = [{"w": T([[math.inf, 1.0]])}, {"w": T([[math.inf, 1.0]])}]
    holds(find(unmoved, {"calls": calls}, before="calls/0/w", after="calls/1/w"))
    for other in (-math.inf, math.nan, 5.0):
        moved = [calls[0], {"w": T([[other, 1.0]])}]
        broken(find(unmoved, {"calls": moved}, before="calls/0/w", after="calls/1/w"), "the numbers moved by")


# equals_reference at words


def logits_with(change: float, at: int) -> Tensor:
    logits = torch.arange(6.0).reshape(1, 3, 2)
    logits[0, at] += change
    return logits


def test_logits_at_padding_are_not_compared_and_those_of_words_are() -> None:
    question = Module("plain", {"pad_id": 0}, {}, [{"ids": T([[5, 0, 6]])}], returns=["logits"])
    for at, right in ((0, False), (1, True), (2, False)):
        answer, reference = ({"calls": [{"logits": logits_with(by, at)}]} for by in (1.0, 0.0))
        found = equals_reference(question, answer, reference, fields=["calls/0/logits"], words="ids")
        assert found.holds is right, at
    everywhere = equals_reference(question, answer, reference, fields=["calls/0/logits"])
    assert not everywhere.holds
    pooled = {"calls": [{"logits": torch.ones(1, 3)}]}
    found = equals_reference(
        question, pooled, {"calls": [{"logits": torch.zeros(1, 3)}]}, ["calls/0/logits"], words="ids"
    )
    assert not found.holds, "scores of whole sentences have no padding"


# equally_alike_at_equal_gaps

STEPS = torch.arange(5.0, dtype=torch.float64)[:, None]
TURNING = torch.cat([STEPS.sin(), STEPS.cos()], dim=1)
GAPS = {"reference": {"encoding": TURNING}, "field": "encoding"}


def test_rows_at_equal_gaps_are_equally_alike() -> None:
    for ours in (TURNING, TURNING.float(), torch.ones(5, 2), -3 * TURNING):
        holds(find(equally_alike_at_equal_gaps, {"encoding": ours}, **GAPS))


@pytest.mark.parametrize(
    "ours, seen",
    [
        (TURNING * T([[2.0, 1.0]]), "at a gap of 0, one product of two rows is 1, another"),
        (TURNING * STEPS, "at a gap of 0, one product of two rows is 0, another 16"),
        (TURNING.cumsum(0)[[0, 1, 2, 3, 3]], "at a gap of 0"),
        (TURNING * math.nan, "at a gap of 0"),
        (TURNING * math.inf, "at a gap of 0"),
        (TURNING.T, "a tensor of shape (2, 5)"),
        (torch.zeros(500_000, 2), "a tensor of shape (500000, 2)"),
        (STEPS[0, 0], "a tensor of shape ()"),
        (None, "`encoding` is None"),
        (Unsupported("Chart"), "`encoding` is a Chart"),
    ],
)
def test_rows_that_are_not_equally_alike_are_told(ours: Value, seen: str) -> None:
    broken(find(equally_alike_at_equal_gaps, {"encoding": ours}, **GAPS), seen)


# matchers of lesson 05: what they must not be led astray by

NO_MATTER = [{}, {"encoding": None}, {"shapes": [T(1.0)]}, {"shapes": {"w": T([[1, 2]])}}, {"raised": 3}]


@pytest.mark.parametrize("values", NO_MATTER, ids=repr)
@pytest.mark.parametrize(
    "matcher, exercise_id",
    [
        (lesson_05.stops_at_an_odd_width, "sinusoidal_encoding"),
        (lesson_05.frequencies_grow, "sinusoidal_encoding"),
        (any_lesson.parameter_under_another_name, "learned_positions"),
        (any_lesson.another_error_is_raised, "learned_positions"),
        (lesson_05.stops_at_the_last_position, "learned_positions"),
    ],
)
def test_a_recogniser_says_no_to_answers_of_any_kind(
    matcher: Matcher, exercise_id: str, values: dict[str, Value]
) -> None:
    definition = DEFINITIONS[exercise_id]
    questions = {q.name: q for q in definition.questions(Sampler.public(exercise_id))}
    reference = ask(questions.values(), definition.load(definition.reference))
    assert not matcher(questions, {}, reference)
    assert not matcher(questions, reference, reference)
    assert not matcher(questions, {name: Answer(values) for name in questions}, reference)
    assert not matcher(questions, {name: Answer(error=Error("Any")) for name in questions}, reference)


# checks that need others

EXERCISE = Exercise(
    id="halves",
    lesson="00_none",
    symbol="halves",
    signature="(x)",
    points=4.0,
    place=0,
    minutes=1,
    checks=(
        Check("equal", equals_reference, "plain", "comes out right", 3.0, {"fields": ["w"]}),
        Check("sums", sums_to_one, "plain", "sums to 1", 1.0, {"field": "w"}, needs="equal"),
    ),
    misconceptions=(Misconception("thirds", "You divide by three.", ("a", "b", "c")),),
    hints=("x", "y", "z"),
    builds_on=("earlier",),
)
EXCUSED = Written({"plain": Answer({"w": T([1.0, 1.0])})}, frozenset({"equal", "sums"}), most=4.0)
KEY = AnswerKey(
    EXERCISE,
    (PLAIN,),
    {"plain": Answer({"w": T([0.5, 0.5])})},
    {"thirds": {"plain": Answer({"w": T([1 / 3, 1 / 3])})}},
    {("earlier", "ones"): (EXCUSED,)},
)


def judged(value: Value, *earlier: tuple[str, str]) -> tuple[float, tuple[str, ...], str | None]:
    found = judge(KEY, {"plain": Answer({"w": value})}, wrong_before(dict(earlier)))
    return found.score, found.broken_checks, found.misconception


def test_an_invariance_counts_only_where_its_plain_law_holds() -> None:
    assert judged(T([0.5, 0.5])) == (4.0, (), None)
    assert judged(T([0.25, 0.75])) == (0.0, ("equal",), None)
    check_results = judge(KEY, {"plain": Answer({"w": T([0.25, 0.75])})}).check_results
    assert [(r.check.name, r.holds, r.counts, r.earned) for r in check_results] == [
        ("equal", False, True, 0.0),
        ("sums", True, False, 0.0),
    ]


def test_a_mistake_is_named_by_equal_answers() -> None:
    assert judged(T([1 / 3, 1 / 3])) == (0.0, ("equal", "sums"), "thirds")
    assert judged(T([1 / 3, 0.3])) == (0.0, ("equal", "sums"), None)


def test_an_error_alone_is_not_named() -> None:
    key = replace(KEY, mistakes={"thirds": {"plain": Answer(error=Error("ValueError"))}})
    assert judge(key, {"plain": Answer(error=Error("TypeError"))}).misconception is None


def test_only_a_mistake_named_earlier_is_carried() -> None:
    ones = T([1.0, 1.0])
    assert judged(ones)[0] == 0
    assert judged(ones, ("earlier", "twos"))[0] == 0
    assert judged(ones, ("another", "ones"))[0] == 0
    assert judged(ones, ("earlier", "ones")) == (4.0, ("equal", "sums"), None)
    assert judge(KEY, {"plain": Answer({"w": ones})}, wrong_before({"earlier": "ones"})).carried == ("earlier", "ones")


def test_an_earlier_mistake_pays_only_for_what_it_lets_be_seen() -> None:
    ones, earlier = {"plain": Answer({"w": T([1.0, 1.0])})}, wrong_before({"earlier": "ones"})
    cases = (
        (("equal",), 4.0, 3.0),
        (("sums",), 4.0, 0.0),
        (("equal", "sums"), 2.5, 2.5),
        ((), 4.0, 0.0),
    )
    for checks, most, score in cases:
        carried = {("earlier", "ones"): (replace(EXCUSED, checks=frozenset(checks), most=most),)}
        assert judge(replace(KEY, carried=carried), ones, earlier).score == score, (
            "a check counts with the one it needs"
        )


def test_an_earlier_mistake_excuses_nothing_that_does_not_tell_of_it() -> None:
    carried = {("earlier", "ones"): (replace(EXCUSED, tells=False),)}
    found = judge(
        replace(KEY, carried=carried), {"plain": Answer({"w": T([1.0, 1.0])})}, wrong_before({"earlier": "ones"})
    )
    assert (found.score, found.carried) == (0.0, None)


def test_what_is_right_is_right_whatever_was_wrong_earlier() -> None:
    found = judge(KEY, {"plain": Answer({"w": T([0.5, 0.5])})}, wrong_before({"earlier": "ones"}))
    assert (found.score, found.carried) == (4.0, None)


@pytest.mark.parametrize("within, holds", [(None, False), (1e-3, True), (1e-7, False)])
def test_a_law_may_have_a_tolerance_of_its_own(within: float | None, holds: bool) -> None:
    right, ours = T([[0.25, 0.75]]), T([[0.2501, 0.7501]])
    settings: dict[str, Any] = {} if within is None else {"within": within}
    assert equals_reference(PLAIN, {"w": ours}, {"w": right}, fields=["w"], **settings).holds == holds
    assert sums_to_one({}, {"w": ours}, {"w": right}, field="w", **settings).holds == holds


@pytest.mark.parametrize("number_type", [torch.float64, torch.float32, torch.float16, None])
def test_a_laws_own_tolerance_is_a_share_of_the_largest_number_of_any_type(number_type: torch.dtype | None) -> None:
    def holds(off: float, within: float) -> bool:
        right = 0.5 if number_type is None else torch.tensor([0.25, 0.5], dtype=number_type)
        ours = right + off if number_type is None else right.double() + off
        return equals_reference(PLAIN, {"w": ours}, {"w": right}, fields=["w"], within=within).holds

    assert holds(0.004, 1e-2)
    assert not holds(0.006, 1e-2)
    assert not holds(1e-8, 1e-9)
