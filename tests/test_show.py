"""A value and its type, as a sentence names them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from course_lib.checking.explain.show import describe, show
from course_lib.checking.values import MISSING, Unsupported


@pytest.mark.parametrize(
    ("value", "short", "detailed"),
    [
        (torch.zeros(2, 3), "a torch tensor", "a tensor of shape (2, 3), torch.float32"),
        (np.zeros(2), "a NumPy array", "an array of shape (2,), float64"),
        (Unsupported("int32"), "an int32", "an int32"),
        (Unsupported("generator"), "a generator", "a generator"),
        (MISSING, "missing", "missing"),
        ((1, 2), "a tuple of 2", "a tuple of 2"),
        ([], "a list of 0", "a list of 0"),
        ({}, "a dict", "a dict"),
        (True, "`True`", "`True`"),
        (3, "a Python integer", "the int 3"),
        (0.5, "a Python float", "the float 0.5"),
        ("owl", "a string", "the str 'owl'"),
        (None, "None", "None"),
    ],
)
def test_every_type_is_described_with_its_article(value: Any, short: str, detailed: str) -> None:
    assert describe(value) == short
    assert describe(value, details=True) == detailed


def test_a_value_that_cannot_be_shown_is_described() -> None:
    assert show(Unsupported("int32")) == "an int32"
    assert show([Unsupported("generator")]) == "[a generator]"


def test_a_tuple_of_one_is_shown_as_python_writes_it() -> None:
    assert [show((5,)), show((5, 6)), show(()), show([5])] == ["(5,)", "(5, 6)", "()", "[5]"]
