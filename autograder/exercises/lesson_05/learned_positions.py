"""Exercise `learned_positions`: a table of positions that is trained, with its constructor."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import nn
from torch.nn import functional as F

from autograder.exercises.definition import define, mistake
from autograder.exercises.draw import Draw
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, refuses
from course_lib.checking.recognisers.any_lesson import another_error_is_raised, parameter_under_another_name
from course_lib.checking.recognisers.lesson_05 import stops_at_the_last_position
from course_lib.checking.values import Value
from course_lib.components.learned_positions import LearnedPositions


def _given(draw: Draw, max_length: int, d_model: int) -> dict[str, Value]:
    """How to construct the module, and what it is to have learned."""
    build = {"max_length": max_length, "d_model": d_model}
    return {"build": build, "weights": {"weight": draw.tensor(max_length, d_model)}}


def _question(name: str, given: dict[str, Value], length: int, **more: Value) -> Question:
    return Question(name, probes.module, {**given, "calls": [{"length": length}], "returns": ["positions"], **more})


def ask(draw: Draw) -> Iterator[Question]:
    """A table whose tens count the rows, distinct sizes, one position, all of them, one more than there are."""
    table = torch.tensor([[0.0], [10.0], [20.0], [30.0]]) + torch.arange(1.0, 4.0)
    table = (table + draw.tensor(4, 1, scale=0.2).round(decimals=1)).double()
    yield _question("by_hand", {"build": {"max_length": 4, "d_model": 3}, "weights": {"weight": table}}, 2)
    (few, length), (d_model,) = sorted(draw.sizes(2)), draw.widths(1)
    given = _given(draw, draw.shuffled((7, 9))[0], d_model)
    yield _question("plain", given, length)
    yield _question("one_position", given, 1)
    yield _question("all_positions", given, given["build"]["max_length"])
    yield Question(
        "too_long", probes.module_refuses, {**given, "arguments": {"length": given["build"]["max_length"] + few}}
    )
    upstream = {"positions": draw.tensor(length, 4)}
    yield _question("gradients", _given(draw, length + few, 4), length, upstream=upstream)


LAWS = (
    Law("parameter", equals_reference, "plain", "there is one parameter, `weight`, of shape (max_length, d_model)", 0.25,
        {"fields": ["shapes"]}),
    Law("equals_by_hand", equals_reference, "by_hand", "the first two rows of a table of four come out", 0.5,
        {"fields": ["calls/0/positions"]}),
    Law("equals_plain", equals_reference, "plain", "more positions come out right", 0.5,
        {"fields": ["calls/0/positions"]}),
    Law("one_position", equals_reference, "one_position", "so does a single position, as (1, d_model)", 0.15,
        {"fields": ["calls/0/positions"]}),
    Law("all_positions", equals_reference, "all_positions", "so do `max_length` positions", 0.1,
        {"fields": ["calls/0/positions"]}),
    Law("refuses", refuses, "too_long", "more than `max_length` positions raise a `ValueError`", 0.25,
        needs="equals_plain"),
    Law("gradients", equals_reference, "gradients", "the rows that are used receive their gradient, and the others none", 0.25,
        {"fields": ["gradients/weight"]}),
)  # fmt: skip

PARAMETER = "nn.Parameter(0.02 * torch.randn(max_length, d_model))"
CHECK = """        if length > max_length:
            raise ValueError(f"{length} positions are asked for, and only {max_length} were learned")
"""
ROWS = "self.weight[:length]"
REFUSE = (
    "What do you return for `max_length + 1` positions?",
    "A table has no row beyond its last. Where do you compare `length` with the number of rows?",
    "`if length > self.weight.size(0): raise ValueError(...)`, best with a message that says both numbers.",
)


MISTAKES = (
    # the parameter
    mistake(
        "columns_for_positions",
        "Your table is (d_model, max_length), with a column for each position, as some slides write it. Here each position is a row, as in `nn.Embedding`. (Or you have swapped the two sizes by accident.)",
        (
            "Print the shape of your parameter, and compare it with the docstring.",
            "In which order do you pass the two sizes to `torch.randn` or `nn.Embedding`?",
            "`nn.Parameter(torch.randn(max_length, d_model))`, and `self.weight[:length]`.",
        ),
        (PARAMETER, "nn.Parameter(0.02 * torch.randn(d_model, max_length))"),
        ("self.weight.size(0)", "self.weight.size(1)"),
        (ROWS, "self.weight[:, :length].T"),
        group="parameter",
    ),
    mistake(
        "nothing_to_learn",
        "Your module has no parameters: the table is a plain tensor, or a buffer, or not made in the constructor. No optimiser will find it, and it never changes.",
        (
            "What is `list(module.parameters())`?",
            "What must a tensor be wrapped in so that a module counts it among its parameters?",
            "`self.weight = nn.Parameter(torch.randn(max_length, d_model))`, in `__init__`.",
        ),
        (f"self.weight = {PARAMETER}", 'self.register_buffer("weight", 0.02 * torch.randn(max_length, d_model))'),
        group="parameter",
    ),
    mistake(
        "another_name",
        "Your table has the right shape but another name. Weights are loaded by name, so it has to be `weight`, directly in the module.",
        (
            "What is `dict(module.named_parameters()).keys()`?",
            "An `nn.Embedding` called `table` has a parameter called `table.weight`. Which name is asked for?",
            "`self.weight = nn.Parameter(...)`; of an embedding, `self.weight = nn.Embedding(max_length, d_model).weight`.",
        ),
        (PARAMETER, "nn.Embedding(max_length, d_model)"),
        ("self.weight.size(0)", "self.weight.num_embeddings"),
        (ROWS, "self.weight.weight[:length]"),
        recogniser=parameter_under_another_name,
        group="parameter",
    ),
    mistake(
        "one_row_too_many",
        "Your table has max_length + 1 rows. Positions 0 to max_length − 1 need max_length of them.",
        (
            "Print the shape of your parameter, and compare it with the docstring.",
            "Do you count positions from 1? Then one row is never used.",
            "`torch.randn(max_length, d_model)`.",
        ),
        (PARAMETER, "nn.Parameter(0.02 * torch.randn(max_length + 1, d_model))"),
        group="parameter",
    ),
    mistake(
        "one_number_for_each_position",
        "You learn one number for each position, where a position should be a vector of d_model numbers.",
        (
            "Print the shape of your parameter, and compare it with the docstring.",
            "Where does `d_model` go in your constructor?",
            "`nn.Parameter(torch.randn(max_length, d_model))`.",
        ),
        (PARAMETER, "nn.Parameter(0.02 * torch.randn(max_length))"),
        group="parameter",
    ),
    mistake(
        "detached",
        "Your numbers are right, but no gradient reaches your table: the rows are cut out of the graph, or the parameter asks for none. It stays at its initial values.",
        (
            "What is `module.weight.requires_grad`? And `module.weight.grad` after a backward pass?",
            "Do you use `requires_grad=False`, `detach`, `.data` or `torch.tensor`, or wrap a new `nn.Parameter` around the rows?",
            "`return self.weight[:length]`.",
        ),
        (ROWS, "self.weight[:length].detach()"),
        group="gradient",
    ),
    # which rows
    mistake(
        "all_rows",
        "You return the whole table, whatever `length` is. Only as many rows as there are tokens can be added to a sentence.",
        (
            "Ask for 2 of 4 positions. How many rows come back?",
            "`length` is a parameter. Where do you use it, besides to refuse?",
            "`return self.weight[:length]`.",
        ),
        (ROWS, "self.weight"),
        group="rows",
    ),
    mistake(
        "positions_from_1",
        "Your first position is row 1. Row 0 is never used, and for `max_length` positions one row is missing.",
        (
            "In the smallest example the tens count rows, from 0. Which rows do you return?",
            "Look at the first number of your slice, or of your range.",
            "`self.weight[:length]`: rows 0 to length − 1.",
        ),
        (ROWS, "self.weight[1 : length + 1]"),
        group="rows",
    ),
    mistake(
        "last_rows",
        "You return the *last* rows of the table: the position of a word would depend on how long the table is.",
        (
            "In the smallest example the tens count rows, from 0. Which rows do you return?",
            "What does a minus mean at the start of a slice?",
            "`self.weight[:length]`.",
        ),
        (ROWS, "self.weight[-length:]"),
        group="rows",
    ),
    mistake(
        "counted_from_the_end",
        "You return the right rows in the opposite order: the last token gets row 0.",
        (
            "In the smallest example the tens count rows, from 0. In which order do yours come?",
            "Do you reverse something, or count down?",
            "`self.weight[:length]`.",
        ),
        (ROWS, "self.weight[:length].flip(0)"),
        group="rows",
    ),
    mistake(
        "only_the_last_row",
        "You return one row, that of position length − 1. Each of the positions up to there needs its own.",
        (
            "Which shape do you return, and which is asked for?",
            "`weight[5]` is a row. How are rows 0 to 5 written?",
            "`self.weight[:length]`, with a colon; or look up `torch.arange(length)`.",
        ),
        (ROWS, "self.weight[length - 1]"),
        group="rows",
    ),
    mistake(
        "row_of_the_length",
        "You look up the row of the number `length` itself: one row, and one too far. Each position from 0 to length − 1 needs its own.",
        (
            "Which shape do you return, and which is asked for?",
            "You look up one number. Which numbers are the positions?",
            "`self.weight[:length]`, with a colon; or look up `torch.arange(length)`.",
        ),
        (ROWS, "self.weight[length]"),
        group="rows",
    ),
    mistake(
        "last_row_for_all",
        "You return the last row of the table for every position, so all words seem to stand at the same position.",
        (
            "Compare the rows that you return with each other.",
            "Which row do you look up, and how many different ones should there be?",
            "`self.weight[:length]`.",
        ),
        (ROWS, "self.weight[-1].expand(length, -1)"),
        group="rows",
    ),
    mistake(
        "first_row_for_all",
        "You return row 0 for every position, so all words seem to stand at the same position.",
        (
            "Compare the rows that you return with each other.",
            "Which row do you look up, and how many different ones should there be?",
            "`self.weight[:length]`; or look up `torch.arange(length)`, not `torch.zeros`.",
        ),
        (ROWS, "self.weight[:1].expand(length, -1)"),
        group="rows",
    ),
    # more positions than rows
    mistake(
        "too_long_cut",
        "For more than `max_length` positions you return as many rows as there are, without an error: a slice just stops at the end. Adding them to the longer sentence then fails with an error about shapes.",
        REFUSE,
        (CHECK, ""),
        group="refusal",
    ),
    mistake(
        "too_long_held",
        "Beyond `max_length` you repeat the last row, without an error: all later words seem to stand at the same position.",
        REFUSE,
        (CHECK, ""),
        (ROWS, "self.weight[torch.arange(length).clamp(max=max_length - 1)]"),
        group="refusal",
    ),
    mistake(
        "too_long_wrapped",
        "Beyond `max_length` you start again at row 0, without an error: a late word seems to stand at the beginning.",
        REFUSE,
        (CHECK, ""),
        (ROWS, "self.weight[torch.arange(length) % max_length]"),
        group="refusal",
    ),
    mistake(
        "max_length_refused",
        "You refuse `max_length` positions too. There is a row for each of them; only more are too many.",
        (
            "A table of 4 rows: for how many positions is it enough?",
            "Look at your comparison: `>`, or `>=`?",
            "`if length > max_length:`.",
        ),
        ("length > max_length", "length >= max_length"),
        recogniser=stops_at_the_last_position,
        group="refusal",
    ),
    mistake(
        "another_error",
        "You refuse more than `max_length` positions, as you should, but not with a `ValueError`: the error comes from looking up a row that isn't there, or it is of another kind.",
        (
            "Which error does `module(max_length + 1)` raise?",
            "Is the error raised by a line of yours, or by the look-up itself?",
            "Compare before the look-up: `if length > self.weight.size(0): raise ValueError(...)`.",
        ),
        (CHECK, ""),
        (ROWS, "self.weight[torch.arange(length)]"),
        recogniser=another_error_is_raised,
        group="refusal",
    ),
    # what is returned
    mistake(
        "axis_in_front",
        "You put an axis for the batch in front: (1, T, D). Here the rows are (T, D), and broadcasting takes care of the batch.",
        (
            "Which shape do you return, and which does the docstring ask for?",
            "(B, T, D) + (T, D): does that need another axis?",
            "`return self.weight[:length]`, without `unsqueeze`.",
        ),
        (ROWS, "self.weight[:length].unsqueeze(0)"),
        group="rows",
    ),
    mistake(
        "transposed",
        "You return (D, T), with a column for each position. Here each position is a row.",
        (
            "Which shape do you return, and which does the docstring ask for?",
            "Your table has a row for each position. What do you do to it at the end?",
            "`return self.weight[:length]`, without `.T`.",
        ),
        (ROWS, "self.weight[:length].T"),
        group="rows",
    ),
    mistake(
        "interpolated",
        "You stretch or squeeze the whole table to the length that is asked for: each vector is a mixture of neighbouring rows, and the same position gets another vector in a longer sentence. Position t should get row t.",
        (
            "What do you return for 2 positions, and what are the first two rows of the table?",
            "`F.interpolate` computes new rows from those that were learned. Does anything have to be computed here?",
            "Return the first `length` rows, and raise a `ValueError` when there aren't as many.",
        ),
        (CHECK, ""),
        (
            ROWS,
            """F.interpolate(self.weight.T[None], size=length, mode="linear", align_corners=False)[0].T""",
        ),
        group="rows",
    ),
)  # fmt: skip


class LookedUp(nn.Module):
    def __init__(self, max_length, d_model):
        super().__init__()
        self.max_length = max_length
        self.weight = nn.Parameter(torch.empty(max_length, d_model))
        nn.init.normal_(self.weight, std=0.02)

    def forward(self, length):
        if length > self.max_length:
            raise ValueError(f"only {self.max_length} positions")
        return F.embedding(torch.arange(length), self.weight)


class WeightOfAnEmbedding(nn.Module):
    def __init__(self, max_length, d_model):
        super().__init__()
        self.weight = nn.Embedding(max_length, d_model).weight

    def forward(self, length):
        if not length <= self.weight.shape[0]:
            raise ValueError("too long")
        return self.weight[torch.arange(length)]


class IsAnEmbedding(nn.Embedding):
    def __init__(self, max_length, d_model):
        super().__init__(max_length, d_model)

    def forward(self, length):
        if length > self.num_embeddings:
            raise ValueError(f"{length} > {self.num_embeddings}")
        return super().forward(torch.arange(length))


class Narrowed(nn.Module):
    def __init__(self, max_length, d_model):
        super().__init__()
        self.register_parameter("weight", nn.Parameter(torch.zeros(max_length, d_model)))

    def forward(self, length):
        try:
            return self.weight.narrow(0, 0, length)
        except RuntimeError:
            raise ValueError(f"there are {len(self.weight)} positions, not {length}") from None


class RowsStacked(nn.Module):
    def __init__(self, max_length, d_model):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(max_length, d_model))

    def forward(self, length):
        rows = list(self.weight)
        if length > len(rows):
            raise ValueError("no such position")
        return torch.stack(rows[:length])


class OneHotTimesTable(nn.Module):
    def __init__(self, max_length, d_model):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(max_length, d_model) - 0.5)

    def forward(self, length):
        if self.weight.size(0) < length:
            raise ValueError(f"a sentence of {length} is too long")
        return torch.eye(length, self.weight.size(0)) @ self.weight


class stub(nn.Module):
    def __init__(self, max_length, d_model):
        raise NotImplementedError

    def forward(self, length):
        raise NotImplementedError


class Zeros(LearnedPositions):
    def forward(self, length):
        return torch.zeros(length, self.weight.size(1))


class ThePositionsThemselves(LearnedPositions):
    def forward(self, length):
        return torch.arange(length).float().unsqueeze(1).expand(length, self.weight.size(1))


class TheLengthItself(LearnedPositions):
    def forward(self, length):
        return length


class Noise(LearnedPositions):
    def forward(self, length):
        return torch.randn(length, self.weight.size(1))


LEARNED_POSITIONS = define(
    id="learned_positions",
    lesson="05_positional_encoding",
    place=2,
    module="course_lib.components.learned_positions",
    symbol="LearnedPositions",
    minutes=10,
    laws=LAWS,
    hints=(
        "Two things: a table that the module owns and trains, and the first rows of it.",
        "In `__init__`: `super().__init__()`, then one `nn.Parameter` called `weight`. In `forward`: refuse what is too long, then slice. Print both shapes.",
        "`self.weight = nn.Parameter(torch.randn(max_length, d_model))`; a `ValueError` where `length` is greater than `self.weight.size(0)`; `self.weight[:length]`.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(LookedUp, WeightOfAnEmbedding, IsAnEmbedding, Narrowed, RowsStacked, OneHotTimesTable),
    lazy=(stub, Zeros, ThePositionsThemselves, TheLengthItself, Noise),
    write=("__init__", "forward"),
    switches=("rows", "refusal", "gradient"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


@LEARNED_POSITIONS.second_version("nothing_to_learn")
class PlainTensor(nn.Module):
    def __init__(self, max_length, d_model):
        super().__init__()
        self.weight = torch.randn(max_length, d_model)

    def forward(self, length):
        return self.weight[:length]


@LEARNED_POSITIONS.second_version("another_name")
class InAnEmbedding(nn.Module):
    def __init__(self, max_length, d_model):
        super().__init__()
        self.table = nn.Embedding(max_length, d_model)

    def forward(self, length):
        return self.table(torch.arange(length))


@LEARNED_POSITIONS.second_version("columns_for_positions")
class SizesSwapped(nn.Module):
    def __init__(self, max_length, d_model):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(d_model, max_length))

    def forward(self, length):
        return self.weight[:length]


class Table(nn.Module):
    """The parameter as it should be."""

    def __init__(self, max_length, d_model):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(max_length, d_model))


@LEARNED_POSITIONS.second_version("detached")
class AskingForNoGradient(Table):
    def forward(self, length):
        if length > len(self.weight):
            raise ValueError("too long")
        self.weight.requires_grad_(False)
        return self.weight[:length]


@LEARNED_POSITIONS.second_version("detached")
class ANewParameter(Table):
    def forward(self, length):
        if length > len(self.weight):
            raise ValueError("too long")
        return nn.Parameter(self.weight[:length])


@LEARNED_POSITIONS.second_version("another_error")
class Asserting(Table):
    def forward(self, length):
        assert length <= len(self.weight), "too long"
        return F.embedding(torch.arange(length), self.weight)


@LEARNED_POSITIONS.second_version("too_long_held")
class HeldByMin(Table):
    def forward(self, length):
        last = self.weight.size(0) - 1
        return torch.stack([self.weight[min(t, last)] for t in range(length)])


@LEARNED_POSITIONS.second_version("max_length_refused")
class OneTooFew(Table):
    def forward(self, length):
        if length < self.weight.size(0):
            return F.embedding(torch.arange(length), self.weight)
        raise ValueError("too long")


@LEARNED_POSITIONS.second_version("positions_from_1 + too_long_cut")
class FromOneUnchecked(Table):
    def forward(self, length):
        return self.weight[1:][:length]


@LEARNED_POSITIONS.second_version("interpolated")
class StretchedByHand(nn.Module):
    def __init__(self, max_length, d_model):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(max_length, d_model))

    def forward(self, length):
        rows = len(self.weight)
        place = ((torch.arange(length) + 0.5) * (rows / length) - 0.5).clamp(min=0)
        below = place.long()
        above, share = (below + 1).clamp(max=rows - 1), (place - below)[:, None]
        return self.weight[below] * (1 - share) + self.weight[above] * share
