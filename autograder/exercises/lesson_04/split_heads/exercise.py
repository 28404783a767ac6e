"""Exercise `split_heads`, the lesson's first: divide the features among the heads."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from autograder.exercises.definition import Outline
from autograder.exercises.lesson_04.sizes import FEW_HEADS, MORE_HEADS, lengths
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Question, Refusal, calling
from course_lib.checking.rules import equals_reference, inputs_unchanged, refuses

_question = calling("x", "num_heads", returns=["heads"])


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about numbers that show their origin, few, many and one head, an indivisible width, and equal sizes."""
    # tens count the tokens, units the features. The decimals differ between tokens
    places = (
        torch.tensor([[10.0], [20.0], [30.0]]) + torch.arange(4.0) + sampler.tensor(3, 1, scale=0.3).round(decimals=1)
    )
    yield _question("by_hand", places[None].double(), 2)
    h, width = sampler.shuffled(FEW_HEADS)[0]
    b, t = lengths(sampler, 2, h, width)
    yield _question("plain", sampler.tensor(b, t, h * width), h)
    yield _question("one_head", sampler.tensor(t, b, width), 1)
    yield _question("gradients", sampler.tensor(b, t, h * width), h, upstream=sampler.tensor(b, h, t, width))
    h, width = sampler.shuffled(MORE_HEADS)[0]
    b, t = lengths(sampler, 2, h, width)
    yield _question("more_heads", sampler.tensor(b, t, h * width), h)
    yield Refusal("refused", {"x": sampler.tensor(b, t, h * width + 1), "num_heads": h})
    yield _question("cube", sampler.tensor(2, 2, 4), 2)


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "three tokens of four features come out right in two heads", 0.5,
        {"fields": ["heads"]}),
    Check("equals_plain", equals_reference, "plain", "batches of other sizes come out right", 0.5,
        {"fields": ["heads"]}, also=("cube",)),
    Check("more_heads", equals_reference, "more_heads", "more heads come out right", 0.4, {"fields": ["heads"]}),
    Check("one_head", equals_reference, "one_head", "one head comes out right: all features, with an axis of its own", 0.15,
        {"fields": ["heads"]}),
    Check("refuses", refuses, "refused", "a width that the heads cannot share equally raises a `ValueError`", 0.2,
        needs="equals_plain"),
    Check("gradients", equals_reference, "gradients", "the gradient of `x` is right", 0.15, {"fields": ["gradients/x"]}),
    Check("inputs_unchanged", inputs_unchanged, "plain", "your input is left as it was", 0.1, needs="equals_plain"),
)  # fmt: skip


EXERCISE = Outline(
    minutes=5,
    checks=CHECKS,
    hints=(
        "Two steps: cut the last axis in two, then move the heads forward. Print the shape after each.",
        "Follow one number of a small example: token 2, feature 3. In which head should it be, in which row and in which column?",
        "Raise the `ValueError` if `D % num_heads != 0`; then `x.view(B, T, num_heads, D // num_heads).transpose(1, 2)`.",
    ),
    ask=ask,
)
