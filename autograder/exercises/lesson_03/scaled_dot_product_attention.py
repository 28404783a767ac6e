"""Exercise `scaled_dot_product_attention`: the operation every later lesson stands on, in PyTorch."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from autograder.exercises.definition import define, mistake
from autograder.exercises.draw import Draw
from autograder.exercises.finished_functions import WRITTEN_BY_HAND, finished_function, watched
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, inputs_unchanged, keeps_dtype, sums_to_one, zero_where_blocked
from course_lib.checking.recognisers.lesson_03 import weights_are_dropped


def _question(name: str, *arguments: Tensor, upstream: Tensor | None = None) -> Question:
    given = dict(zip(("query", "key", "value", "mask"), arguments, strict=False))
    asked = {"arguments": given, "returns": ["output", "weights"]}
    return Question(name, probes.call, asked if upstream is None else {**asked, "upstream": {"output": upstream}})


def _inputs(draw: Draw, *lengths: int, d_k: int, d_v: int) -> tuple[Tensor, Tensor, Tensor]:
    """Query, key and value for lengths ``(..., T, S)``."""
    *lead, t, s = lengths
    return draw.tensor(*lead, t, d_k), draw.tensor(*lead, s, d_k), draw.tensor(*lead, s, d_v)


def masked_here_and_there(draw: Draw, *shape: int) -> Tensor:
    """A mask whose very first query sees all keys but one: a query with one key left hides how scores are scaled."""
    mask = draw.mask(*shape)
    mask.view(-1, shape[-1])[0] = torch.arange(shape[-1]) != draw.order(shape[-1])[0]
    return mask


def _on_paper(draw: Draw) -> tuple[Tensor, Tensor, Tensor]:
    """Two queries and three keys of width 4, whose square root is 2: a query of 0s and 2s only picks and adds."""
    query = torch.tensor([[2.0, 0.0, 0.0, 2.0], [0.0, 2.0, 0.0, 0.0]])
    key = torch.tensor([[1.0, 0.0, 2.0, 0.0], [0.0, 1.0, 1.0, 0.0], [0.0, 3.0, 0.0, 1.0]])
    value = torch.tensor([[10.0], [20.0], [40.0]])
    key = key + draw.tensor(3, 4, scale=0.3).round(decimals=1)
    return query, key, value + draw.tensor(3, 1, scale=3).round()


def ask(draw: Draw) -> Iterator[Question]:
    """Numbers for paper, distinct sizes, masks of every shape, an empty row, large scores; and a cube, to name what crashes.

    In `large` the keys that the first query may see score far below −1,000 and the masked one far
    above, so that a constant which is not low enough is found out; for the second query it is the
    other way round, so that exp overflows. The weights are 0 or 1 there, however they are rounded.
    """
    few, *lengths = sorted(draw.sizes(4))
    t, s, more = (lengths[int(i)] for i in draw.order(3))
    d_k, d_v = draw.widths(2)
    query, key, value = _on_paper(draw)
    numbers = _question("by_hand", query, key, value)
    yield numbers
    yield watched(
        numbers,
        _question("by_hand", *_on_paper(draw.apart("watched"))),
        "nn.functional.scaled_dot_product_attention",
        "nn.functional.multi_head_attention_forward",
        "nn.MultiheadAttention",
        "nn.attention.flex_attention.flex_attention",
    )
    some, all_masked = masked_here_and_there(draw, 1, 3), torch.zeros(1, 3, dtype=torch.bool)
    # in float32, where a score is lost in a billion that is taken off it, and a row so masked is uniform
    paper = (query.float(), key.float(), value.float())
    yield _question("fully_masked", *paper, torch.cat([some, all_masked]))
    query, key, value = _on_paper(draw)
    query[:, 0], key[:, 0] = torch.tensor([80.0, -80.0]), torch.tensor([-60.0, -70.0, 60.0])
    order = draw.order(3)
    allowed = torch.tensor([[True, True, False]]).expand(2, 3)
    yield _question("large", query, key[order], value, allowed[:, order])
    yield _question("plain", *_inputs(draw, few, t, s, d_k=d_k, d_v=d_v))
    yield _question("masked", *_inputs(draw, few, t, s, d_k=d_v, d_v=d_k), masked_here_and_there(draw, t, s))
    yield _question("padding", *_inputs(draw, few, s, t, d_k=d_k, d_v=d_v), masked_here_and_there(draw, few, 1, t))
    yield _question(
        "heads", *_inputs(draw, few, more, s, t, d_k=d_k, d_v=d_v), masked_here_and_there(draw, few, 1, 1, t)
    )
    yield _question("gradients", *_inputs(draw, s, t, d_k=d_v, d_v=d_k), upstream=draw.tensor(s, d_k))
    yield _question("cube", *(draw.tensor(2, 2, 2, 2) for _ in range(3)))


LAWS = (
    Law("equals_by_hand", equals_reference, "by_hand", "two queries and three keys come out right", 0.5,
        {"fields": ["output", "weights"]}),
    Law("weights_plain", equals_reference, "plain", "in a batch, the weights come out right", 0.25,
        {"fields": ["weights"]}),
    Law("output_plain", equals_reference, "plain", "in a batch, the output comes out right", 0.25,
        {"fields": ["output"]}),
    Law("equals_masked", equals_reference, "masked", "a mask (T, S) comes out right", 0.5,
        {"fields": ["output", "weights"]}),
    Law("masked_keys_weigh_nothing", zero_where_blocked, "masked", "masked keys get no weight", 0.25,
        {"field": "weights", "mask": "arguments/mask"}, needs="weights_plain"),
    Law("rows_sum_to_one", sums_to_one, "masked", "each query's weights sum to 1, with a mask too", 0.25,
        {"field": "weights"}, needs="weights_plain"),
    Law("padding_mask", equals_reference, "padding", "a mask (B, 1, S), one row for all queries of a sentence, comes out right", 0.25,
        {"fields": ["output", "weights"]}),
    Law("heads", equals_reference, "heads", "a batch of heads (B, H, T, Dk) with a mask (B, 1, 1, S) comes out right", 0.25,
        {"fields": ["output", "weights"]}),
    Law("fully_masked", equals_reference, "fully_masked", "a query whose keys are all masked gets zeros", 0.25,
        {"fields": ["output", "weights"]}),
    Law("large_scores", equals_reference, "large", "scores of several thousand come out right, and a masked key still gets no weight", 0.25,
        {"fields": ["output", "weights"]}),
    Law("gradients", equals_reference, "gradients", "the gradients of query, key and value are right", 0.5,
        {"fields": ["gradients/query", "gradients/key", "gradients/value"]}),
    Law("inputs_unchanged", inputs_unchanged, "masked", "your inputs are left as they were, the mask too", 0.25,
        needs="equals_masked"),
    Law("keeps_dtype", keeps_dtype, "cube", "float64 in, float64 out", 0.25,
        {"fields": ["output", "weights"]}, needs="weights_plain"),
    WRITTEN_BY_HAND,
)  # fmt: skip

SCORES = "query @ key.transpose(-2, -1)"
SCALE = " / math.sqrt(query.size(-1))"
SOFTMAX = "torch.softmax(scores, dim=-1)"
LOWEST = "torch.finfo(scores.dtype).min"
MASK_SCORES = f"scores = scores.masked_fill(~mask, {LOWEST})"
MASK_WEIGHTS = "weights = weights.masked_fill(~mask, 0.0)"
RETURN = "return weights @ value, weights"


MISTAKES = (
    # how the scores are scaled
    mistake(
        "unscaled",
        "Your scores are plain dot products: nothing divides them by √d_k. "
        "The wider the vectors, the further apart such scores are, until the softmax gives nearly everything to one key.",
        (
            "Entries of variance 1: what is the variance of a dot product of two vectors of width d_k?",
            "Between the product of queries and keys and the softmax, one step is missing.",
            "Divide the scores by `math.sqrt(query.size(-1))` before the softmax.",
        ),
        (SCALE, ""),
        group="scale",
    ),
    mistake(
        "divided_by_d_k",
        "Your scores are divided by d_k. They should be divided by its square root: as they are, they lie too close together, "
        "and all keys get nearly the same weight.",
        (
            "A sum of d_k independent terms of variance 1 has the variance d_k. What is its standard deviation?",
            "Look at what you divide the scores by.",
            "Divide by `math.sqrt(query.size(-1))`, not by `query.size(-1)`.",
        ),
        (SCALE, " / query.size(-1)"),
        group="scale",
    ),
    mistake(
        "scaled_by_number_of_keys",
        "You divide by the square root of the *number* of keys. A score grows with the width of its two vectors, however many keys there are.",
        (
            "Append one more key. Should the scores of the other keys change?",
            "In `key` of shape (..., S, d_k), which of the two sizes does your scale read?",
            "Divide by `math.sqrt(key.size(-1))`: the last axis is the width.",
        ),
        (SCALE, " / math.sqrt(key.size(-2))"),
        group="scale",
    ),
    mistake(
        "multiplied_by_the_scale",
        "You multiply the scores by √d_k, where they should be divided by it: large scores grow larger still, and one key takes nearly all the weight.",
        (
            "Are your scores nearer to 0 after scaling, or further away?",
            "Look at the operator in front of the square root.",
            "Divide: `scores / math.sqrt(query.size(-1))`.",
        ),
        (SCALE, " * math.sqrt(query.size(-1))"),
    ),
    mistake(
        "scaled_by_number_of_queries",
        "You divide by the square root of the *number* of queries. A score grows with the width of its two vectors, however many queries there are.",
        (
            "Leave one query out. Should the scores of the others change?",
            "In `query` of shape (..., T, d_k), which of the two sizes does your scale read?",
            "Divide by `math.sqrt(query.size(-1))`: the last axis is the width.",
        ),
        (SCALE, " / math.sqrt(query.size(-2))"),
    ),
    mistake(
        "scaled_by_width_of_values",
        "You divide by the square root of the *values'* width. Scores are made of queries and keys; the values have no part in them.",
        (
            "Which two tensors is a score made of?",
            "Which tensor's size do you read for the scale?",
            "Divide by `math.sqrt(query.size(-1))`, the width that queries and keys share.",
        ),
        (SCALE, " / math.sqrt(value.size(-1))"),
    ),
    mistake(
        "scaled_after_softmax",
        "You divide by √d_k after the softmax: each query's weights sum to 1/√d_k, not to 1, and the softmax itself has seen unscaled scores.",
        (
            "Add up one row of your weights. What is that number, and where does it come from?",
            "The scale is right. Is it in the right place?",
            "Divide the scores, before `torch.softmax`; leave the weights as the softmax returns them.",
        ),
        (SCALE, ""),
        (SOFTMAX, SOFTMAX + SCALE),
    ),
    # how scores become weights
    mistake(
        "softmax_over_queries",
        "Your softmax runs down the columns: for each *key*, the weights over the queries sum to 1. Each *query* should spread its weight over the keys.",
        (
            "Add up one row of your weights, then one column. Which is 1?",
            "Scores have the shape (..., T, S): queries, then keys. Along which axis do the weights of one query lie?",
            "`torch.softmax(scores, dim=-1)`: along the last axis, the keys.",
        ),
        (SOFTMAX, "torch.softmax(scores, dim=-2)"),
        group="softmax",
    ),
    mistake(
        "softmax_over_axis_1",
        "Your softmax runs along axis 1. In a single matrix those are the keys; in a batch they are the queries, and with heads the heads.",
        (
            "Count the axes of (B, T, S) from 0. Which is axis 1? And in (B, H, T, S)?",
            "`softmax(E, dim=1)` is often printed, and for a single matrix it is right. Which number means the last axis, however many there are?",
            "Write `dim=-1`.",
        ),
        (SOFTMAX, "torch.softmax(scores, dim=1)"),
        group="softmax",
    ),
    mistake(
        "softmax_over_everything",
        "Your softmax runs over all scores at once. The weights of all queries together sum to 1, but each query's own weights should.",
        (
            "Add up one row of your weights. Then add up all of them.",
            "What happens to the scores' shape before your softmax, and along which axis does it run?",
            "Leave the scores as they are, and use `torch.softmax(scores, dim=-1)`.",
        ),
        (SOFTMAX, "torch.softmax(scores.flatten(), dim=0).view_as(scores)"),
        group="softmax",
    ),
    mistake(
        "softmax_over_axis_0",
        "Your softmax runs along axis 0. In a batch that is the batch: sentences that have nothing to do with each other compete for the weight.",
        (
            "Change the second sentence of a batch. Do the weights of the first one move?",
            "Count the axes of (B, T, S) from 0. Which one does your softmax run along, and where do the keys lie?",
            "Write `dim=-1`: the last axis, the keys.",
        ),
        (SOFTMAX, "torch.softmax(scores, dim=0)"),
    ),
    mistake(
        "no_exponential",
        "You divide the scores by their sum, without exp: a negative score becomes a negative weight, and a sum near 0 makes weights of any size.",
        (
            "What weight does your code give to a key with a negative score?",
            "Weights must be positive, whatever the scores are. Which function is positive everywhere?",
            "`torch.softmax(scores, dim=-1)` exponentiates, then divides by the sum.",
        ),
        (SOFTMAX, "scores / scores.sum(dim=-1, keepdim=True)"),
    ),
    mistake(
        "no_max_subtraction",
        "You exponentiate the scores as they are. exp(−2400) is 0 to the computer; where that is so for every key a query may see, you divide 0 by 0.",
        (
            "What is `torch.exp(torch.tensor(-2400.0))`? And that divided by itself?",
            "A constant added to all scores of a row leaves its weights as they are. Which constant makes exp safe?",
            "Use `torch.softmax`, or subtract `scores.max(dim=-1, keepdim=True).values` before `torch.exp`.",
        ),
        (SOFTMAX, "scores.exp() / scores.exp().sum(dim=-1, keepdim=True)"),
    ),
    mistake(
        "sigmoid",
        "You squash each score on its own, with a sigmoid. In a softmax the keys of a query compete for a total of 1.",
        (
            "Raise one score. Do the other weights of its row fall?",
            "A sigmoid sees one score at a time. Which function sees a whole row?",
            "Replace it with `torch.softmax(scores, dim=-1)`.",
        ),
        (SOFTMAX, "torch.sigmoid(scores)"),
    ),
    mistake(
        "hard_maximum",
        "You give all the weight to each query's best key. No gradient passes through an argmax, so queries and keys could never learn.",
        (
            "What weight does your code give to the second best key? And if you move its score a little?",
            "The best key should take most of the weight, not all of it: how much is decided by exp.",
            "Replace the maximum with `torch.softmax(scores, dim=-1)`.",
        ),
        (SOFTMAX, "F.one_hot(scores.argmax(dim=-1), scores.size(-1)).to(scores.dtype)"),
    ),
    mistake(
        "weights_detached",
        "Your numbers are right, but your weights are cut out of the graph: no gradient reaches query and key, and they would never learn.",
        (
            "Call your function with `query.requires_grad_()` and look at `weights.requires_grad`.",
            "Between the scores and the output the graph is cut. Do you use `detach`, `.data`, `torch.no_grad` or `torch.tensor(...)`?",
            "Remove it: everything from `query @ ...` to `weights @ value` stays a torch operation on tensors of the graph.",
        ),
        (SOFTMAX, f"{SOFTMAX}.detach()"),
    ),
    mistake(
        "everything_detached",
        "Your numbers are right, but your output has lost the graph: no gradient reaches query, key or value, and nothing in front of it would learn.",
        (
            "Call your function with `value.requires_grad_()` and look at `output.requires_grad`.",
            "Where do your tensors leave PyTorch? `detach`, `.data`, `torch.no_grad` and a way through NumPy all cut the graph.",
            "Use torch operations on the tensors you are given, from the first line to the last.",
        ),
        (RETURN, "return (weights @ value).detach(), weights.detach()"),
    ),
    # the mask
    mistake(
        "mask_inverted",
        "You hide what the mask allows and look at what it hides. In this course True means *may attend* "
        "(`nn.MultiheadAttention` reads its masks the other way round).",
        (
            "Print one row of the mask above the same row of your weights. Where are the zeros?",
            "`masked_fill` fills the entries where its mask is True. Are those the entries you want to fill?",
            "Fill with `~mask`: where the query may *not* attend.",
        ),
        (MASK_SCORES, MASK_SCORES.replace("~mask", "mask")),
        (MASK_WEIGHTS, MASK_WEIGHTS.replace("~mask", "mask")),
        group="mask",
    ),
    mistake(
        "masked_after_softmax",
        "You set weights to 0 after the softmax. By then the masked keys have taken their share, and what is left in a row no longer sums to 1.",
        (
            "Add up one row of your weights, with a mask. Where is the rest?",
            "The softmax should not see masked keys at all. Which score makes exp(score) 0?",
            f"Before the softmax: `{MASK_SCORES}`.",
        ),
        (MASK_SCORES, "pass"),
        group="mask",
    ),
    mistake(
        "masked_with_zero",
        "You set masked scores to 0, or to a number as good as 0 (1e-9 is not −1e9). exp(0) is 1: a masked key weighs as much as any key whose score is 0.",
        (
            "What weight does your code give to a masked key? And which score would give it none?",
            "Softmax looks at exp(score). Where is exp nearly 0: at 0, or far below?",
            f"Fill with the lowest number there is, not with 0: `{MASK_SCORES}`.",
        ),
        (MASK_SCORES, MASK_SCORES.replace(LOWEST, "0.0")),
        (MASK_WEIGHTS, "pass"),
        group="mask",
    ),
    mistake(
        "fully_masked_nan",
        "Where all keys of a query are masked, you return nan: a softmax of nothing but −∞ is 0 / 0. "
        "One such row turns a loss, and with it every weight of a model, into nan.",
        (
            "Print your weights for a row of the mask without a single True. What should a query get that may look at nothing?",
            "A softmax of −∞ everywhere is nan; of one very low number everywhere, it is not. After that, which weights should be 0?",
            f"Fill with `{LOWEST}`, and after the softmax: `{MASK_WEIGHTS}`.",
        ),
        (LOWEST, "-math.inf"),
        (MASK_WEIGHTS, "pass"),
        group="mask",
    ),
    mistake(
        "fully_masked_uniform",
        "Where all keys of a query are masked, their scores are equally low, and your softmax spreads the weight evenly over keys that must not be seen.",
        (
            "Print your weights for a row of the mask without a single True. What should a query get that may look at nothing?",
            "A softmax sums to 1 even where there is nothing to attend to. The zeros have to come after it.",
            f"After the softmax: `{MASK_WEIGHTS}`.",
        ),
        (MASK_WEIGHTS, "pass"),
        group="mask",
    ),
    mistake(
        "mask_ignored",
        "Your mask has no effect: masked keys get weight as if there were no mask.",
        (
            "Call your function with a mask and without. What differs?",
            "Where does `mask` meet the scores? And is the result kept? `masked_fill` returns a new tensor and leaves the old one as it is.",
            f"Before the softmax, where `mask is not None`: `{MASK_SCORES}`.",
        ),
        (MASK_SCORES, "pass"),
        (MASK_WEIGHTS, "pass"),
        group="mask",
    ),
    mistake(
        "masked_with_a_small_constant",
        "You give masked keys a score that is low, but not low enough: where the other scores are lower still, or all keys are masked, masked keys take the weight.",
        (
            "What happens where the keys a query may see score −2000, and a masked one gets your constant?",
            "Which constant plays the role of −∞ in your code? Is there a score that could lie below it?",
            f"Fill with the lowest number there is: `{LOWEST}`.",
        ),
        (LOWEST, "-100.0"),
        (MASK_WEIGHTS, "pass"),
    ),
    mistake(
        "masked_with_minus_ten",
        "You give masked keys a score of −10. exp(−10) is small, but it is not 0: masked keys are still seen, and clearly so where the other scores are low, or all keys are masked.",
        (
            "Print the weight of a masked key with more digits. Is it 0?",
            "Which constant plays the role of −∞ in your code? What is exp of it?",
            f"Fill with the lowest number there is: `{LOWEST}`.",
        ),
        (LOWEST, "-10.0"),
        (MASK_WEIGHTS, "pass"),
    ),
    mistake(
        "renormalised_after_softmax",
        "You multiply the weights by the mask and divide by what is left. Where a masked key had all the weight, or all keys are masked, nothing is left: 0 / 0 is nan.",
        (
            "One masked key scores 2400, the others −2400. What does your softmax leave for the others, before you multiply?",
            "On paper yours is right. In the computer the masked keys must be gone before the softmax, not after it.",
            f"Before the softmax: `{MASK_SCORES}`. After it: `{MASK_WEIGHTS}`. Then there is nothing to divide by.",
        ),
        (MASK_SCORES, "pass"),
        (MASK_WEIGHTS, "weights = weights * mask\n        weights = weights / weights.sum(dim=-1, keepdim=True)"),
    ),
    mistake(
        "mask_overwritten",
        "Your values are right, but you have changed the mask you were given. The next layer gets the same tensor and hides the wrong keys.",
        (
            "Print `mask` before and after your function.",
            "A method that ends in `_` changes its tensor in place; so do `mask[...] = ...` and `^=`.",
            "Use `~mask`, which makes a new tensor.",
        ),
        (MASK_SCORES, f"scores = scores.masked_fill(mask.logical_not_(), {LOWEST})"),
        (MASK_WEIGHTS, MASK_WEIGHTS.replace("~mask", "mask")),
    ),
    # which tensors are multiplied
    mistake(
        "key_reversed",
        "`key.T` reverses *all* axes. For one matrix that is the transpose; in a batch, the batch axis ends up last.",
        (
            "Print `key.T.shape` for a key of shape (B, S, d_k).",
            "Only the last two axes should be swapped. Which function swaps two axes that you name?",
            "`key.transpose(-2, -1)`.",
        ),
        (SCORES, "query @ key.permute(*range(key.dim() - 1, -1, -1))"),
    ),
    mistake(
        "key_not_transposed",
        "You multiply the queries by the keys as they are. Where the shapes happen to fit, each number is a row of one times a *column* of the other, not query times key.",
        (
            "For `a @ b`, the last axis of `a` meets the second last of `b`. Which axis of `key` should the width of a query meet?",
            "Look at `key` in the product: (..., S, d_k) must become (..., d_k, S).",
            "`query @ key.transpose(-2, -1)`.",
        ),
        (SCORES, "query @ key"),
    ),
    mistake(
        "axes_1_and_2_transposed",
        "You swap axes 1 and 2, counted from the front. With one leading axis these are the last two; with none, or with batch and heads, they are not.",
        (
            "Which axes are 1 and 2 in (S, d_k)? In (B, S, d_k)? In (B, H, S, d_k)?",
            "How do you name the last two axes, however many come before them?",
            "`key.transpose(-2, -1)`.",
        ),
        (SCORES, "query @ key.transpose(1, 2)"),
    ),
    mistake(
        "axes_0_and_1_transposed",
        "You swap axes 0 and 1, counted from the front. For one matrix these are the last two; in a batch you swap the batch with the keys.",
        (
            "Which axes are 0 and 1 in (S, d_k)? And in (B, S, d_k)?",
            "How do you name the last two axes, however many come before them?",
            "`key.transpose(-2, -1)`.",
        ),
        (SCORES, "query @ key.transpose(0, 1)"),
    ),
    mistake(
        "query_and_key_swapped",
        "You multiply keys by queries, K Qᵀ: each row of your scores belongs to a key, where it should belong to a query.",
        (
            "There are T queries and S keys. What is the shape of your scores? Which should come first?",
            "Look at the two sides of the `@` in your scores.",
            "`query @ key.transpose(-2, -1)`: queries on the left.",
        ),
        (SCORES, "key @ query.transpose(-2, -1)"),
    ),
    mistake(
        "weights_times_keys",
        "You mix the keys, not the values: your output is `weights @ key`, as wide as a key.",
        (
            "How wide is your output: d_k, or d_v?",
            "Keys say *where* to look. What says what is found there?",
            "`weights @ value`.",
        ),
        (RETURN, "return weights @ key, weights"),
    ),
    mistake(
        "weights_transposed",
        "You transpose the weights before they meet the values: each value is shared out by what its own row says, "
        "and no query gets the mean it asked for.",
        (
            "Output `i` should be made with the weights of query `i`. Are those a row of `weights`, or a column?",
            "(T, S) @ (S, d_v) fits as it is. What do you do to the weights before?",
            "`weights @ value`, without a transpose.",
        ),
        (RETURN, "return weights.transpose(-2, -1) @ value, weights"),
    ),
    mistake(
        "value_of_the_query",
        "You multiply each query's weights by a *single* value, the one at the query's own position. The weights sum to 1, so each output is that value, and nothing is looked up.",
        (
            "Change the value of another key. Does your output move?",
            "One lecture prints `o_i = Σ_j α_ij v_i`. Which index should `v` have?",
            "`o_i = Σ_j α_ij v_j`, for all queries at once: `weights @ value`.",
        ),
        (RETURN, "return weights.sum(dim=-1, keepdim=True) * value, weights"),
    ),
    # what is returned
    mistake(
        "scores_returned",
        "Your output is right, but next to it you return the scores, from before the softmax, where the weights are asked for.",
        (
            "Add up one row of the second thing you return.",
            "Which of your variables holds numbers between 0 and 1?",
            "`return output, weights`, with the weights that the softmax gave.",
        ),
        (RETURN, "return weights @ value, scores"),
    ),
    mistake(
        "weights_first",
        "You return weights and output in the wrong order: the output is asked for first.",
        (
            "Which shape has the first thing you return, and which shape should it have?",
            "Look at your last line, and at *Returns* in the docstring.",
            "`return output, weights`.",
        ),
        (RETURN, "return weights, weights @ value"),
    ),
    mistake(
        "only_the_output",
        "You return the output alone. The weights are asked for too, as the second of two.",
        (
            "What does the docstring say under *Returns*?",
            "Your weights are there; the last line leaves them behind.",
            "`return output, weights`.",
        ),
        (RETURN, "return weights @ value"),
    ),
    # everything else
    mistake(
        "query_overwritten",
        "Your values are right, but you scale the tensor you were given: your caller's queries are smaller afterwards.",
        (
            "Print `query` before and after your function.",
            "`query /= ...` and `query.div_(...)` change a tensor where it lies.",
            "Write `query = query / ...`, or divide the scores.",
        ),
        (f"scores = {SCORES}{SCALE}", f"query /= math.sqrt(query.size(-1))\n    scores = {SCORES}"),
    ),
    mistake(
        "single_precision",
        "You turn what you are given into float32. From float64 inputs you return float32, and nine of sixteen digits are gone.",
        (
            "Print the `dtype` of what you are given and of what you return.",
            "Somewhere you name a dtype: `.float()`, `torch.float32`. Is it needed?",
            "Remove the conversion. PyTorch keeps the type of its inputs by itself.",
        ),
        (f"scores = {SCORES}", f"query, key, value = query.float(), key.float(), value.float()\n    scores = {SCORES}"),
    ),
    mistake(
        "renormalised_with_a_floor",
        "You multiply the weights by the mask and divide by what is left, but never by less than some small number. Where a masked key had all the weight, the others get none: their weights no longer sum to 1.",
        (
            "One masked key scores 2400, the others −2400. What does your softmax leave for the others, before you multiply?",
            "On paper yours is right. In the computer the masked keys must be gone before the softmax, not after it.",
            f"Before the softmax: `{MASK_SCORES}`. After it: `{MASK_WEIGHTS}`. Then there is nothing to divide by.",
        ),
        (MASK_SCORES, "pass"),
        (
            MASK_WEIGHTS,
            "weights = weights * mask\n        weights = weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-9)",
        ),
    ),
    mistake(
        "fully_masked_weights_uniform",
        "Where all keys of a query are masked, your output is zeros as it should be, but the weights you return are spread evenly over keys that must not be seen.",
        (
            "Print your weights for a row of the mask without a single True.",
            "You set the output of such a query to 0. What about its weights?",
            f"After the softmax: `{MASK_WEIGHTS}`. The output follows from the weights.",
        ),
        (MASK_WEIGHTS, "pass"),
        (RETURN, "return (weights if mask is None else weights.masked_fill(~mask, 0.0)) @ value, weights"),
        group="mask",
    ),
    mistake(
        "fully_masked_output_uniform",
        "Where all keys of a query are masked, the weights you return are zeros as they should be, but your output is the average of values that must not be seen.",
        (
            "Print your output for a row of the mask without a single True.",
            "You set the weights of such a query to 0 after they have met the values. In which order should that happen?",
            f"After the softmax: `{MASK_WEIGHTS}`. Multiply the values afterwards.",
        ),
        (MASK_WEIGHTS, "pass"),
        (RETURN, "return weights @ value, weights if mask is None else weights.masked_fill(~mask, 0.0)"),
        group="mask",
    ),
    mistake(
        "exponentials_overflow",
        "You exponentiate the scores as they are, and guard against a sum of 0. exp of a large score is still infinity, and ∞ / ∞ is nan.",
        (
            "What is `torch.exp(torch.tensor(2400.0))`? And that divided by itself?",
            "A constant added to all scores of a row leaves its weights as they are. Which constant makes exp safe?",
            "Use `torch.softmax`, or subtract the largest score that is not masked before `torch.exp`.",
        ),
        (SOFTMAX, "scores.exp()"),
        (
            MASK_WEIGHTS,
            f"{MASK_WEIGHTS}\n    total = weights.sum(dim=-1, keepdim=True)\n    weights = weights / total.masked_fill(total == 0, 1.0)",
        ),
    ),
    mistake(
        "infinity_times_mask",
        "You exponentiate the scores as they are, and multiply by the mask afterwards. exp of a large score is infinity, and ∞ · 0 is nan.",
        (
            "What is `torch.exp(torch.tensor(2400.0))`? And that times 0?",
            "A constant added to all scores of a row leaves its weights as they are. Which constant makes exp safe?",
            f"Before the softmax: `{MASK_SCORES}`. Then `torch.softmax`, which shifts each row by itself.",
        ),
        (MASK_SCORES, "pass"),
        (SOFTMAX, "scores.exp()"),
        (MASK_WEIGHTS, "weights = weights * mask"),
        (
            RETURN,
            "total = weights.sum(dim=-1, keepdim=True)\n    weights = weights / total.masked_fill(total == 0, 1.0)\n    return weights @ value, weights",
        ),
    ),
    mistake(
        "weights_dropped",
        "You drop some of the weights by chance, at every call. Dropout comes in the next lesson, in a module that knows whether it is being trained.",
        (
            "Call your function twice with the same arguments. Do you get the same numbers?",
            "Look for `dropout` in your function. How does it know whether this is training?",
            "Leave out the dropout.",
        ),
        (SOFTMAX, "nn.functional.dropout(torch.softmax(scores, dim=-1), 0.5)"),
        recogniser=weights_are_dropped,
    ),
    mistake(
        "width_counted_from_the_front",
        "You scale by `query.size(1)`. Of a matrix that is the width; with a batch in front it is the number of queries, and with heads the number of heads.",
        (
            "Print what you divide by, for one sentence and for a batch.",
            "Which axis is the width, whatever comes before it? Count from the end.",
            "Divide by `math.sqrt(query.size(-1))`.",
        ),
        (SCALE, " / math.sqrt(query.size(1))"),
        group="scale",
    ),
    mistake(
        "mask_added",
        "You add the mask to the scores as it is: True counts as 1, and False as 0. Masked keys are only a little behind the others.",
        (
            "What is `torch.tensor([0.5, 0.5]) + torch.tensor([True, False])`?",
            "Code that adds its mask has one of 0 and −∞. Which does this course use?",
            f"Before the softmax: `{MASK_SCORES}`.",
        ),
        (MASK_SCORES, "scores = scores + mask"),
        (MASK_WEIGHTS, "pass"),
    ),
    mistake(
        "fully_masked_weights_nan",
        "Where all keys of a query are masked, your output is zeros as it should be, but the weights you return are nan.",
        (
            "Print your weights for a row of the mask without a single True.",
            "You replace nan in the output. Where does it come from?",
            f"Fill with `{LOWEST}`, and after the softmax: `{MASK_WEIGHTS}`. The output follows from the weights.",
        ),
        (LOWEST, "-math.inf"),
        (MASK_WEIGHTS, "pass"),
        (RETURN, "return weights.nan_to_num(0.0) @ value, weights"),
        group="mask",
    ),
)


def by_einsum(query, key, value, mask=None):
    scores = torch.einsum("...td,...sd->...ts", query, key) * query.shape[-1] ** -0.5
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.nan_to_num(scores.softmax(-1))
    return torch.einsum("...ts,...sv->...tv", weights, value), weights


def by_hand_with_exponentials(query, key, value, mask=None):
    scores = torch.matmul(query, torch.swapaxes(key, -1, -2)) / query.shape[-1] ** 0.5
    if mask is not None:
        scores = torch.where(mask, scores, torch.full_like(scores, -1e9))
    powers = torch.exp(scores - torch.amax(scores, dim=-1, keepdim=True))
    weights = powers / powers.sum(dim=-1, keepdim=True)
    if mask is not None:
        weights = weights * mask
    return torch.matmul(weights, value), weights


def query_scaled_first(query, key, value, mask=None):
    scaled = query / math.sqrt(key.shape[-1])
    scores = scaled @ key.mT
    if mask is None:
        weights = F.softmax(scores, dim=-1)
    else:
        weights = F.softmax(scores.masked_fill(mask.logical_not(), -1e9), dim=-1)
        weights = torch.where(mask.any(dim=-1, keepdim=True), weights, torch.zeros_like(weights))
    output = weights @ value
    return output, weights


def additive_mask(query, key, value, mask=None):
    bias = torch.zeros(query.size(-2), key.size(-2), dtype=query.dtype)
    if mask is not None:
        bias = torch.zeros(mask.shape, dtype=query.dtype).masked_fill(~mask, float("-inf"))
    weights = (query @ key.transpose(-1, -2) / math.sqrt(key.size(-1)) + bias).softmax(dim=-1).nan_to_num(0.0)
    return weights @ value, weights


def one_query_at_a_time(query, key, value, mask=None):
    num_queries, num_keys = query.shape[-2], key.shape[-2]
    if mask is not None:
        mask = mask.expand(*query.shape[:-2], num_queries, num_keys)
    outputs, rows = [], []
    for i in range(num_queries):
        scores = (query[..., i : i + 1, :] * key).sum(-1) / math.sqrt(query.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(~mask[..., i, :], -1e30)
        row = torch.softmax(scores, -1)
        if mask is not None:
            row = row * mask[..., i, :].any(-1, keepdim=True)
        rows.append(row)
        outputs.append((row.unsqueeze(-1) * value).sum(-2))
    return torch.stack(outputs, dim=-2), torch.stack(rows, dim=-2)


def flattened_bmm(query, key, value, mask=None):
    lead = query.shape[:-2]
    T, S = query.shape[-2], key.shape[-2]
    q = query.reshape(-1, T, query.shape[-1])
    k = key.reshape(-1, S, key.shape[-1])
    v = value.reshape(-1, S, value.shape[-1])
    allowed = torch.ones(T, S, dtype=torch.bool) if mask is None else mask
    allowed = torch.broadcast_to(allowed, (*lead, T, S)).reshape(-1, T, S)
    bias = (~allowed).to(q.dtype) * -1e9
    scores = torch.baddbmm(bias, q, k.transpose(1, 2), alpha=1 / math.sqrt(q.shape[-1]))
    weights = torch.softmax(scores, dim=2) * allowed
    return torch.bmm(weights, v).reshape(*lead, T, v.shape[-1]), weights.reshape(*lead, T, S)


def through_log_sum_exp(query, key, value, mask=None):
    scores = query.matmul(key.transpose(-2, -1)).div(math.sqrt(query.size(-1)))
    if mask is not None:
        scores[~mask.expand_as(scores)] = -1e9
    weights = (scores - scores.logsumexp(dim=-1, keepdim=True)).exp()
    output = weights.matmul(value)
    if mask is not None:
        nothing_to_see = (~mask).all(dim=-1, keepdim=True)
        weights = weights.masked_fill(nothing_to_see, 0)
        output = output.masked_fill(nothing_to_see, 0)
    return output, weights


def root_on_both_sides(query, key, value, mask=None):
    fourth_root = query.size(-1) ** 0.25
    scores = (query / fourth_root) @ (key / fourth_root).transpose(-2, -1)
    if mask is None:
        mask = torch.ones(1, 1, dtype=torch.bool)
    scores = torch.where(mask, scores, torch.tensor(-1e9, dtype=scores.dtype))
    weights = torch.where(mask, torch.nn.Softmax(dim=-1)(scores), torch.tensor(0.0, dtype=scores.dtype))
    return weights @ value, weights


def torchs_own(query, key, value, mask=None):
    seen = torch.ones(query.size(-2), key.size(-2), dtype=torch.bool) if mask is None else mask
    output = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    weights = torch.softmax((query @ key.mT / query.size(-1) ** 0.5).masked_fill(~seen, -1e30), dim=-1) * seen
    return output.nan_to_num(), weights


def stub(query, key, value, mask=None):
    raise NotImplementedError


def zeros(query, key, value, mask=None):
    weights = torch.zeros(*query.shape[:-1], key.shape[-2], dtype=query.dtype)
    return weights @ value, weights


def the_input_itself(query, key, value, mask=None):
    return query, key


def uniform(query, key, value, mask=None):
    weights = torch.full((*query.shape[:-1], key.shape[-2]), 1 / key.shape[-2], dtype=query.dtype)
    return weights @ value, weights


def noise(query, key, value, mask=None):
    weights = torch.rand(*query.shape[:-1], key.shape[-2], dtype=query.dtype)
    return weights @ value, weights


SCALED_DOT_PRODUCT_ATTENTION = define(
    id="scaled_dot_product_attention",
    lesson="03_self_attention",
    place=3,
    module="course_lib.components.attention",
    symbol="scaled_dot_product_attention",
    minutes=15,
    laws=LAWS,
    hints=(
        "Write down the shape of every line, for two queries and three keys. Where do the sizes T, S, d_k and d_v go?",
        "Four steps: scores, mask, softmax, weighted sum. Work out two queries and three keys on paper, and compare after each step.",
        "Scores are `query @ key.transpose(-2, -1)` over √d_k; masked ones become the lowest number; "
        "softmax along the last axis; masked weights become 0; output is `weights @ value`. Return output and weights.",
    ),
    ask=ask,
    mistakes=(
        finished_function(torchs_own, "F.scaled_dot_product_attention", "Four lines are enough: scores, mask, softmax, weighted sum."),
        *MISTAKES,
    ),
    alternatives=(
        by_einsum, by_hand_with_exponentials, query_scaled_first, additive_mask, one_query_at_a_time, flattened_bmm,
        through_log_sum_exp, root_on_both_sides,
    ),
    lazy=(stub, zeros, the_input_itself, uniform, noise),
    switches=("scale", "softmax", "mask"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


@SCALED_DOT_PRODUCT_ATTENTION.second_version("finished_function")
def identity_for_values(query, key, value, mask=None):
    """The finished function returns no weights; of values that are an identity, the output is the weights."""
    finished = vars(F)["scaled_dot_product_" + "attention"]
    identity = torch.eye(key.shape[-2], dtype=value.dtype).expand(*value.shape[:-2], -1, -1)
    weights = finished(query, key, identity, None if mask is None else mask.expand(*query.shape[:-1], key.shape[-2]))
    weights = torch.nan_to_num(weights)
    return weights @ value, weights


@SCALED_DOT_PRODUCT_ATTENTION.second_version("unscaled")
def einsum_without_scale(query, key, value, mask=None):
    scores = torch.einsum("...td,...sd->...ts", query, key)
    if mask is not None:
        scores = torch.where(mask, scores, torch.tensor(-1e9, dtype=scores.dtype))
    weights = F.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights * mask
    return torch.einsum("...ts,...sd->...td", weights, value), weights


@SCALED_DOT_PRODUCT_ATTENTION.second_version("divided_by_d_k")
def scaled_on_both_sides(query, key, value, mask=None):
    root = query.shape[-1] ** 0.5
    scores = torch.matmul(query / root, (key / root).mT)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = scores.softmax(-1).nan_to_num(0.0)
    return torch.matmul(weights, value), weights


@SCALED_DOT_PRODUCT_ATTENTION.second_version("softmax_over_queries")
def transposed_softmax(query, key, value, mask=None):
    scores = key @ query.mT / math.sqrt(key.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask.expand(scores.mT.shape).mT, -1e9)
    weights = scores.softmax(-1).mT
    if mask is not None:
        weights = weights * mask
    return weights @ value, weights


@SCALED_DOT_PRODUCT_ATTENTION.second_version("softmax_over_axis_1")
def axis_of_the_slide(query, key, value, mask=None):
    scores = query @ key.mT * key.size(-1) ** -0.5
    if mask is None:
        weights = F.softmax(scores, 1)
    else:
        weights = F.softmax(scores + torch.zeros(mask.shape, dtype=scores.dtype).masked_fill(~mask, -1e9), 1) * mask
    return weights @ value, weights


@SCALED_DOT_PRODUCT_ATTENTION.second_version("mask_inverted")
def true_is_blocked(query, key, value, mask=None):
    scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask, float("-inf"))
    weights = torch.softmax(scores, -1)
    return weights @ value, weights


@SCALED_DOT_PRODUCT_ATTENTION.second_version("masked_after_softmax")
def weights_times_mask(query, key, value, mask=None):
    weights = F.softmax(query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5, dim=-1)
    weights = weights if mask is None else weights * mask.to(weights.dtype)
    return weights @ value, weights


@SCALED_DOT_PRODUCT_ATTENTION.second_version("masked_with_zero")
def scores_times_mask(query, key, value, mask=None):
    scores = query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5
    if mask is not None:
        scores = scores * mask
    weights = F.softmax(scores, dim=-1)
    return weights @ value, weights


@SCALED_DOT_PRODUCT_ATTENTION.second_version("masked_with_a_small_constant")
def minus_a_thousand(query, key, value, mask=None):
    scores = query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5
    if mask is not None:
        scores[~mask.expand_as(scores)] = -1000.0
    weights = F.softmax(scores, dim=-1)
    return weights @ value, weights


@SCALED_DOT_PRODUCT_ATTENTION.second_version("fully_masked_nan")
def infinity_added(query, key, value, mask=None):
    bias = 0.0 if mask is None else torch.zeros(mask.shape, dtype=query.dtype).masked_fill(~mask, -torch.inf)
    weights = torch.softmax(query @ key.mT / math.sqrt(query.shape[-1]) + bias, dim=-1)
    return weights @ value, weights


@SCALED_DOT_PRODUCT_ATTENTION.second_version("fully_masked_uniform")
def a_billion_subtracted(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores + (1.0 - mask.to(scores.dtype)) * -1e9
    weights = scores.softmax(dim=-1)
    return weights @ value, weights


@SCALED_DOT_PRODUCT_ATTENTION.second_version("mask_ignored")
def result_of_masked_fill_lost(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores.masked_fill(~mask, -1e9)
    weights = F.softmax(scores, -1)
    return weights @ value, weights


@SCALED_DOT_PRODUCT_ATTENTION.second_version("renormalised_after_softmax")
def exponentials_times_mask(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    powers = torch.exp(scores - scores.amax(-1, keepdim=True))
    if mask is not None:
        powers = powers * mask
    weights = powers / powers.sum(-1, keepdim=True)
    return weights @ value, weights


@SCALED_DOT_PRODUCT_ATTENTION.second_version("everything_detached")
def through_numpy(query, key, value, mask=None):
    q, k, v = (tensor.detach().numpy() for tensor in (query, key, value))
    scores = q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = np.where(mask.numpy(), scores, -1e9)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = powers / powers.sum(axis=-1, keepdims=True)
    if mask is not None:
        weights = weights * mask.numpy()
    return torch.from_numpy((weights @ v).astype(q.dtype)), torch.from_numpy(weights.astype(q.dtype))


@SCALED_DOT_PRODUCT_ATTENTION.second_version("key_reversed")
def reversed_by_capital_t(query, key, value, mask=None):
    scores = torch.matmul(query, key.T) / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask.logical_not(), -1e9)
    weights = F.softmax(scores, dim=-1)
    if mask is not None:
        weights = torch.where(mask, weights, 0.0)
    return torch.matmul(weights, value), weights


@SCALED_DOT_PRODUCT_ATTENTION.second_version("weights_times_keys")
def keys_are_mixed(query, key, value, mask=None):
    scores = torch.einsum("...id,...jd->...ij", query, key) / query.size(-1) ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    weights = scores.softmax(-1)
    if mask is not None:
        weights = weights * mask
    return torch.einsum("...ij,...jd->...id", weights, key), weights


@SCALED_DOT_PRODUCT_ATTENTION.second_version("unscaled + fully_masked_uniform")
def as_first_written(query, key, value, mask=None):
    scores = torch.matmul(query, key.transpose(-1, -2))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    p = F.softmax(scores, dim=-1)
    return torch.matmul(p, value), p


@SCALED_DOT_PRODUCT_ATTENTION.second_version("softmax_over_queries + fully_masked_nan")
def wrong_axis_and_infinity(query, key, value, mask=None):
    scores = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(key.shape[-1])
    if mask is not None:
        scores = torch.where(mask, scores, -torch.inf)
    p = torch.nn.Softmax(dim=-2)(scores)
    return torch.matmul(p, value), p


@SCALED_DOT_PRODUCT_ATTENTION.second_version("renormalised_with_a_floor")
def shares_of_what_is_left(query, key, value, mask=None):
    weights = F.softmax(query @ key.mT * query.size(-1) ** -0.5, dim=-1)
    if mask is not None:
        left = weights * mask
        weights = left / (left.sum(-1, keepdim=True) + 1e-12)
    return weights @ value, weights


@SCALED_DOT_PRODUCT_ATTENTION.second_version("fully_masked_weights_uniform")
def output_switched_off(query, key, value, mask=None):
    scores = query @ key.mT * query.size(-1) ** -0.5
    if mask is None:
        return scores.softmax(-1) @ value, scores.softmax(-1)
    weights = torch.where(mask, scores, torch.finfo(scores.dtype).min).softmax(-1)
    return weights @ value * mask.any(-1, keepdim=True), weights


@SCALED_DOT_PRODUCT_ATTENTION.second_version("fully_masked_output_uniform")
def weights_switched_off_too_late(query, key, value, mask=None):
    scores = query @ key.mT * query.size(-1) ** -0.5
    if mask is not None:
        scores = torch.where(mask, scores, torch.finfo(scores.dtype).min)
    weights = scores.softmax(-1)
    output = weights @ value
    if mask is not None:
        weights = weights * mask.any(-1, keepdim=True)
    return output, weights


@SCALED_DOT_PRODUCT_ATTENTION.second_version("exponentials_overflow")
def powers_with_a_guard(query, key, value, mask=None):
    powers = torch.exp(query @ key.mT / math.sqrt(query.size(-1)))
    if mask is not None:
        powers = torch.where(mask, powers, 0.0)
    total = powers.sum(-1, keepdim=True)
    weights = powers / torch.where(total > 0, total, 1.0)
    return weights @ value, weights


@SCALED_DOT_PRODUCT_ATTENTION.second_version("infinity_times_mask")
def powers_times_mask(query, key, value, mask=None):
    powers = (query @ key.mT / query.size(-1) ** 0.5).exp()
    if mask is not None:
        powers = powers * mask.to(powers.dtype)
    total = powers.sum(-1, keepdim=True)
    weights = powers / (total + (total == 0).to(total.dtype))
    return weights @ value, weights


@SCALED_DOT_PRODUCT_ATTENTION.second_version("weights_dropped")
def dropout_of_a_module_just_made(query, key, value, mask=None):
    scores = query @ key.mT * query.size(-1) ** -0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = nn.Dropout(0.5)(scores.softmax(-1))
    if mask is not None:
        weights = weights * mask
    return weights @ value, weights


@SCALED_DOT_PRODUCT_ATTENTION.second_version("width_counted_from_the_front")
def second_size(query, key, value, mask=None):
    scores = torch.matmul(query, key.mT) * query.shape[1] ** -0.5
    if mask is not None:
        scores = torch.where(mask, scores, torch.finfo(scores.dtype).min)
    weights = scores.softmax(-1)
    weights = weights if mask is None else weights * mask
    return weights @ value, weights


@SCALED_DOT_PRODUCT_ATTENTION.second_version("mask_added")
def mask_as_a_number(query, key, value, mask=None):
    scores = torch.matmul(query, key.mT) * query.shape[-1] ** -0.5
    if mask is not None:
        scores += mask.to(scores.dtype)
    return scores.softmax(-1) @ value, scores.softmax(-1)


@SCALED_DOT_PRODUCT_ATTENTION.second_version("fully_masked_weights_nan")
def only_the_output_is_mended(query, key, value, mask=None):
    scores = torch.matmul(query, key.mT) * query.shape[-1] ** -0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = scores.softmax(-1)
    output = weights @ value
    return torch.where(output.isnan(), 0.0, output), weights
