"""Exercise `sliding_window_mask`: every token sees itself and the few before it."""

from __future__ import annotations

from collections.abc import Iterator

from autograder.exercises.definition import Outline
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Calls, Question, Refusal, calling
from course_lib.checking.rules import equals_reference, refuses

_question = calling("length", "width", returns=["mask"])


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask for a small mask, longer ones, windows of one token, all tokens and more, a single token, and no window."""
    yield _question("by_hand", sampler.shuffled((5, 6))[0], 3)
    yield _question("plain", sampler.shuffled(range(9, 14))[0], sampler.shuffled((4, 5))[0])
    yield _question("long", sampler.shuffled(range(101, 140))[0], sampler.shuffled((17, 18, 19))[0])
    length = sampler.shuffled((6, 7, 8))[0]
    edges = [(1, 1), (1, 4), (length, 1), (length, length), (length, length + 3), (length, length - 1)]
    calls = [{"length": n, "width": w} for n, w in edges]
    yield Calls("edges", calls, returns=["mask"])
    yield Refusal("no_window", {"length": length, "width": 0})
    yield Refusal("less_than_none", {"length": length, "width": -sampler.shuffled((1, 2, 3))[0]})


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "the mask of a few tokens comes out right", 0.25,
        {"fields": ["mask"]}),
    Check("equals_plain", equals_reference, "plain", "longer masks come out right", 0.25, {"fields": ["mask"]}, also=("long",)),
    Check("edges", equals_reference, "edges", "a window of 1, of all tokens and of more than there are come out right", 0.25,
        {"fields": [f"calls/{i}/mask" for i in range(6)]}),
    Check("refuses_no_window", refuses, "no_window", "a window of no tokens, or of fewer, is refused with a `ValueError`", 0.25,
        also=("less_than_none",), needs="equals_by_hand"),
)  # fmt: skip


EXERCISE = Outline(
    minutes=5,
    checks=CHECKS,
    hints=(
        "Draw the mask of five tokens and a window of three on paper: a row for each token that looks. How many are True in each row?",
        "Two conditions: the key isn't after the query, and it lies less than `width` tokens back.",
        "With `back = torch.arange(length).unsqueeze(1) - torch.arange(length)`: `(back >= 0) & (back < width)`. And refuse a `width` below 1 with a `ValueError`.",
    ),
    ask=ask,
)
