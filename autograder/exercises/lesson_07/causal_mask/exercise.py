"""Exercise `causal_mask`, the lesson's first: which token may see which."""

from __future__ import annotations

from collections.abc import Iterator

from autograder.exercises.definition import Outline
from autograder.exercises.draw import Draw
from course_lib.checking.exercise import Law
from course_lib.checking.laws import equals_reference
from course_lib.checking.questions import Calls, Question, calling

_question = calling("length", returns=["mask"])


def ask(draw: Draw) -> Iterator[Question]:
    """Ask for a small mask, a longer one, one for more than a hundred tokens, and one for a single token."""
    yield _question("by_hand", draw.shuffled((3, 4, 5))[0])
    yield _question("plain", draw.shuffled(range(7, 14))[0])
    yield _question("long", draw.shuffled(range(101, 140))[0])
    shortest = [{"length": length} for length in (1, draw.shuffled((2, 6, 14, 15))[0])]
    yield Calls("shortest", shortest, returns=["mask"])


LAWS = (
    Law("equals_by_hand", equals_reference, "by_hand", "the mask of a few tokens comes out right", 0.75,
        {"fields": ["mask"]}),
    Law("equals_plain", equals_reference, "plain", "so does a longer one", 1.0,
        {"fields": ["mask"]}, also=("long",)),
    Law("one_token", equals_reference, "shortest", "one token alone sees itself", 0.25,
        {"fields": ["calls/0/mask"]}),
)  # fmt: skip


EXERCISE = Outline(
    minutes=5,
    laws=LAWS,
    hints=(
        "Draw the mask of three tokens on paper: a row for each token that looks, a column for each that is looked at. Which of the nine are True?",
        "Row i, column j is True where j ≤ i. Which function makes such a triangle, or which comparison of two `arange`s?",
        "`torch.tril(torch.ones(length, length, dtype=torch.bool))`.",
    ),
    ask=ask,
)
