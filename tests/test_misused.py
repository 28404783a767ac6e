"""Misuse of what a notebook calls ends in one sentence that says what to do instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell

from course_lib import check, example, hint, predict, solution
from course_lib.misused import Misused

pytestmark = pytest.mark.usefixtures("new_kernel")

HELPERS = {"hint": hint, "example": example, "solution": solution}


def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    raised = np.exp(scores)
    return np.asarray(raised / raised.sum(axis=axis, keepdims=True))


class EncoderClassifier:
    """Bears the name of an exercise."""


@pytest.mark.parametrize("call", [lambda: check(softmax, "softmax"), lambda: check(softmax)])
def test_a_check_understands_the_function_in_either_place(call: Callable[[], Any]) -> None:
    score = call()
    assert score == check("softmax", softmax) == 2 and score.card.title == "softmax"


@pytest.mark.parametrize("name", [*HELPERS])
def test_the_function_and_its_name_are_as_good_as_the_id(name: str) -> None:
    check("softmax", softmax)
    ask: Callable[..., Any] = HELPERS[name]
    assert type(ask(softmax)).__name__ == type(ask("softmax")).__name__
    for other in (EncoderClassifier, "EncoderClassifier"):
        with pytest.raises(Misused, match=r"^Run the check of 'encoder_classifier' first"):
            ask(other)


@pytest.mark.parametrize("name", [*HELPERS])
def test_without_an_exercise_the_last_one_checked_is_the_example(name: str) -> None:
    ask: Callable[..., Any] = HELPERS[name]
    for nothing in ((), (3,)):
        with pytest.raises(Misused, match=rf'^Name an exercise, as in {name}\("softmax"\)\.$'):
            ask(*nothing)
    check("attention_loops", lambda query, key, value: 0)
    with pytest.raises(Misused, match=rf'{name}\("attention_loops"\)'):
        ask()


def test_a_name_without_code_and_a_letter_without_quotes_are_told() -> None:
    with pytest.raises(Misused, match=r'^Pass your code, too: check\("self_attention", SelfAttention\)\.$'):
        check("self_attention")
    with pytest.raises(Misused, match=r"^choice isn't a letter in quotes: choose one of 'a', 'b', or None to skip\.$"):
        predict("name", np.zeros(1000), a=True, b=False)


def test_a_notebook_shows_the_sentence_without_a_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    shell = InteractiveShell()
    shell.run_cell("from course_lib import hint")
    capsys.readouterr()
    result = shell.run_cell('hint("sofmax")')
    assert isinstance(result.error_in_exec, Misused), "Run All stops there"
    assert capsys.readouterr().out.strip() == "no exercise is called 'sofmax'; did you mean 'softmax'?"
