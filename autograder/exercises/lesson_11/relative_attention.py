"""Exercise `relative_attention`: attention in which every distance has a vector for keys and one for values."""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch
from torch import Tensor
from torch.nn import functional as F

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from autograder.exercises.lesson_03.scaled_dot_product_attention import masked_here_and_there
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, inputs_unchanged, zero_where_blocked
from course_lib.components.relative_positions import relative_positions

NAMES = ("query", "key", "value", "key_table", "value_table", "mask")


def _question(name: str, *arguments: Tensor, upstream: Tensor | None = None) -> Question:
    asked = {"arguments": dict(zip(NAMES, arguments, strict=False)), "returns": ["output", "weights"]}
    return Question(name, probes.call, asked if upstream is None else {**asked, "upstream": {"output": upstream}})


def _inputs(draw: Draw, *lengths: int, d_k: int, d_v: int, max_distance: int) -> tuple[Tensor, ...]:
    """Query, key, value and both tables for lengths ``(..., T, S)``."""
    *lead, t, s = lengths
    rows = 2 * max_distance + 1
    return (
        draw.tensor(*lead, t, d_k), draw.tensor(*lead, s, d_k), draw.tensor(*lead, s, d_v),
        draw.tensor(rows, d_k), draw.tensor(rows, d_v),
    )  # fmt: skip


def _on_paper(draw: Draw) -> tuple[Tensor, ...]:
    """Three words of width 4 and distances up to 1: the last query compares only first features."""
    query = torch.tensor([[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 2.0, 0.0], [2.0, 0.0, 0.0, 0.0]])
    key = torch.tensor([[0.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 2.0], [1.0, 0.0, 1.0, 0.0]])
    value = torch.tensor([[10.0, 0.0, 0.0, 0.0], [0.0, 20.0, 0.0, 0.0], [0.0, 0.0, 30.0, 0.0]])
    key_table = torch.tensor([[2.0, 0.0, 0.0, 0.0], [-1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]])
    value_table = torch.tensor([[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 2.0], [0.0, 0.0, 0.0, 4.0]])
    key = key + draw.tensor(3, 4, scale=0.3).round(decimals=1)
    return query.double(), key, value.double(), key_table.double(), value_table.double()


def ask(draw: Draw) -> Iterator[Question]:
    """Numbers for paper, distinct sizes, one sentence and heads, masks, an empty row, a long text, a table of one row."""
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
        {"field": "weights", "mask": "arguments/mask"}, needs="weights_plain"),
    Law("heads", equals_reference, "heads", "a batch of heads (B, H, T, Dk) with a mask (B, 1, 1, S) comes out right", 0.25, BOTH),
    Law("fully_masked", equals_reference, "fully_masked", "a query whose keys are all masked gets zeros", 0.25, BOTH),
    Law("gradients", equals_reference, "gradients", "the gradients of query, key, value and both tables are right", 0.5,
        {"fields": [f"gradients/{name}" for name in NAMES[:-1]]}),
    Law("inputs_unchanged", inputs_unchanged, "masked", "your inputs are left as they were, the tables and the mask too", 0.25,
        needs="equals_masked"),
)  # fmt: skip

ROWS = "relative_positions(query.size(-2), key.size(-2), len(key_table) // 2)"
NEAR = 'torch.einsum("...td,tsd->...ts", query, key_table[rows])'
PRODUCT = "query @ key.transpose(-2, -1)"
SUM = f"({PRODUCT} + near)"
SCALE = " / math.sqrt(query.size(-1))"
SOFTMAX = "torch.softmax(scores, dim=-1)"
FILL = "scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)"
EMPTY = "weights = weights.masked_fill(~mask, 0.0)"
TOLD = 'torch.einsum("...ts,tsd->...td", weights, value_table[rows])'
OUTPUT = f"output = weights @ value + {TOLD}"

MISTAKES = (
    # what distances do to keys and values
    mistake(
        "keys_without_distance",
        "Your scores know nothing of distances: the table of keys isn't used, and your weights are those of plain attention.",
        (
            "Change `key_table`. Do your weights move?",
            "With what does a query compare itself besides the key?",
            "Add `torch.einsum('...td,tsd->...ts', query, key_table[rows])` to the products, before they are scaled.",
        ),
        (SUM, PRODUCT),
        group="keys",
    ),
    mistake(
        "values_without_distance",
        "Your output is the mixture of the values alone: the table of values isn't used.",
        (
            "Change `value_table`. Does your output move?",
            "Each key passes on its value *and* the vector of its distance.",
            "Add `torch.einsum('...ts,tsd->...td', weights, value_table[rows])` to the output.",
        ),
        (f" + {TOLD}", ""),
        group="values",
    ),
    mistake(
        "distance_not_scaled",
        "You divide the products of queries and keys by √Dk, but not what the table adds to them, so distances count too much.",
        (
            "On paper: (q·k + q·a) / √Dk. What does yours divide?",
            "Where are your parentheses?",
            "Add first, then divide both: `(query @ key.transpose(-2, -1) + near) / math.sqrt(query.size(-1))`.",
        ),
        (f"{SUM}{SCALE}", f"{PRODUCT}{SCALE} + near"),
        group="scale",
    ),
    mistake(
        "unscaled",
        "Nothing divides your scores by √Dk.",
        (
            "Compare one score with the one on paper. Which factor lies between them?",
            "Between the sum of the products and the softmax, one step is missing.",
            "Divide by `math.sqrt(query.size(-1))`.",
        ),
        (SCALE, ""),
        group="scale",
    ),
    mistake(
        "divided_by_d_k",
        "You divide the scores by Dk. They should be divided by its square root.",
        (
            "Compare one score with the one on paper. Which factor lies between them?",
            "Look at what you divide by.",
            "Divide by `math.sqrt(query.size(-1))`.",
        ),
        (SCALE, " / query.size(-1)"),
        group="scale",
    ),
    mistake(
        "compared_with_the_key",
        "You compare the table with the *key*, k·a, where it should be the query, q·a. The key and its distance are two parts of what a query looks at.",
        (
            "Expand q·(k + a) on paper. Which two products are there?",
            "Which tensor do you multiply the vectors of the table by?",
            "`torch.einsum('...td,tsd->...ts', query, key_table[rows])`.",
        ),
        (NEAR, 'torch.einsum("...sd,tsd->...ts", key, key_table[rows])'),
        group="keys",
    ),
    mistake(
        "distance_after_softmax",
        "You add what the table says after the softmax: your weights no longer sum to 1, and some are negative.",
        (
            "Add up one row of your weights.",
            "The distance is part of the *score*. Is it there when the softmax runs?",
            "Add `near` to the products of queries and keys.",
        ),
        (SUM, PRODUCT),
        (SOFTMAX, f"{SOFTMAX} + near{SCALE}"),
        group="keys",
    ),
    mistake(
        "one_table_for_both",
        "You add the table of *keys* to the values, too, and never use `value_table`. Where the widths of keys and values differ, that is an error.",
        (
            "Change `value_table`. Does your output move?",
            "Which of the two tables has the width of the values?",
            "`value_table[rows]` in the output.",
        ),
        (TOLD, 'torch.einsum("...ts,tsd->...td", weights, key_table[rows])'),
        group=ALONE,
    ),
    mistake(
        "tables_swapped",
        "You use the two tables the wrong way round. Where the widths of keys and values differ, that is an error.",
        (
            "Which of the two tables has the width of the queries?",
            "What does a query compare itself with, and what is added to what it takes up?",
            "`key_table` in the scores, `value_table` in the output.",
        ),
        (NEAR, 'torch.einsum("...td,tsd->...ts", query, value_table[rows])'),
        (TOLD, 'torch.einsum("...ts,tsd->...td", weights, key_table[rows])'),
        group=ALONE,
    ),
    mistake(
        "every_distance_added_in_full",
        "You add the vectors of all distances to the output in full. Each should come with the weight of its key.",
        (
            "With a table of values that is 1 everywhere, the second part of the output should be 1. What is yours?",
            "How much of `value_table[rows][t, s]` should query t take up?",
            "`torch.einsum('...ts,tsd->...td', weights, value_table[rows])`.",
        ),
        (TOLD, "value_table[rows].sum(dim=1)"),
        group="values",
    ),
    # which row of a table
    mistake(
        "tables_read_backwards",
        "You read the tables from the other end: a key before the query gets the vector of one after it.",
        (
            "Which row does the key right before its query get? It should be K − 1.",
            "Is your distance key minus query, or query minus key?",
            "Use `relative_positions(T, S, K)` as it is.",
        ),
        (ROWS, f"len(key_table) - 1 - {ROWS}"),
        group="rows",
    ),
    mistake(
        "row_of_the_keys_position",
        "You look up the vector of the key's *position*. It should be that of its distance from the query.",
        (
            "Move the query on by one position. Does the vector that you add to the key change?",
            "Which two positions does a distance depend on?",
            "`key_table[relative_positions(T, S, K)]` has the shape (T, S, Dk): one vector for each pair.",
        ),
        (ROWS, "torch.arange(key.size(-2)).clamp(max=len(key_table) - 1).expand(query.size(-2), -1)"),
        group="rows",
    ),
    mistake(
        "nothing_is_near",
        "You give every pair the vector in the middle of the tables, as if all keys were at the query's own position.",
        (
            "Change the first row of `key_table`. Do your weights move?",
            "Which rows do you look up? Print them.",
            "`relative_positions(query.size(-2), key.size(-2), len(key_table) // 2)`.",
        ),
        (ROWS, "torch.full((query.size(-2), key.size(-2)), len(key_table) // 2)"),
        group="rows",
    ),
    mistake(
        "cut_off_one_too_early",
        "You cut distances off at K − 1, so the first and the last row of the tables are never used.",
        (
            "Change the first row of `key_table`. Do your weights move?",
            "A table has 2K + 1 rows. What is K, then?",
            "K is `len(key_table) // 2`.",
        ),
        (ROWS, f"{ROWS}.clamp(min(1, len(key_table) - 1), max(0, len(key_table) - 2))"),
        group="rows",
    ),
    # weights and mask
    mistake(
        "softmax_over_queries",
        "Your softmax runs down the columns: for each *key*, the weights over the queries sum to 1. Each *query* should spread its weight over the keys.",
        (
            "Add up one row of your weights, then one column. Which is 1?",
            "Scores have the shape (..., T, S). Along which axis do the weights of one query lie?",
            "`torch.softmax(scores, dim=-1)`.",
        ),
        (SOFTMAX, "torch.softmax(scores, dim=-2)"),
        group="softmax",
    ),
    mistake(
        "mask_ignored",
        "Your code never uses the mask: masked keys get weight like all others.",
        (
            "Mask a key. Do your weights move?",
            "Which argument do you never read?",
            "`scores.masked_fill(~mask, torch.finfo(scores.dtype).min)`, before the softmax.",
        ),
        (FILL, "pass"),
        (EMPTY, "pass"),
        group="mask",
    ),
    mistake(
        "mask_inverted",
        "You hide what the mask allows, and look at what it hides. Here True means *may attend*.",
        (
            "Which keys have weight: those with True or those with False?",
            "`masked_fill` fills where its argument is True. What do you give it?",
            "Give it `~mask`.",
        ),
        (FILL, FILL.replace("~mask", "mask")),
        (EMPTY, EMPTY.replace("~mask", "mask")),
        group="mask",
    ),
    mistake(
        "masked_after_softmax",
        "You set weights to 0 after the softmax, so what is left no longer sums to 1.",
        (
            "Add up one row of your weights, where a key is masked.",
            "When should a masked key be taken out: before the softmax shares the weight, or afterwards?",
            "Fill the scores before the softmax.",
        ),
        (FILL, "pass"),
        group="mask",
    ),
    mistake(
        "fully_masked_nan",
        "A query whose keys are all masked gets `nan`: the softmax of nothing but −∞ divides 0 by 0.",
        (
            "What is `torch.softmax(torch.full((3,), -math.inf), dim=0)`?",
            "Which constant do you fill the scores with?",
            "Fill with `torch.finfo(scores.dtype).min`, and set the weights of masked keys to 0 afterwards.",
        ),
        (FILL, FILL.replace("torch.finfo(scores.dtype).min", "-math.inf")),
        (EMPTY, "pass"),
        group="mask",
    ),
    mistake(
        "fully_masked_uniform",
        "A query whose keys are all masked spreads its weight evenly over them. It should get zeros.",
        (
            "What are the weights of a query that may look at nobody?",
            "Every score of such a row is the same very low number. What does a softmax make of that?",
            "After the softmax: `weights.masked_fill(~mask, 0.0)`.",
        ),
        (EMPTY, "pass"),
        group="mask",
    ),
    mistake(
        "masked_scores_zero",
        "You multiply the scores by the mask, so those of masked keys become 0. A score of 0 is a score like any other: its exponential is 1.",
        (
            "Mask a key. Which weight does it still have?",
            "Which score has the exponential 0?",
            "`scores.masked_fill(~mask, torch.finfo(scores.dtype).min)`.",
        ),
        (FILL, "scores = scores * mask"),
        (EMPTY, "pass"),
        group="mask",
    ),
)  # fmt: skip


def added_to_the_keys(query, key, value, key_table, value_table, mask=None):
    gaps = relative_positions(query.size(-2), key.size(-2), (len(key_table) - 1) // 2)
    keys = key.unsqueeze(-3) + key_table[gaps]  # (..., T, S, Dk)
    values = value.unsqueeze(-3) + value_table[gaps]
    scores = (keys @ query.unsqueeze(-1)).squeeze(-1) / query.size(-1) ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.nan_to_num(scores.softmax(-1))
    return (weights.unsqueeze(-2) @ values).squeeze(-2), weights


def gathered(query, key, value, key_table, value_table, mask=None):
    T, S, K = query.shape[-2], key.shape[-2], key_table.shape[0] // 2
    rows = relative_positions(T, S, K)
    by_row = query @ key_table.T  # (..., T, 2K + 1)
    near = torch.gather(by_row, -1, rows.expand(*query.shape[:-2], T, S))
    scores = (torch.matmul(query, key.mT) + near) * query.shape[-1] ** -0.5
    if mask is not None:
        scores = torch.where(mask, scores, torch.finfo(scores.dtype).min)
    weights = F.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights * mask
    shares = torch.zeros(*weights.shape[:-1], 2 * K + 1, dtype=weights.dtype)
    shares = shares.scatter_add(-1, rows.expand_as(weights), weights)  # (..., T, 2K + 1)
    return weights @ value + shares @ value_table, weights


def query_after_query(query, key, value, key_table, value_table, mask=None):
    T, S = query.size(-2), key.size(-2)
    rows = relative_positions(T, S, len(value_table) // 2)
    if mask is None:
        mask = torch.ones(T, S, dtype=torch.bool)
    mask = mask.expand(*query.shape[:-2], T, S)
    outputs, all_weights = [], []
    for t in range(T):
        k, v = key + key_table[rows[t]], value + value_table[rows[t]]  # (..., S, D)
        scores = (query[..., t : t + 1, :] * k).sum(-1) / math.sqrt(k.size(-1))  # (..., S)
        seen = mask[..., t, :]
        powers = torch.exp(scores - scores.amax(-1, keepdim=True)) * seen
        total = powers.sum(-1, keepdim=True)
        weights = powers / torch.where(total == 0, 1, total)
        outputs.append((weights.unsqueeze(-1) * v).sum(-2))
        all_weights.append(weights)
    return torch.stack(outputs, dim=-2), torch.stack(all_weights, dim=-2)


def by_one_hot_rows(query, key, value, key_table, value_table, mask=None):
    rows = relative_positions(query.size(-2), key.size(-2), key_table.size(0) // 2)
    which = F.one_hot(rows, key_table.size(0)).to(query.dtype)  # (T, S, 2K + 1)
    near = torch.einsum("...td,rd,tsr->...ts", query, key_table, which)
    scores = torch.einsum("...td,...sd->...ts", query, key) + near
    scores = scores / math.sqrt(key.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask.logical_not(), -torch.inf)
    weights = scores.softmax(dim=-1)
    weights = torch.where(weights.isnan(), 0.0, weights)
    return weights @ value + torch.einsum("...ts,tsr,rd->...td", weights, which, value_table), weights


def stub(query, key, value, key_table, value_table, mask=None):
    raise NotImplementedError


def zeros(query, key, value, key_table, value_table, mask=None):
    lead = query.shape[:-1]
    return torch.zeros(*lead, value.size(-1)), torch.zeros(*lead, key.size(-2))


def uniform(query, key, value, key_table, value_table, mask=None):
    weights = torch.full((*query.shape[:-1], key.size(-2)), 1 / key.size(-2), dtype=query.dtype)
    return weights @ value, weights


def noise(query, key, value, key_table, value_table, mask=None):
    weights = torch.rand(*query.shape[:-1], key.size(-2), dtype=query.dtype).softmax(-1)
    return weights @ value, weights


RELATIVE_ATTENTION = define(
    id="relative_attention",
    lesson="11_relative_positions",
    place=1,
    module="course_lib.components.relative_attention",
    symbol="relative_attention",
    minutes=20,
    laws=LAWS,
    hints=(
        "Do the row of *book* on paper first: which vector does each key get, and what is the sum of the two products?",
        "Look up a vector for each pair: `key_table[rows]` is (T, S, Dk). Then scores of two parts, the softmax as in lesson 03, and an output of two parts.",
        "`near = torch.einsum('...td,tsd->...ts', query, key_table[rows])`, added to `query @ key.transpose(-2, -1)` before the scale; "
        "`weights @ value + torch.einsum('...ts,tsd->...td', weights, value_table[rows])`.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(added_to_the_keys, gathered, query_after_query, by_one_hot_rows),
    lazy=(stub, zeros, uniform, noise),
    switches=("keys", "values", "scale", "rows", "mask"),
    builds_on=("relative_positions",),
)  # fmt: skip


@RELATIVE_ATTENTION.second_version("keys_without_distance")
def only_values_are_told(query, key, value, key_table, value_table, mask=None):
    rows = relative_positions(query.size(-2), key.size(-2), len(key_table) // 2)
    scores = query @ key.mT / query.size(-1) ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = scores.softmax(-1).nan_to_num()
    return torch.einsum("...ts,...tsd->...td", weights, value.unsqueeze(-3) + value_table[rows]), weights


@RELATIVE_ATTENTION.second_version("values_without_distance")
def only_keys_are_told(query, key, value, key_table, value_table, mask=None):
    rows = relative_positions(query.size(-2), key.size(-2), len(key_table) // 2)
    keys = key.unsqueeze(-3) + key_table[rows]
    scores = torch.einsum("...td,...tsd->...ts", query, keys) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = scores.softmax(-1).nan_to_num()
    return weights @ value, weights


@RELATIVE_ATTENTION.second_version("distance_not_scaled")
def scaled_queries_for_keys_only(query, key, value, key_table, value_table, mask=None):
    rows = relative_positions(query.size(-2), key.size(-2), len(key_table) // 2)
    scores = (query / math.sqrt(query.size(-1))) @ key.mT + torch.einsum("...td,tsd->...ts", query, key_table[rows])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = scores.softmax(-1).nan_to_num()
    return weights @ value + torch.einsum("...ts,tsd->...td", weights, value_table[rows]), weights


@RELATIVE_ATTENTION.second_version("tables_read_backwards")
def flipped_tables(query, key, value, key_table, value_table, mask=None):
    rows = relative_positions(query.size(-2), key.size(-2), len(key_table) // 2)
    keys, values = key.unsqueeze(-3) + key_table.flip(0)[rows], value.unsqueeze(-3) + value_table.flip(0)[rows]
    scores = torch.einsum("...td,...tsd->...ts", query, keys) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = scores.softmax(-1).nan_to_num()
    return torch.einsum("...ts,...tsd->...td", weights, values), weights


@RELATIVE_ATTENTION.second_version("compared_with_the_key")
def keys_meet_the_table(query, key, value, key_table, value_table, mask=None):
    rows = relative_positions(query.size(-2), key.size(-2), len(key_table) // 2)
    near = (key.unsqueeze(-3) * key_table[rows]).sum(-1)
    scores = (query @ key.mT + near) * query.size(-1) ** -0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = scores.softmax(-1).nan_to_num()
    return weights @ value + torch.einsum("...ts,tsd->...td", weights, value_table[rows]), weights


@RELATIVE_ATTENTION.second_version("masked_scores_zero")
def nothing_in_place_of_infinity(query, key, value, key_table, value_table, mask=None):
    rows = relative_positions(query.size(-2), key.size(-2), len(key_table) // 2)
    scores = torch.einsum("...td,...tsd->...ts", query, key.unsqueeze(-3) + key_table[rows]) / query.size(-1) ** 0.5
    if mask is not None:
        scores = torch.where(mask, scores, 0.0)
    weights = scores.softmax(-1)
    return torch.einsum("...ts,...tsd->...td", weights, value.unsqueeze(-3) + value_table[rows]), weights
