"""Exercise `merge_heads`: the inverse of `split_heads`."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from autograder.exercises.definition import Outline
from autograder.exercises.lesson_04.sizes import FEW_HEADS, MORE_HEADS, lengths
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Question, calling
from course_lib.checking.rules import equals_reference, inputs_unchanged

_question = calling("x", returns=["merged"])


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about numbers that show their origin, one, few and more heads, and equal sizes to name what crashes."""
    # hundreds count the heads, tens the tokens, units the features of a head. The decimals differ between tokens
    places = torch.tensor([100.0, 200.0])[:, None, None] + torch.tensor([[10.0], [20.0], [30.0]]) + torch.arange(2.0)
    yield _question("by_hand", (places + sampler.tensor(3, 1, scale=0.3).round(decimals=1))[None].double())
    h, width = sampler.shuffled(FEW_HEADS)[0]
    b, t = lengths(sampler, 2, h, width)
    yield _question("plain", sampler.tensor(b, h, t, width))
    yield _question("one_head", sampler.tensor(t, 1, b, width))
    yield _question("gradients", sampler.tensor(b, h, t, width), upstream=sampler.tensor(b, t, h * width))
    h, width = sampler.shuffled(MORE_HEADS)[0]
    b, t = lengths(sampler, 2, h, width)
    yield _question("more_heads", sampler.tensor(b, h, t, width))
    yield _question("cube", sampler.tensor(2, 2, 2, 2))


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "three tokens in two heads come out right", 0.5,
        {"fields": ["merged"]}),
    Check("equals_plain", equals_reference, "plain", "batches of other sizes come out right", 0.5,
        {"fields": ["merged"]}, also=("cube",)),
    Check("more_heads", equals_reference, "more_heads", "more heads come out right", 0.4, {"fields": ["merged"]}),
    Check("one_head", equals_reference, "one_head", "one head comes out right: it loses its axis, and nothing else", 0.15,
        {"fields": ["merged"]}),
    Check("gradients", equals_reference, "gradients", "the gradient of `x` is right", 0.25, {"fields": ["gradients/x"]}),
    Check("inputs_unchanged", inputs_unchanged, "plain", "your input is left as it was", 0.2, needs="equals_plain"),
)  # fmt: skip


EXERCISE = Outline(
    minutes=5,
    checks=CHECKS,
    hints=(
        "The two steps of `split_heads`, undone in the opposite order: move the heads behind the tokens, then join the last two axes.",
        "Follow one number of a small example: head 1, token 2, feature 0 of its head. In which row should it be, and in which column?",
        "`x.transpose(1, 2)` is (B, T, H, Dh); `.contiguous().view(B, T, H * Dh)`, or `.reshape(B, T, H * Dh)`, joins the heads of each token.",
    ),
    ask=ask,
)
