"""Exercise `sliding_window_mask`: every token sees itself and the few before it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, refuses
from course_lib.checking.recognisers.any_lesson import another_error_is_raised, right_as_numbers


def _question(name: str, length: int, width: int) -> Question:
    return Question(name, probes.call, {"arguments": {"length": length, "width": width}, "returns": ["mask"]})


def ask(draw: Draw) -> Iterator[Question]:
    """A mask to look at, longer ones, windows of one, of all and of more than all, a single token, and no window."""
    yield _question("by_hand", draw.shuffled((5, 6))[0], 3)
    yield _question("plain", draw.shuffled(range(9, 14))[0], draw.shuffled((4, 5))[0])
    yield _question("long", draw.shuffled(range(101, 140))[0], draw.shuffled((17, 18, 19))[0])
    length = draw.shuffled((6, 7, 8))[0]
    edges = [(1, 1), (1, 4), (length, 1), (length, length), (length, length + 3), (length, length - 1)]
    calls = [{"length": n, "width": w} for n, w in edges]
    yield Question("edges", probes.call_each, {"calls": calls, "returns": ["mask"]})
    yield Question("no_window", probes.refuse, {"arguments": {"length": length, "width": 0}})
    yield Question(
        "less_than_none", probes.refuse, {"arguments": {"length": length, "width": -draw.shuffled((1, 2, 3))[0]}}
    )


LAWS = (
    Law("equals_by_hand", equals_reference, "by_hand", "the mask of a few tokens comes out right", 0.25,
        {"fields": ["mask"]}),
    Law("equals_plain", equals_reference, "plain", "longer masks come out right", 0.25, {"fields": ["mask"]}, also=("long",)),
    Law("edges", equals_reference, "edges", "a window of 1, of all tokens and of more than there are come out right", 0.25,
        {"fields": [f"calls/{i}/mask" for i in range(6)]}),
    Law("refuses_no_window", refuses, "no_window", "a window of no tokens, or of fewer, is refused with a `ValueError`", 0.25,
        also=("less_than_none",), needs="equals_by_hand"),
)  # fmt: skip

BACK = "torch.arange(length).unsqueeze(1) - torch.arange(length)"
SEEN = "(back >= 0) & (back < width)"

MISTAKES = (
    mistake(
        "one_too_many",
        "Your window is one token too wide: each token sees itself and `width` tokens before it.",
        (
            "How many keys does your last query see? It should see `width` of them.",
            "The token itself is one of them. Is your comparison < or ≤?",
            "Key s is seen where `t - s < width`.",
        ),
        (SEEN, "(back >= 0) & (back <= width)"),
        group="far",
    ),
    mistake(
        "one_too_few",
        "Your window is one token too narrow: each token sees itself and `width - 2` tokens before it.",
        (
            "How many keys does your last query see? It should see `width` of them.",
            "Does the token itself count as one of them in your code?",
            "Key s is seen where `t - s < width`, so up to `width - 1` tokens back.",
        ),
        (SEEN, "(back >= 0) & (back < max(width - 1, 1))"),
        group="far",
    ),
    mistake(
        "whole_past",
        "Your mask has no far end: each token sees everything before it, however far away. `width` isn't used.",
        (
            "How many keys does your last query see?",
            "Which argument do you never read?",
            "A second condition is missing: `t - s < width`.",
        ),
        (SEEN, "back >= 0"),
        group="far",
    ),
    mistake(
        "itself_hidden",
        "Your window leaves out the token itself: the first token sees nothing at all.",
        (
            "How many keys does your first query see?",
            "Which of > and ≥ lets a token see itself?",
            "`back >= 0`, with `back` the distance t − s.",
        ),
        (SEEN, "(back > 0) & (back < width)"),
        group="near",
    ),
    mistake(
        "itself_hidden_and_one_further",
        "Your window holds the `width` tokens *before* each token, and not the token itself.",
        (
            "Which keys does your first query see? And your last?",
            "The window should end *at* the token.",
            "`(back >= 0) & (back < width)`, with `back` the distance t − s.",
        ),
        (SEEN, "(back > 0) & (back <= width)"),
        group=ALONE,
    ),
    mistake(
        "both_sides",
        "Your window is open to both sides: each token also sees the `width - 1` tokens *after* it.",
        (
            "Which keys does your first query see?",
            "A distance can be negative. What does `abs` make of that?",
            "Add the condition `back >= 0`.",
        ),
        (SEEN, "back.abs() < width"),
        group="near",
    ),
    mistake(
        "centred",
        "Your window is centred on the token: half of it lies in the future.",
        (
            "Which keys does your first query see?",
            "The last of the `width` tokens should be the token itself.",
            "`(back >= 0) & (back < width)`, with `back` the distance t − s.",
        ),
        (SEEN, "back.abs() <= width // 2"),
        group=ALONE,
    ),
    mistake(
        "looks_ahead",
        "Your window lies *after* the token: it sees itself and the `width - 1` tokens that follow.",
        (
            "Which keys does your first query see, and which your last?",
            "Rows are queries, columns are keys. Is your distance t − s or s − t?",
            "`torch.arange(length).unsqueeze(1) - torch.arange(length)` is t − s.",
        ),
        (BACK, "torch.arange(length) - torch.arange(length).unsqueeze(1)"),
        group="near",
    ),
    mistake(
        "everything_but_the_window",
        "Your mask is True where a key is *outside* the window. Here True means *may attend*.",
        (
            "Print your mask. What is True in its last row?",
            "You have the right window of the other convention.",
            "Return `~mask`.",
        ),
        (SEEN, f"~({SEEN})"),
        group=ALONE,
    ),
    mistake(
        "past_outside_the_window",
        "Your mask is True for the tokens of the past that lie *before* the window.",
        (
            "Which keys does your last query see?",
            "Which way round is the comparison with `width`?",
            "`back < width`.",
        ),
        (SEEN, "(back >= 0) & (back >= width)"),
        group="far",
    ),
    mistake(
        "blocks",
        "You cut the text into blocks of `width` tokens, and each token sees its own block up to itself. The window should slide: every token sees the same number of tokens back.",
        (
            "How many keys does query number `width` see (counted from 0)?",
            "What happens at the border of two blocks?",
            "Compare positions with each other, not the numbers of their blocks.",
        ),
        (SEEN, "(back >= 0) & (back <= (torch.arange(length) % max(width, 1)).unsqueeze(1))"),
        group=ALONE,
    ),
    mistake(
        "window_of_the_last_token",
        "Every query sees the same keys: those of the last token's window. The window should move with the query.",
        (
            "Compare two rows of your mask. Should they be the same?",
            "Does your comparison read the query's position?",
            "`back` depends on query and key: `torch.arange(length).unsqueeze(1) - torch.arange(length)`.",
        ),
        (SEEN, "((back >= 0) & (back < width))[-1:].expand(length, length)"),
        group=ALONE,
    ),
    mistake(
        "no_window_accepted",
        "You accept a window of 0 tokens. Every query would be left without a key.",
        (
            "What does your mask look like for `width = 0`?",
            "Which error should a wrong argument raise?",
            "`if width < 1: raise ValueError(...)`.",
        ),
        ("if width < 1:", "if width < 0:"),
        group="refusal",
    ),
    mistake(
        "negative_width_accepted",
        "You refuse a window of 0 tokens and accept one of −1, which leaves every query without a key just as well.",
        (
            "What does your mask look like for `width = -1`?",
            "The docstring says *less than 1*.",
            "`if width < 1: raise ValueError(...)`.",
        ),
        ("if width < 1:", "if width == 0:"),
        group="refusal",
    ),
    mistake(
        "every_width_accepted",
        "You refuse no window. One of 0 tokens or fewer would leave every query without a key.",
        (
            "What does your mask look like for `width = 0`?",
            "Which error should a wrong argument raise?",
            "`if width < 1: raise ValueError(...)`.",
        ),
        ("if width < 1:", "if False:"),
        group="refusal",
    ),
    mistake(
        "numbers_not_booleans",
        "Your mask is made of numbers, and the exercise asks for booleans. Attention writes `~mask`, and `~` of a whole number is another number.",
        (
            "Print the `dtype` of your mask.",
            "`torch.ones` holds floats. Where do they become booleans?",
            "`.bool()` at the end.",
        ),
        (f"return {SEEN}", f"return ({SEEN}).float()"),
        group=ALONE,
        recogniser=right_as_numbers,
    ),
    mistake(
        "another_error",
        "You refuse what you should, but not with a `ValueError`: the error is an `assert`'s, or it comes from a line that happens to fail.",
        (
            "Which error does the docstring name?",
            "Is the error raised by a line of yours, and of the type that a caller can expect?",
            "`if width < 1: raise ValueError(…)`.",
        ),
        ("if width < 1:", "assert width >= 1\n    if False:"),
        recogniser=another_error_is_raised,
        group=ALONE,
    ),
)  # fmt: skip


def two_triangles(length, width):
    if width <= 0:
        raise ValueError("width must be positive")
    ones = torch.ones(length, length, dtype=torch.bool)
    return ones.tril() & ones.triu(1 - width)


def less_a_triangle(length, width):
    if width < 1:
        raise ValueError(width)
    past = torch.tril(torch.ones(length, length))
    return (past - torch.tril(past, diagonal=-width)) == 1


def row_by_row(length, width):
    if not width >= 1:
        raise ValueError("an empty window")
    mask = torch.zeros(length, length, dtype=torch.bool)
    for t in range(length):
        mask[t, max(0, t - width + 1) : t + 1] = True
    return mask


def in_plain_python(length, width):
    if width < 1:
        raise ValueError("no key is left")
    return torch.tensor([[s <= t and s > t - width for s in range(length)] for t in range(length)])


def numpys_bands(length, width):
    if width < 1:
        raise ValueError("a window needs a token")
    return torch.from_numpy(np.tri(length, dtype=bool) & ~np.tri(length, k=-width, dtype=bool))


def diagonals_added_up(length, width):
    if width < 1:
        raise ValueError("width")
    mask = torch.zeros(length, length)
    for back in range(min(width, length)):
        mask += torch.diag(torch.ones(length - back), -back)
    return mask > 0


def stub(length, width):
    raise NotImplementedError


def all_true(length, width):
    return torch.ones(length, length, dtype=torch.bool)


def only_itself(length, width):
    return torch.eye(length, dtype=torch.bool)


def noise(length, width):
    return torch.rand(length, length) < 0.5


SLIDING_WINDOW_MASK = define(
    id="sliding_window_mask",
    lesson="12_costs",
    place=2,
    module="course_lib.components.sliding_window_mask",
    symbol="sliding_window_mask",
    minutes=5,
    laws=LAWS,
    hints=(
        "Draw the mask of five tokens and a window of three on paper: a row for each token that looks. How many are True in each row?",
        "Two conditions: the key isn't after the query, and it lies less than `width` tokens back.",
        "With `back = torch.arange(length).unsqueeze(1) - torch.arange(length)`: `(back >= 0) & (back < width)`. And refuse a `width` below 1 with a `ValueError`.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(
        two_triangles, less_a_triangle, row_by_row, in_plain_python, numpys_bands, diagonals_added_up,
    ),
    lazy=(stub, all_true, only_itself, noise),
    switches=("near", "refusal"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


@SLIDING_WINDOW_MASK.second_version("one_too_many")
def triangle_one_lower(length, width):
    if width < 1:
        raise ValueError(width)
    ones = torch.ones(length, length, dtype=torch.bool)
    return ones.tril() & ones.triu(-width)


@SLIDING_WINDOW_MASK.second_version("whole_past")
def plain_triangle(length, width):
    if width < 1:
        raise ValueError(width)
    return torch.ones(length, length, dtype=torch.bool).tril()


@SLIDING_WINDOW_MASK.second_version("both_sides")
def both_triangles_cut(length, width):
    if width < 1:
        raise ValueError(width)
    ones = torch.ones(length, length, dtype=torch.bool)
    return ones.tril(width - 1) & ones.triu(1 - width)


@SLIDING_WINDOW_MASK.second_version("looks_ahead")
def upper_band(length, width):
    if width < 1:
        raise ValueError(width)
    ones = torch.ones(length, length, dtype=torch.bool)
    return ones.triu() & ones.tril(width - 1)


@SLIDING_WINDOW_MASK.second_version("every_width_accepted")
def never_refused(length, width):
    return torch.tensor([[t - width < s <= t for s in range(length)] for t in range(length)])


@SLIDING_WINDOW_MASK.second_version("numbers_not_booleans")
def triangles_of_whole_numbers(length, width):
    if width < 1:
        raise ValueError(width)
    ones = torch.ones(length, length, dtype=torch.int32)
    return ones.tril() * ones.triu(1 - width)
