"""PyTorch's, NumPy's and Python's own errors get a sentence with their numbers, in every version that we support."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import nn, zeros

from course_lib.checking.answers import Error
from course_lib.checking.explain.library_errors import meaning


def unpack_two() -> None:
    first, second = zeros(2, 3, 4).shape
    assert first and second


def unpack_three() -> None:
    first, second, third = zeros(2, 3).shape
    assert first and second and third


LEAF = zeros(2, requires_grad=True)
WHOLE = zeros(2, dtype=torch.long)
PRODUCT = "the rows on the left have 4 numbers, and the columns on the right have 5"
BROADCAST = "along axis 1 one has 3 entries and the other 2"
UNPACKED = "A line takes apart exactly {} values, as `a, b = x.shape` does with two, and there are {}."

Code = Callable[[], object]


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        (lambda: zeros(2, 3) + zeros(2, 2), BROADCAST),
        (lambda: np.zeros((2, 3)) + np.zeros((2, 2)), "Arrays of shapes (2,3) and (2,2)"),
        (lambda: zeros(1, 4) @ zeros(5, 2), PRODUCT),
        (lambda: nn.Linear(5, 2)(zeros(3, 7, 4)), PRODUCT),
        (lambda: np.zeros((1, 4)) @ np.zeros((5, 2)), PRODUCT),
        (lambda: np.dot(np.zeros((1, 4)), np.zeros((5, 2))), PRODUCT),
        (lambda: zeros(2, 3, 4) @ zeros(2, 5, 6), "needs 2 matrices of 4 rows, and has 2 of 5 rows"),
        (lambda: torch.bmm(zeros(2, 3, 4), zeros(3, 4, 6)), "needs 2 matrices of 4 rows, and has 3 of 4 rows"),
        (lambda: zeros(5).view(2, 3), "to (2, 3) gets 5 numbers"),
        (lambda: zeros(5).view(2, -1), "to (2, -1) gets 5 numbers"),
        (lambda: np.zeros(5).reshape(2, 3), "to (2,3) gets 5 numbers"),
        (unpack_two, UNPACKED.format(2, "more")),
        (unpack_three, UNPACKED.format(3, "only 2")),
        (lambda: zeros(2, 3).sum(dim=2), "Axis 2 is asked for, and the number of axes here is 2."),
        (lambda: zeros(2, 3).softmax(dim=-3), "Axis -3 is asked for, and the number of axes here is 2."),
        (lambda: zeros(3).topk(5), "`topk` is asked for more entries"),
        (lambda: nn.Embedding(3, 2)(torch.tensor([5])), "is asked for a row that it doesn't have"),
        (lambda: zeros(3)[5], "Entry 5 is asked for, and this axis has 3."),
        (lambda: np.zeros(3)[5], "Entry 5 is asked for, and this axis has 3."),
        (lambda: zeros(2, 3, 4).repeat(2, 1), "more axes than it gets numbers"),
        (lambda: torch.einsum("btd,tsd->bts", zeros(2, 3), zeros(2, 2, 3)), "names 3 axes of a tensor that has 2"),
        (lambda: zeros(2, 2) @ zeros(2, 2).double(), "different dtypes meet: float and double"),
        (lambda: nn.Linear(2, 2)(zeros(2, 2).double()), "different dtypes meet: Double and Float"),
        (lambda: torch.bmm(zeros(2, 2, 2), zeros(2, 2, 2).double()), "different dtypes meet: Float and Double"),
        (lambda: bool(zeros(2)), "need a single True or False"),
        (lambda: bool(np.zeros(2)), "need a single True or False"),
        (lambda: WHOLE.clone().add_(0.5), "Numbers of type Float are written into a tensor of type Long"),
        (WHOLE.mean, "The mean of whole numbers (Long) needs fractions."),
        (
            lambda: nn.utils.rnn.pack_padded_sequence(zeros(1, 2, 3), torch.tensor([0]), batch_first=True),
            "gets a length that isn't above 0",
        ),
        (lambda: getattr(None, "shape"), "Something is None here"),  # noqa: B009 - mypy would see the mistake
        (lambda: zeros(2) @ None, "Something is None here"),
        (lambda: torch.softmax(None, -1), "Something is None here"),
        (lambda: zeros(2).masked_fill(WHOLE, 1.0), "needs a boolean tensor and gets numbers"),
        (lambda: torch.where(zeros(2), zeros(2), zeros(2)), "needs a boolean tensor and gets numbers"),
        (lambda: ~zeros(2), "needs a boolean tensor and gets numbers"),
        (lambda: torch.stack([zeros(3), zeros(2)]), "needs tensors of one shape, and gets (3) and (2)"),
        (lambda: torch.cat([zeros(2, 3), zeros(3, 3)], dim=1), "one has 2 entries where another has 3"),
        (lambda: torch.tensor([[1, 2, 3], [1, 2]]), "gets rows of different lengths: 3 and 2"),
        (lambda: zeros(2, 2).expand(2, 3), "2 entries along axis 1 should be spread over 3"),
        (lambda: zeros(1).sum().backward(), "The result doesn't depend on any parameter"),
        (lambda: LEAF.add_(1), "It changes a tensor in place"),
        (lambda: nn.Linear(2, 2).w_q, "The code uses `w_q` of an object of type Linear, which has none"),
    ],
)
def test_an_error_of_a_library_is_explained_with_its_numbers(code: Code, sentence: str) -> None:
    with pytest.raises(Exception) as raised:  # noqa: PT011 - each has its own type and message
        code()
    assert sentence in meaning(Error(type(raised.value).__name__, str(raised.value)[:300]))


def test_a_message_of_the_students_own_is_not_explained() -> None:
    assert meaning(Error("ValueError", "width must be even")) == ""
