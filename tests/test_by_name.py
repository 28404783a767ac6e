"""Renamed parameters cost no points if a call by position is the natural one."""

from __future__ import annotations

import functools
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from course_lib.checking.by_name import call_by_name
from course_lib.checking.questions import Module


def same(*arguments: Any, **named: Any) -> Any:
    return arguments, named


def test_arguments_go_by_name_where_the_function_has_the_names() -> None:
    def layer(mask: str = "", x: str = "") -> tuple[str, str]:
        return x, mask

    assert call_by_name(layer, {"x": "words", "mask": "blocked"}) == ("words", "blocked")


def test_an_argument_with_another_name_goes_to_the_next_parameter() -> None:
    def layer(inputs: str, attn_mask: str | None = None) -> tuple[str, str | None]:
        return inputs, attn_mask

    assert call_by_name(layer, {"x": "words", "mask": "blocked"}) == ("words", "blocked")
    assert call_by_name(layer, {"x": "words"}) == ("words", None)


def test_a_switch_passes_over_what_is_no_switch() -> None:
    def layer(inputs: str, attn_mask: str | None = None, weights_too: bool = False) -> tuple[str, str | None, bool]:
        return inputs, attn_mask, weights_too

    assert call_by_name(layer, {"x": "words", "need_weights": True}) == ("words", None, True)


def test_a_mask_is_not_taken_for_a_switch() -> None:
    def layer(x: str, need_weights: bool = False) -> None:
        raise AssertionError("it must not run")

    with pytest.raises(TypeError, match="mask"):
        call_by_name(layer, {"x": "words", "mask": "blocked"})


def test_parameters_that_have_no_name_outside_are_given_by_position() -> None:
    def layer(inputs: str, /, mask: str) -> tuple[str, str]:
        return inputs, mask

    assert call_by_name(layer, {"x": "words", "mask": "blocked"}) == ("words", "blocked")


def test_a_wrapper_gets_the_names_and_what_it_wraps_is_looked_at() -> None:
    assert call_by_name(same, {"x": 1}) == ((), {"x": 1})

    def inner(inputs: int) -> int:
        return inputs

    @functools.wraps(inner)
    def wrapper(*arguments: int, **named: int) -> int:
        return inner(*arguments, **named)

    assert call_by_name(wrapper, {"x": 3}) == 3


class Renamed(nn.Module):
    def __init__(self, width: int, with_bias: bool = True) -> None:
        super().__init__()
        self.linear = nn.Linear(width, width, bias=with_bias)

    def forward(self, inputs: Tensor, blocked: Tensor | None = None) -> Tensor:
        output: Tensor = self.linear(inputs)
        return output if blocked is None else output * blocked


def test_a_module_is_asked_with_renamed_parameters_of_constructor_and_forward() -> None:
    question = Module(
        "renamed",
        {"d_model": 2, "bias": False},
        {"linear.weight": torch.eye(2)},
        [{"x": torch.ones(1, 2), "mask": torch.tensor([1.0, 0.0])}],
        returns=["output"],
        upstream={"output": torch.ones(1, 2)},
    )
    answers = question(Renamed)
    output: Any = answers["calls"]
    assert output[0]["output"].tolist() == [[1.0, 0.0]]
    assert set(answers["gradients"]) == {"x", "mask", "linear.weight"}  # type: ignore[arg-type]
