"""Questions: their contents, copies, and the form in which they are stored."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from course_lib.checking.questions import (
    Call,
    Calls,
    DistinctRows,
    Methods,
    Module,
    Question,
    Watched,
    calling,
    decode_questions,
    encode_questions,
)
from course_lib.checking.values import Json

CALL = Call("one", {"x": torch.ones(2), "n": np.arange(2.0), "mask": None}, returns=["y"])
WATCHED = Watched("by_hand", "one", CALL, ["nn.functional.softmax"])


def stored(*questions: Question) -> tuple[Json, dict[str, Tensor]]:
    tensors: dict[str, Tensor] = {}
    return encode_questions(questions, tensors), tensors


def test_a_question_has_the_arguments_of_each_call() -> None:
    assert CALL.inputs == (CALL.arguments,)
    assert Calls("two", [{"x": 1}, {"x": 2}], returns=["y"]).arguments_of(1) == {"x": 2}
    assert Methods("three", {"width": 3}, [{"len": None}, {"len": None}]).inputs == [{"width": 3}] * 2
    assert list(CALL.arguments_of(0)) == ["x", "n"], "arguments that are None at the end are not passed"


def test_a_question_that_is_not_about_a_module_is_built_with_nothing() -> None:
    module = Module("m", {"dropout": 0.5}, {"w": torch.ones(1)}, [{"x": 1}], training=True)
    assert (module.built_with, list(module.parameters), module.in_training) == ({"dropout": 0.5}, ["w"], True)
    assert (CALL.built_with, CALL.parameters, CALL.in_training) == ({}, {}, False)


def test_what_has_its_default_is_no_content() -> None:
    assert list(CALL.contents()) == ["returns", "arguments"]
    assert list(replace(CALL, upstream={"y": torch.ones(2)}).contents()) == ["returns", "arguments", "upstream"]


@pytest.mark.parametrize("question", [CALL, WATCHED])
def test_a_copy_shares_no_tensor(question: Question) -> None:
    before, after = dict(question.arrays()), dict(question.copied().arrays())
    assert before.keys() == after.keys() == {"arguments/x", "arguments/n"}
    for name, array in after.items():
        array[:] = 7
        assert not (before[name] == 7).any()


def test_a_watched_question_becomes_float32_with_the_question_inside() -> None:
    question = replace(
        WATCHED, question=Call("in", {"x": torch.ones(2).double()}), default_dtype="float64"
    ).in_float32()
    assert question.default_dtype == "float32"
    assert [array.dtype for _, array in question.arrays()] == [torch.float32]


def test_every_kind_comes_back_from_json() -> None:
    data, tensors = stored(CALL, WATCHED)
    call, watched = decode_questions(data, tensors)
    assert isinstance(call, Call) and isinstance(watched, Watched) and isinstance(watched.question, Call)
    for (name, array), (other, again) in zip(WATCHED.arrays(), watched.arrays(), strict=True):
        assert name == other and bool((torch.as_tensor(array) == torch.as_tensor(again)).all())
    assert (call.name, call.returns, call.default_dtype) == ("one", ["y"], "float32")
    assert (watched.same_as, watched.functions) == ("one", ["nn.functional.softmax"])


@pytest.mark.parametrize("change", [{"kind": "Poem"}, {"contents": {"verses": 3}}, {"kind": "Question"}])
def test_a_question_of_another_version_is_an_error_that_says_so(change: dict[str, Any]) -> None:
    data, tensors = stored(CALL)
    with pytest.raises(ValueError, match="another version of the course stored the question 'one'"):
        decode_questions([{**data[0], **change}], tensors)


def test_a_question_of_the_first_format_is_an_error_that_says_so() -> None:
    old = {"name": "one", "probe": "call", "given": {"arguments": {}, "returns": ["y"]}, "default_dtype": "float32"}
    with pytest.raises(ValueError, match="another version of the course stored the question 'one'"):
        decode_questions([old], {})


def test_arguments_by_position_get_their_names() -> None:
    question = calling("x", "n", "mask", returns=["y", "weights"])
    assert question("a", 1, 2).arguments == {"x": 1, "n": 2}
    assert question("a", 1, mask=None).arguments == {"x": 1, "mask": None}
    upstream = torch.ones(2)
    assert question("a", 1, upstream=upstream).upstream == {"y": upstream}
    assert question("a", 1, upstream={"weights": upstream}).upstream == {"weights": upstream}


def test_a_module_is_passed_to_a_student_in_the_mode_in_which_it_is_called() -> None:
    class Two(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = nn.Linear(1, 1), nn.Dropout(1.0)

        def forward(self, x: Tensor) -> Tensor:
            output: Tensor = self.second(self.first(x))
            return output

    weights = {"first.weight": torch.ones(1, 1), "first.bias": torch.zeros(1)}
    question = Module("m", {}, weights, [{"x": torch.ones(1, 1)}], training=True, evaluated=["second"], returns=["y"])
    module, call = question.live(Two)
    assert (module.training, module.second.training) == (True, False)
    assert module(**call).tolist() == [[1.0]] == question(Two)["calls"][0]["y"].tolist()


def test_distinct_rows_do_not_depend_on_chance() -> None:
    question = DistinctRows("dropped", {"x": torch.ones(200, 1).double()}, returns=["y", "z"])

    def two_kinds(x: Tensor) -> tuple[Tensor, float]:
        return torch.bernoulli(x / 2) / 3, 7.0

    for seed in range(3):
        torch.manual_seed(seed)
        answer = question(two_kinds)
        assert answer["y"].tolist() == [[0.0], [0.333333333]]
        assert answer["z"] == 7.0, "what is not a tensor is recorded as it is"
