"""Exercise `causal_mask`: the lesson's first; who may see whom."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
from torch import nn

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference
from course_lib.checking.recognisers.any_lesson import right_as_numbers


def _question(name: str, length: int) -> Question:
    return Question(name, probes.call, {"arguments": {"length": length}, "returns": ["mask"]})


def ask(draw: Draw) -> Iterator[Question]:
    """A mask to look at, a longer one, one for more than a hundred tokens, and that of one token."""
    yield _question("by_hand", draw.shuffled((3, 4, 5))[0])
    yield _question("plain", draw.shuffled(range(7, 14))[0])
    yield _question("long", draw.shuffled(range(101, 140))[0])
    shortest = [{"length": length} for length in (1, draw.shuffled((2, 6, 14, 15))[0])]
    yield Question("shortest", probes.call_each, {"calls": shortest, "returns": ["mask"]})


LAWS = (
    Law("equals_by_hand", equals_reference, "by_hand", "the mask of a few tokens comes out right", 0.75,
        {"fields": ["mask"]}),
    Law("equals_plain", equals_reference, "plain", "so does a longer one", 1.0,
        {"fields": ["mask"]}, also=("long",)),
    Law("one_token", equals_reference, "shortest", "one token alone sees itself", 0.25,
        {"fields": ["calls/0/mask"]}),
)  # fmt: skip

POSITIONS = "torch.arange(length)"
COMPARED = "positions.unsqueeze(0) <= positions.unsqueeze(1)"
RULE = "`positions.unsqueeze(0) <= positions.unsqueeze(1)`: key j may be seen where j ≤ i."

MISTAKES = (
    # who sees whom
    mistake(
        "own_token_hidden",
        "Your mask hides each token from itself (j < i). The first token then sees nothing at all: its row is empty.",
        (
            "How many keys does your first query see?",
            "Which of < and ≤ lets a token see itself?",
            "`torch.tril(torch.ones(length, length, dtype=torch.bool))`, without `diagonal=-1`; or `<=` instead of `<`.",
        ),
        (COMPARED, "positions.unsqueeze(0) < positions.unsqueeze(1)"),
        group="seen",
    ),
    mistake(
        "own_token_hidden_but_first",
        "Your mask hides each token from itself, except for the first: every other query sees only what comes before it.",
        (
            "How many keys does your second query see? It should see two.",
            "Which part of your diagonal is True?",
            "`torch.tril(torch.ones(length, length, dtype=torch.bool))`: with the whole diagonal, no row is empty.",
        ),
        (COMPARED, "(positions.unsqueeze(0) < positions.unsqueeze(1)) | (positions.unsqueeze(0) + positions.unsqueeze(1) == 0)"),
        group="seen",
    ),
    mistake(
        "triangle_upside_down",
        "Your triangle is upside down: the first query sees every key, and each query after it sees one key fewer.",
        (
            "How many keys does your first query see, and how many the last?",
            "Does the number of True values in row i grow with i?",
            RULE,
        ),
        (COMPARED, "positions.unsqueeze(0) <= positions.flip(0).unsqueeze(1)"),
        group="seen",
    ),
    mistake(
        "one_ahead_visible",
        "Your mask shows each token the one after it (j ≤ i + 1): exactly the token it has to predict.",
        (
            "How many keys does your first query see? Which are they?",
            "Look at the offset: `diagonal=` of `tril` or `triu`, or a + 1.",
            "`torch.tril(...)` has the right diagonal by itself, and `triu` needs `diagonal=1` before it is inverted.",
        ),
        (COMPARED, "positions.unsqueeze(0) <= positions.unsqueeze(1) + 1"),
        group="seen",
    ),
    mistake(
        "future_only",
        "Your mask is the upper triangle: each token sees itself and the *future*, and nothing of the past.",
        (
            "Which keys does your first query see, and which your last?",
            "Rows are queries and columns are keys. Which corner of the matrix is the future?",
            "`tril`, not `triu`; " + RULE,
        ),
        (COMPARED, "positions.unsqueeze(0) >= positions.unsqueeze(1)"),
        group="seen",
    ),
    mistake(
        "true_means_blocked",
        "Your mask is True where a key must *not* be seen, as in `nn.Transformer`. In this course True means *may attend*.",
        (
            "Print your mask. What is True in its first row?",
            "You have the right triangle of the other convention. What turns it into ours?",
            "Return `~mask`, or reverse the comparison: " + RULE,
        ),
        (COMPARED, "positions.unsqueeze(0) > positions.unsqueeze(1)"),
        group="seen",
    ),
    mistake(
        "everything_visible",
        "Your mask is True everywhere: it hides nothing.",
        (
            "Which keys does your first query see?",
            "Where does your code treat queries and keys differently? Does that step change anything?",
            RULE,
        ),
        (COMPARED, "positions.unsqueeze(0) >= 0 * positions.unsqueeze(1)"),
        group="seen",
    ),
    mistake(
        "others_only",
        "Your mask is False on the diagonal and True elsewhere: each token sees all the *others*, those after it too.",
        (
            "Which keys does your first query see?",
            "Do you compare whether two positions differ, or which comes first?",
            RULE,
        ),
        (COMPARED, "positions.unsqueeze(0) != positions.unsqueeze(1)"),
        group="seen",
    ),
    mistake(
        "only_itself",
        "Your mask is True on the diagonal only: each token sees itself, and no earlier one.",
        (
            "How many keys does your last query see? It should see all of them.",
            "Do you compare whether two positions are equal, or which comes first?",
            RULE,
        ),
        (COMPARED, "positions.unsqueeze(0) == positions.unsqueeze(1)"),
        group="seen",
    ),
    mistake(
        "itself_and_the_one_before",
        "Your mask lets each token see itself and the *one* before it, not all that came before.",
        (
            "How many keys does your last query see? It should see all of them.",
            "How far back may a token look? How far back does yours?",
            RULE,
        ),
        (COMPARED, f"({COMPARED}) & (positions.unsqueeze(0) + 1 >= positions.unsqueeze(1))"),
        group="seen",
    ),
    mistake(
        "first_half_visible",
        "Your mask shows every query the same keys: it depends on the key's position only. What may be seen also depends on who is looking.",
        (
            "Compare your first row with your last. Should they be the same?",
            "Your comparison has two sides. Is one of them the query's position?",
            RULE,
        ),
        (COMPARED, "positions.unsqueeze(0) + 0 * positions.unsqueeze(1) <= length // 2"),
        group="seen",
    ),
    # how large
    mistake(
        "one_too_large",
        "Your mask is (T + 1, T + 1), one larger than the sentence.",
        (
            "Which shape does your mask have for one token?",
            "Where do you add 1 to `length`? `torch.arange(n)` has n entries, from 0 to n − 1.",
            "`torch.arange(length)` on both sides.",
        ),
        (POSITIONS, "torch.arange(length + 1)"),
        group="size",
    ),
    mistake(
        "counted_from_1_to_length",
        "Your mask is (T − 1, T − 1): the positions run from 1 to T − 1, and one is missing.",
        (
            "Which shape does your mask have for one token?",
            "How many entries has `torch.arange(1, length)`?",
            "`torch.arange(length)`.",
        ),
        (POSITIONS, "torch.arange(1, length)"),
        group="size",
    ),
    mistake(
        "axis_of_batch_already",
        "Your mask has three axes, (1, T, T). One (T, T) serves any batch: broadcasting adds the axis by itself.",
        (
            "How many axes does your mask have, and how many are asked for?",
            "Which line adds the axis in front?",
            "Leave out the last `unsqueeze(0)`, or write `torch.ones(length, length)`.",
        ),
        (f"return {COMPARED}", f"return ({COMPARED}).unsqueeze(0)"),
        group=ALONE,
    ),
    # what it is made of
    mistake(
        "numbers_not_booleans",
        "Your mask is made of numbers, and the exercise asks for booleans. Attention will write `~mask`, and `~` of a whole number is another number, while `~` of a float is an error.",
        (
            "Print the `dtype` of your mask.",
            "`torch.ones(length, length)` holds floats. Where do they become booleans?",
            "`dtype=torch.bool` in `torch.ones`, or `.bool()` at the end.",
        ),
        (f"return {COMPARED}", f"return ({COMPARED}).float()"),
        group=ALONE,
        recogniser=right_as_numbers,
    ),
    mistake(
        "added_to_scores",
        "You return what would be *added* to scores: 0 where a key may be seen, −∞ where not, like PyTorch's causal mask. The exercise asks for booleans. Read as booleans, yours says the opposite.",
        (
            "Print your mask. Which of its numbers mean True?",
            "The step from booleans to −∞ belongs inside attention, which does it already.",
            RULE,
        ),
        (f"return {COMPARED}", "return torch.full((length, length), float('-inf')).triu(1)"),
        group=ALONE,
    ),
    mistake(
        "complement_of_numbers",
        "You invert a triangle of numbers with `~`: 0 becomes −1 and 1 becomes −2, and both count as true. Nothing is hidden.",
        (
            "What is `~torch.tensor([0, 1])`? And `~torch.tensor([False, True])`?",
            "Turn the numbers into booleans before you invert them.",
            "`~torch.ones(length, length, dtype=torch.bool).triu(1)`.",
        ),
        (f"return {COMPARED}", "return ~torch.ones(length, length, dtype=torch.long).triu(1)"),
        group=ALONE,
    ),
)  # fmt: skip


def lower_triangle(length):
    return torch.tril(torch.ones(length, length, dtype=torch.bool))


def upper_triangle_turned_round(length):
    return ~torch.triu(torch.ones((length, length)), diagonal=1).bool()


def upper_triangle_is_zero(length):
    blocked = torch.triu(torch.ones(1, length, length), diagonal=1)
    return (blocked == 0)[0]


def place_by_place(length):
    mask = torch.zeros(length, length, dtype=torch.bool)
    for i in range(length):
        for j in range(i + 1):
            mask[i, j] = True
    return mask


def row_by_row(length):
    rows = [[key <= query for key in range(length)] for query in range(length)]
    return torch.tensor(rows)


def numpys_triangle(length):
    return torch.from_numpy(np.tri(length, dtype=bool))


def differences(length):
    i = torch.arange(length).view(-1, 1)
    j = torch.arange(length).view(1, -1)
    return torch.ge(i - j, 0)


def stub(length):
    raise NotImplementedError


def all_true(length):
    return torch.ones(length, length, dtype=torch.bool)


def all_false(length):
    return torch.zeros(length, length, dtype=torch.bool)


def noise(length):
    return torch.rand(length, length) < 0.5


CAUSAL_MASK = define(
    id="causal_mask",
    lesson="07_masks",
    place=0,
    module="course_lib.components.causal_mask",
    symbol="causal_mask",
    minutes=5,
    laws=LAWS,
    hints=(
        "Draw the mask of three tokens on paper: a row for each token that looks, a column for each that is looked at. Which of the nine are True?",
        "Row i, column j is True where j ≤ i. Which function makes such a triangle, or which comparison of two `arange`s?",
        "`torch.tril(torch.ones(length, length, dtype=torch.bool))`.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(
        lower_triangle, upper_triangle_turned_round, upper_triangle_is_zero, place_by_place, row_by_row, numpys_triangle,
        differences,
    ),
    lazy=(stub, all_true, all_false, noise),
    switches=("seen", "size"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


@CAUSAL_MASK.second_version("own_token_hidden")
def strictly_lower(length):
    return torch.ones(length, length).tril(diagonal=-1).bool()


@CAUSAL_MASK.second_version("one_ahead_visible")
def upper_from_the_second_diagonal(length):
    return ~torch.ones(length, length, dtype=torch.bool).triu(2)


@CAUSAL_MASK.second_version("future_only")
def upper_triangle(length):
    return torch.triu(torch.ones(length, length, dtype=torch.bool))


@CAUSAL_MASK.second_version("true_means_blocked")
def as_torchs_modules_have_it(length):
    return nn.Transformer.generate_square_subsequent_mask(length).bool()


@CAUSAL_MASK.second_version("others_only")
def all_but_the_diagonal(length):
    return torch.ones(length, length, dtype=torch.bool).fill_diagonal_(False)


@CAUSAL_MASK.second_version("numbers_not_booleans")
def triangle_of_whole_numbers(length):
    return torch.tril(torch.ones(length, length, dtype=torch.int32))


@CAUSAL_MASK.second_version("added_to_scores")
def torchs_own(length):
    return nn.Transformer.generate_square_subsequent_mask(length)


@CAUSAL_MASK.second_version("axis_of_batch_already")
def with_a_batch_in_front(length):
    return torch.tril(torch.ones(1, length, length)) == 1


@CAUSAL_MASK.second_version("own_token_hidden_but_first")
def one_corner_seen(length):
    mask = torch.ones(length, length).tril(-1) > 0
    mask[0, 0] = True
    return mask


@CAUSAL_MASK.second_version("triangle_upside_down")
def flipped(length):
    return torch.ones(length, length, dtype=torch.bool).tril().flip(0)
