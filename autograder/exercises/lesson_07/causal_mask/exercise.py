"""Exercise `causal_mask`, the lesson's first: which token may see which."""

from __future__ import annotations

from collections.abc import Iterator

from autograder.exercises.definition import Outline
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Calls, Question, calling
from course_lib.checking.rules import equals_reference

_question = calling("length", returns=["mask"])


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask for a small mask, a longer one, one for more than a hundred tokens, and one for a single token."""
    yield _question("by_hand", sampler.shuffled((3, 4, 5))[0])
    yield _question("plain", sampler.shuffled(range(7, 14))[0])
    yield _question("long", sampler.shuffled(range(101, 140))[0])
    shortest = [{"length": length} for length in (1, sampler.shuffled((2, 6, 14, 15))[0])]
    yield Calls("shortest", shortest, returns=["mask"])


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "the mask of a few tokens comes out right", 0.75,
        {"fields": ["mask"]}),
    Check("equals_plain", equals_reference, "plain", "longer masks come out right", 1.0,
        {"fields": ["mask"]}, also=("long",)),
    Check("one_token", equals_reference, "shortest", "the mask of one token comes out right: it sees itself", 0.25,
        {"fields": ["calls/0/mask"]}),
)  # fmt: skip


EXERCISE = Outline(
    minutes=5,
    checks=CHECKS,
    hints=(
        "Draw the mask of three tokens on paper: a row for each token that looks, a column for each that is looked at. Which of the nine are True?",
        "Row i, column j is True where j ≤ i. Which function makes such a triangle, or which comparison of two `arange`s?",
        "`torch.tril(torch.ones(length, length, dtype=torch.bool))`.",
    ),
    ask=ask,
)
