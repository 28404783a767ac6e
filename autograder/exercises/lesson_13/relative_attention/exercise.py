"""Exercise `relative_attention`: attention in which every distance has a key vector and a value vector."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from autograder.exercises.definition import Outline
from autograder.exercises.lesson_03.scaled_dot_product_attention.exercise import masked_here_and_there
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Question, calling
from course_lib.checking.rules import equals_reference, inputs_unchanged, zero_where_blocked

NAMES = ("query", "key", "value", "key_table", "value_table", "mask")


_question = calling(*NAMES, returns=["output", "weights"])


def _inputs(sampler: Sampler, *lengths: int, d_k: int, d_v: int, max_distance: int) -> tuple[Tensor, ...]:
    """Return query, key, value and both tables for lengths ``(..., T, S)``."""
    *lead, t, s = lengths
    rows = 2 * max_distance + 1
    return (
        sampler.tensor(*lead, t, d_k), sampler.tensor(*lead, s, d_k), sampler.tensor(*lead, s, d_v),
        sampler.tensor(rows, d_k), sampler.tensor(rows, d_v),
    )  # fmt: skip


def _on_paper(sampler: Sampler) -> tuple[Tensor, ...]:
    """Return three words of width 4 and distances up to 1. The last query compares only first features."""
    query = torch.tensor([[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 2.0, 0.0], [2.0, 0.0, 0.0, 0.0]])
    key = torch.tensor([[0.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 2.0], [1.0, 0.0, 1.0, 0.0]])
    value = torch.tensor([[10.0, 0.0, 0.0, 0.0], [0.0, 20.0, 0.0, 0.0], [0.0, 0.0, 30.0, 0.0]])
    key_table = torch.tensor([[2.0, 0.0, 0.0, 0.0], [-1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]])
    value_table = torch.tensor([[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 2.0], [0.0, 0.0, 0.0, 4.0]])
    key = key + sampler.tensor(3, 4, scale=0.3).round(decimals=1)
    return query.double(), key, value.double(), key_table.double(), value_table.double()


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about small numbers, distinct sizes, heads, masks, an empty row, a long text, and a table of one row."""
    yield _question("by_hand", *_on_paper(sampler))
    few, *lengths = sorted(sampler.sizes(4))
    t, s, more = (lengths[int(i)] for i in sampler.order(3))
    d_k, d_v = sampler.widths(2)
    widths = {"d_k": d_k, "d_v": d_v}
    yield _question("one_sentence", *_inputs(sampler, t, s, **widths, max_distance=1))
    yield _question("plain", *_inputs(sampler, few, t, s, **widths, max_distance=2))
    yield _question("no_distance", *_inputs(sampler, few, s, t, **widths, max_distance=0))
    yield _question("long", *_inputs(sampler, 40, 40, **widths, max_distance=3))
    yield _question(
        "masked", *_inputs(sampler, few, t, s, **widths, max_distance=2), masked_here_and_there(sampler, t, s)
    )
    query, key, value, *tables = _inputs(sampler, few, more, s, t, **widths, max_distance=2)
    views = (x.transpose(-2, -1).contiguous().transpose(-2, -1) for x in (query, key, value))
    yield _question("heads", *views, *tables, masked_here_and_there(sampler, few, 1, 1, t))
    paper = tuple(x.float() for x in _on_paper(sampler))
    empty = torch.tensor([[True, True, False], [False, False, False], [True, False, True]])
    yield _question("fully_masked", *paper, empty)
    gradients = _inputs(sampler, few, s, t, **widths, max_distance=2)
    yield _question("gradients", *gradients, upstream=sampler.tensor(few, s, d_v))
    upstream = {"output": sampler.tensor(3, 4), "weights": sampler.tensor(3, 3)}
    yield _question("masked_gradients", *(x.float() for x in _on_paper(sampler)), empty, upstream=upstream)


BOTH = {"fields": ["output", "weights"]}
GRADIENTS = {"fields": [f"gradients/{name}" for name in NAMES[:-1]]}


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "three words with distances up to 1 come out right", 0.5, BOTH),
    Check("weights_plain", equals_reference, "plain", "in a batch, the weights come out right", 0.5, {"fields": ["weights"]}),
    Check("output_plain", equals_reference, "plain", "in a batch, the output comes out right", 0.5, {"fields": ["output"]}),
    Check("one_sentence", equals_reference, "one_sentence", "one sentence without a batch comes out right", 0.25, BOTH),
    Check("no_distance", equals_reference, "no_distance", "tables of a single row come out right", 0.25, BOTH),
    Check("long", equals_reference, "long", "40 words with distances up to 3 come out right", 0.25, BOTH),
    Check("equals_masked", equals_reference, "masked", "a mask (T, S) comes out right", 0.25, BOTH),
    Check("masked_keys_weigh_nothing", zero_where_blocked, "masked", "masked keys get no weight", 0.25,
        {"field": "weights"}, needs="weights_plain"),
    Check("heads", equals_reference, "heads", "a batch of heads (B, H, T, Dk) with a mask (B, 1, 1, S) comes out right", 0.25, BOTH),
    Check("fully_masked", equals_reference, "fully_masked", "a query whose keys are all masked comes out right: zeros", 0.25, BOTH),
    Check("gradients", equals_reference, "gradients", "the gradients of query, key, value and both tables are right", 0.25,
        GRADIENTS),
    Check("masked_gradients", equals_reference, "masked_gradients", "the gradients are right with a mask, too, where a query may see nothing, and through the weights", 0.25,
        GRADIENTS),
    Check("inputs_unchanged", inputs_unchanged, "masked", "your inputs are left as they were, the tables and the mask too", 0.25,
        needs="equals_masked"),
)  # fmt: skip


def _allows(question: Question) -> bool:
    """Return whether both tables have a row for each distance from -K to K."""
    tables = (question.inputs[-1][name] for name in ("key_table", "value_table"))
    return all(len(table) % 2 == 1 for table in tables)


EXERCISE = Outline(
    minutes=20,
    checks=CHECKS,
    hints=(
        "Do the row of *book* on paper first: which vector does each key get, and what is the sum of the two products?",
        "Look up a vector for each pair: `key_table[rows]` is (T, S, Dk). Then scores of two parts, the softmax as in lesson 03, and an output of two parts.",
        "`near = torch.einsum('...td,tsd->...ts', query, key_table[rows])`, added to `query @ key.transpose(-2, -1)` before the scale; "
        "`weights @ value + torch.einsum('...ts,tsd->...td', weights, value_table[rows])`.",
    ),
    ask=ask,
    allows=_allows,
    builds_on=("relative_positions",),
)
