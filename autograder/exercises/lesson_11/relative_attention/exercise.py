"""Exercise `relative_attention`: attention in which every distance has a key vector and a value vector."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from autograder.exercises.definition import Outline
from autograder.exercises.draw import Draw
from autograder.exercises.lesson_03.scaled_dot_product_attention.exercise import masked_here_and_there
from course_lib.checking.exercise import Law
from course_lib.checking.laws import equals_reference, inputs_unchanged, zero_where_blocked
from course_lib.checking.questions import Question, calling

NAMES = ("query", "key", "value", "key_table", "value_table", "mask")


_question = calling(*NAMES, returns=["output", "weights"])


def _inputs(draw: Draw, *lengths: int, d_k: int, d_v: int, max_distance: int) -> tuple[Tensor, ...]:
    """Return query, key, value and both tables for lengths ``(..., T, S)``."""
    *lead, t, s = lengths
    rows = 2 * max_distance + 1
    return (
        draw.tensor(*lead, t, d_k), draw.tensor(*lead, s, d_k), draw.tensor(*lead, s, d_v),
        draw.tensor(rows, d_k), draw.tensor(rows, d_v),
    )  # fmt: skip


def _on_paper(draw: Draw) -> tuple[Tensor, ...]:
    """Return three words of width 4 and distances up to 1. The last query compares only first features."""
    query = torch.tensor([[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 2.0, 0.0], [2.0, 0.0, 0.0, 0.0]])
    key = torch.tensor([[0.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 2.0], [1.0, 0.0, 1.0, 0.0]])
    value = torch.tensor([[10.0, 0.0, 0.0, 0.0], [0.0, 20.0, 0.0, 0.0], [0.0, 0.0, 30.0, 0.0]])
    key_table = torch.tensor([[2.0, 0.0, 0.0, 0.0], [-1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]])
    value_table = torch.tensor([[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 2.0], [0.0, 0.0, 0.0, 4.0]])
    key = key + draw.tensor(3, 4, scale=0.3).round(decimals=1)
    return query.double(), key, value.double(), key_table.double(), value_table.double()


def ask(draw: Draw) -> Iterator[Question]:
    """Ask about small numbers, distinct sizes, heads, masks, an empty row, a long text, and a table of one row."""
    yield _question("by_hand", *_on_paper(draw))
    few, *lengths = sorted(draw.sizes(4))
    t, s, more = (lengths[int(i)] for i in draw.order(3))
    d_k, d_v = draw.widths(2)
    widths = {"d_k": d_k, "d_v": d_v}
    yield _question("one_sentence", *_inputs(draw, t, s, **widths, max_distance=1))
    yield _question("plain", *_inputs(draw, few, t, s, **widths, max_distance=2))
    yield _question("no_distance", *_inputs(draw, few, s, t, **widths, max_distance=0))
    yield _question("long", *_inputs(draw, 40, 40, **widths, max_distance=3))
    yield _question("masked", *_inputs(draw, few, t, s, **widths, max_distance=2), masked_here_and_there(draw, t, s))
    query, key, value, *tables = _inputs(draw, few, more, s, t, **widths, max_distance=2)
    views = (x.transpose(-2, -1).contiguous().transpose(-2, -1) for x in (query, key, value))
    yield _question("heads", *views, *tables, masked_here_and_there(draw, few, 1, 1, t))
    paper = tuple(x.float() for x in _on_paper(draw))
    empty = torch.tensor([[True, True, False], [False, False, False], [True, False, True]])
    yield _question("fully_masked", *paper, empty)
    gradients = _inputs(draw, few, s, t, **widths, max_distance=2)
    yield _question("gradients", *gradients, upstream=draw.tensor(few, s, d_v))


BOTH = {"fields": ["output", "weights"]}


LAWS = (
    Law("equals_by_hand", equals_reference, "by_hand", "three words with distances up to 1 come out right", 0.5, BOTH),
    Law("weights_plain", equals_reference, "plain", "in a batch, the weights come out right", 0.5, {"fields": ["weights"]}),
    Law("output_plain", equals_reference, "plain", "in a batch, the output comes out right", 0.5, {"fields": ["output"]}),
    Law("one_sentence", equals_reference, "one_sentence", "one sentence without a batch comes out right", 0.25, BOTH),
    Law("no_distance", equals_reference, "no_distance", "tables of a single row come out right", 0.25, BOTH),
    Law("long", equals_reference, "long", "40 words with distances up to 3 come out right", 0.25, BOTH),
    Law("equals_masked", equals_reference, "masked", "a mask (T, S) comes out right", 0.25, BOTH),
    Law("masked_keys_weigh_nothing", zero_where_blocked, "masked", "masked keys get no weight", 0.25,
        {"field": "weights"}, needs="weights_plain"),
    Law("heads", equals_reference, "heads", "a batch of heads (B, H, T, Dk) with a mask (B, 1, 1, S) comes out right", 0.25, BOTH),
    Law("fully_masked", equals_reference, "fully_masked", "a query whose keys are all masked gets zeros", 0.25, BOTH),
    Law("gradients", equals_reference, "gradients", "the gradients of query, key, value and both tables are right", 0.5,
        {"fields": [f"gradients/{name}" for name in NAMES[:-1]]}),
    Law("inputs_unchanged", inputs_unchanged, "masked", "your inputs are left as they were, the tables and the mask too", 0.25,
        needs="equals_masked"),
)  # fmt: skip


EXERCISE = Outline(
    minutes=20,
    laws=LAWS,
    hints=(
        "Do the row of *book* on paper first: which vector does each key get, and what is the sum of the two products?",
        "Look up a vector for each pair: `key_table[rows]` is (T, S, Dk). Then scores of two parts, the softmax as in lesson 03, and an output of two parts.",
        "`near = torch.einsum('...td,tsd->...ts', query, key_table[rows])`, added to `query @ key.transpose(-2, -1)` before the scale; "
        "`weights @ value + torch.einsum('...ts,tsd->...td', weights, value_table[rows])`.",
    ),
    ask=ask,
    builds_on=("relative_positions",),
)
