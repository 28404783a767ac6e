"""Exercise `grouped_query_attention`: several heads of queries share one head of keys and values."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from autograder.exercises.definition import Outline
from autograder.exercises.lesson_03.scaled_dot_product_attention.exercise import masked_here_and_there
from autograder.exercises.lesson_04.sizes import lengths
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Question, calling
from course_lib.checking.rules import equals_reference, inputs_unchanged

RETURNS = ("output", "weights")
INPUTS = ("query", "key", "value")


_question = calling(*INPUTS, "mask", "dropout", returns=[*RETURNS])


def _inputs(sampler: Sampler, heads: int, groups: int, b: int, t: int, s: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return queries (B, H, T, Dk), and keys and values of G heads whose widths differ."""
    d_k, d_v = sampler.widths(2)
    return sampler.tensor(b, heads, t, d_k), sampler.tensor(b, groups, s, d_k), sampler.tensor(b, groups, s, d_v)


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about four heads by hand, other numbers, both ends, masks, an empty row, one text, dropout, and gradients.

    In `square`, there are as many groups as heads in a group, which names what crashes elsewhere.
    """
    query = sampler.tensor(1, 4, 1, 2).round(decimals=1)
    key, value = sampler.tensor(1, 2, 2, 2).round(decimals=1), sampler.tensor(1, 2, 2, 1, scale=5).round()
    yield _question("by_hand", query, key, value)
    b, t, s = lengths(sampler, 3, 2, 6)
    few, many = sampler.shuffled(((6, 2), (6, 3)))
    yield _question("plain", *_inputs(sampler, *few, b, t, s))
    yield _question("more_groups", *_inputs(sampler, *many, b, s, t))
    yield _question("multi_head", *_inputs(sampler, 3, 3, b, t, s))
    yield _question("multi_query", *_inputs(sampler, 4, 1, b, t, s))
    yield _question("one_text", *(x[0] for x in _inputs(sampler, 6, 2, 1, s, t)))
    yield _question("masked", *_inputs(sampler, 6, 2, b, t, s), masked_here_and_there(sampler, t, s))
    views = (x.transpose(1, 2).contiguous().transpose(1, 2) for x in _inputs(sampler, 6, 3, b, s, t))
    yield _question("padding", *views, masked_here_and_there(sampler, b, 1, 1, t))
    yield _question("each_head", *_inputs(sampler, 6, 2, b, t, s), masked_here_and_there(sampler, b, 6, t, s))
    mask = masked_here_and_there(sampler, t, s)
    mask[-1] = False
    yield _question("fully_masked", *_inputs(sampler, 6, 3, b, t, s), mask)
    yield _question("dropped", *_inputs(sampler, 6, 2, b, t, s), None, 1.0)
    inputs = _inputs(sampler, 6, 2, b, t, s)
    upstream = {"output": sampler.tensor(b, 6, t, inputs[2].size(-1)), "weights": sampler.tensor(b, 6, t, s)}
    yield _question("gradients", *inputs, upstream=upstream)
    yield _question("square", *_inputs(sampler, 4, 2, 2, 2, 2))
    yield _question("masked_square", *_inputs(sampler, 4, 2, 2, 3, 3), torch.ones(3, 3, dtype=torch.bool).tril())


BOTH = {"fields": [*RETURNS]}


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "four queries and two groups of two keys come out right", 0.5, BOTH),
    Check("equals_plain", equals_reference, "plain", "six heads in two or three groups come out right, and so do four heads in two", 0.5, BOTH,
        also=("more_groups", "square")),
    Check("multi_head", equals_reference, "multi_head", "as many groups as heads come out right: multi-head attention", 0.25, BOTH),
    Check("multi_query", equals_reference, "multi_query", "one group for all heads comes out right: multi-query attention", 0.25, BOTH),
    Check("one_text", equals_reference, "one_text", "one text without a batch comes out right", 0.25, BOTH),
    Check("masked", equals_reference, "masked", "masks (T, S) and (B, 1, 1, S) come out right", 0.25, BOTH, also=("padding", "masked_square")),
    Check("mask_of_each_head", equals_reference, "each_head", "a mask (B, H, T, S), another for each head, comes out right", 0.25, BOTH),
    Check("fully_masked", equals_reference, "fully_masked", "a query whose keys are all masked comes out right: zeros", 0.25, BOTH),
    Check("dropout", equals_reference, "dropped", "with `dropout=1.0`, output and weights are right: every weight is dropped, and returned as it was before", 0.25, BOTH),
    Check("gradients", equals_reference, "gradients", "the gradients of query, key and value are right", 0.25,
        {"fields": [f"gradients/{name}" for name in INPUTS]}),
    Check("inputs_unchanged", inputs_unchanged, "masked", "your inputs are left as they were, the mask too", 0.0, needs="masked"),
)  # fmt: skip


EXERCISE = Outline(
    minutes=15,
    checks=CHECKS,
    hints=(
        "With six heads in two groups, which head of keys belongs to each of the heads 0 to 5? Write it down.",
        "Two ways lead there. Make H heads out of G with `repeat_interleave`; or put the queries of a group's heads below each other, as in the picture, and take them apart at the end.",
        "`heads = query.size(-3) // key.size(-3)`, then `key.repeat_interleave(heads, dim=-3)`, and the same for `value`. Without copies: `query.reshape(*query.shape[:-3], groups, -1, query.size(-1))`; back again with `reshape(*x.shape[:-3], -1, length, x.size(-1))`; a mask is first broadcast to (..., H, T, S) and then rearranged like the queries.",
    ),
    ask=ask,
)
