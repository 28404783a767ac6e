"""Exercise `multi_head_attention`: several attentions side by side."""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from autograder.exercises.lesson_04.sizes import lengths
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, every_gradient_flows, inputs_unchanged, unmoved
from course_lib.checking.recognisers.lesson_04 import one_head_reaches_the_last_layer
from course_lib.checking.values import Value
from course_lib.components.attention import scaled_dot_product_attention
from course_lib.components.merge_heads import merge_heads
from course_lib.components.multi_head_attention import MultiHeadAttention
from course_lib.components.split_heads import split_heads

LAYERS = ("w_q", "w_k", "w_v", "w_o")


def _weights(draw: Draw, d_model: int, bias: bool = True) -> dict[str, Tensor]:
    """A weight for each of the four layers, and a bias."""
    weights = {f"{layer}.weight": draw.tensor(d_model, d_model, scale=0.4) for layer in LAYERS}
    if bias:
        weights |= {f"{layer}.bias": draw.tensor(d_model, scale=0.4) for layer in LAYERS}
    return weights


def _inputs(draw: Draw, b: int, t: int, s: int, d_model: int) -> dict[str, Value]:
    """Query (B, T, D), key and value (B, S, D), all different."""
    return {
        "query": draw.tensor(b, t, d_model),
        "key": draw.tensor(b, s, d_model),
        "value": draw.tensor(b, s, d_model),
    }


def _question(
    name: str,
    num_heads: int,
    weights: dict[str, Tensor],
    *calls: dict[str, Value],
    returns: tuple[str, ...] = ("output",),
    dropout: float = 0.0,
    **more: Value,
) -> Question:
    d_model, bias = weights["w_q.weight"].size(0), "w_q.bias" in weights
    build = {"d_model": d_model, "num_heads": num_heads, "dropout": dropout, "bias": bias}
    given = {"build": build, "weights": weights, "calls": list(calls), "returns": list(returns), **more}
    return Question(name, probes.module, given)


def _on_paper(draw: Draw) -> Question:
    """Two heads of width 2, without a bias: the first compares features 0 and 1, the second features 2 and 3."""
    one, turned = torch.tensor([[1.0, 1.0], [0.0, 2.0]]), torch.tensor([[0.0, 1.0], [1.0, 0.0]])
    blocks = ((one, turned), (turned, one), (one.T, one))
    matrices = (*(torch.block_diag(*pair) for pair in blocks), torch.eye(4)[[1, 2, 0, 3]])
    weights = {f"{layer}.weight": matrix for layer, matrix in zip(LAYERS, matrices, strict=True)}
    weights |= {f"{layer}.bias": torch.zeros(4) for layer in LAYERS}
    query = torch.tensor([[[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 1.0, 0.0]]])
    key = torch.tensor([[[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0], [1.0, 1.0, 0.0, 0.0]]])
    value = torch.tensor([[[1.0, 0.0, 4.0, 0.0], [2.0, 0.0, 5.0, 0.0], [3.0, 0.0, 6.0, 0.0]]])
    key = key + draw.tensor(1, 3, 4, scale=0.3).round(decimals=1)
    value = value + draw.tensor(1, 3, 4, scale=0.3).round(decimals=1)
    return _question("by_hand", 2, weights, {"query": query, "key": key, "value": value})


def _features_alike(draw: Draw, num_heads: int, head_width: int, b: int, t: int, s: int) -> Question:
    """Values whose features are all 1, and a `w_o` that adds half of each head's and subtracts the others.

    Whatever weights are dropped, all features of a head lose the same, and the bias of `w_o` is left.
    """
    d_model = num_heads * head_width
    weights = _weights(draw, d_model)
    weights |= {"w_v.weight": torch.zeros(d_model, d_model), "w_v.bias": torch.ones(d_model)}
    signs = torch.tensor([1.0, -1.0]).repeat(d_model // 2)
    weights["w_o.weight"] = signs * draw.tensor(d_model, 1, scale=0.4)
    return _question("features_alike", num_heads, weights, _inputs(draw, b, t, s, d_model), dropout=0.5, training=True)


def _mask(draw: Draw, *shape: int) -> Tensor:
    """A mask in which every query sees the first key, and some of the others: no mistake empties a row of it."""
    return torch.cat([torch.ones(*shape[:-1], 1, dtype=torch.bool), draw.mask(*shape[:-1], shape[-1] - 1)], dim=-1)


def ask(draw: Draw) -> Iterator[Question]:
    """Numbers for paper, distinct sizes, one head and many, masks of every shape, dropout; and a cube and a square, to name what crashes.

    Dropout is asked with a share of 1, in training and in evaluation, or so that it does not show: what it does then is no
    matter of chance.
    """
    yield _on_paper(draw)
    h, width = draw.shuffled(((2, 5), (3, 5), (2, 7)))[0]
    b, t, s = lengths(draw, 3, h, width)
    yield _question("plain", h, _weights(draw, h * width), _inputs(draw, b, t, s, h * width))

    h, width = draw.shuffled(((4, 3), (5, 3), (6, 2)))[0]
    b, t, s = lengths(draw, 3, h, width)
    yield _question("more_heads", h, _weights(draw, h * width), _inputs(draw, b, t, s, h * width))
    yield _question("one_head", 1, _weights(draw, 7, bias=False), _inputs(draw, b, t, s, 7))

    # what follows has two heads of width 3: its answers are many, and should be small
    h, width, d_model = 2, 3, 6
    weights = _weights(draw, d_model)
    b, t, s = 3, *draw.shuffled((4, 5))
    given = _inputs(draw, b, t, s, d_model)
    yield _question("with_weights", h, weights, {**given, "need_weights": True}, returns=("output", "weights"))
    masks = {
        "masked": _mask(draw, b, 1, t, s),
        "padding": _mask(draw, b, 1, 1, s),
        "one_mask": _mask(draw, t, s),
        "mask_of_each_head": _mask(draw, b, h, t, s),
    }
    for name, mask in masks.items():
        yield _question(name, h, weights, {**given, "mask": mask})
    order = draw.order(s)
    changed = given["query"].clone()
    changed[:, -1] = draw.tensor(b, d_model)
    others = {name: torch.cat([x[:1], draw.tensor(b - 1, *x.shape[1:])]) for name, x in given.items()}
    yield _question(
        "changed",
        h,
        weights,
        given,
        {**given, "key": given["key"][:, order], "value": given["value"][:, order]},
        {**given, "query": changed},
        others,
    )
    yield _question("training", h, weights, given, dropout=1.0, training=True)
    yield _question("evaluation", h, weights, given, dropout=1.0)
    yield _question(
        "training_with_weights",
        h,
        weights,
        {**given, "need_weights": True},
        returns=("output", "weights"),
        dropout=1.0,
        training=True,
    )
    yield _features_alike(draw, 2, 4, 2, 3, 4)
    upstream = {"output": draw.tensor(b, t, d_model)}
    yield _question("gradients", h, _weights(draw, d_model), _inputs(draw, b, t, s, d_model), upstream=upstream)
    weights = _weights(draw, 4)
    yield _question("cube", 2, weights, _inputs(draw, 2, 2, 2, 4))
    # turned round or transposed, no row of this mask is empty either
    mask = torch.tensor([[1, 0, 0], [1, 1, 0], [0, 0, 1]], dtype=torch.bool)[None, None]
    yield _question("masked_square", 2, weights, {**_inputs(draw, 2, 3, 3, 4), "mask": mask})


OUTPUT = {"fields": ["calls/0/output"]}
INPUTS = ("query", "key", "value")

LAWS = (
    Law("equals_by_hand", equals_reference, "by_hand", "two queries and three keys in two heads of width 2 come out right", 1.0, OUTPUT),
    Law("equals_plain", equals_reference, "plain", "a batch of longer sentences comes out right", 1.0, OUTPUT, also=("cube",)),
    Law("more_heads", equals_reference, "more_heads", "four heads or more come out right", 0.75, OUTPUT),
    Law("one_head", equals_reference, "one_head", "one head comes out right, with layers that have no bias", 0.25, OUTPUT),
    Law("returns_weights", equals_reference, "with_weights", "`need_weights=True` returns output and each head's weights", 0.75,
        {"fields": ["calls/0/output", "calls/0/weights"]}),
    Law("weights_before_dropout", equals_reference, "training_with_weights", "in training they are the weights before dropout", 0.25,
        {"fields": ["calls/0/weights"]}),
    Law("masked", equals_reference, "masked", "a mask (B, 1, T, S) comes out right", 0.75, OUTPUT, also=("masked_square",)),
    Law("padding_mask", equals_reference, "padding", "a mask (B, 1, 1, S), one row for all queries of a sentence, comes out right", 0.5, OUTPUT),
    Law("one_mask", equals_reference, "one_mask", "a mask (T, S), the same for all sentences, comes out right", 0.25, OUTPUT),
    Law("mask_of_each_head", equals_reference, "mask_of_each_head", "a mask (B, H, T, S), another for each head, comes out right", 0.25, OUTPUT),
    Law("order_of_memory", unmoved, "changed", "keys and values in another order, both in the same, change nothing", 0.25,
        {"before": "calls/0/output", "after": "calls/1/output"}, needs="equals_plain"),
    Law("queries_apart", unmoved, "changed", "another last query leaves the first one's output as it is", 0.25,
        {"before": "calls/0/output", "after": "calls/2/output", "index": [None, 0]}, needs="equals_plain"),
    Law("sentences_apart", unmoved, "changed", "other sentences in the batch leave the first one's output as it is", 0.25,
        {"before": "calls/0/output", "after": "calls/3/output", "index": [0]}, needs="equals_plain"),
    Law("dropout_in_training", equals_reference, "training", "in training, dropout falls on the weights and on nothing else: with `dropout=1.0` only the bias of `w_o` is left, with 0.5 all features of a value are dropped together", 0.25, OUTPUT, also=("features_alike",)),
    Law("dropout_in_evaluation", equals_reference, "evaluation", "in evaluation nothing is dropped", 0.25, OUTPUT),
    Law("every_layer_learns", every_gradient_flows, "gradients", "each of the four layers receives a gradient", 0.25,
        needs="equals_plain"),
    Law("gradients", equals_reference, "gradients", "the gradients of the inputs and of every weight are right", 0.5,
        {"fields": [f"gradients/{name}" for name in (*INPUTS, *(f"{x}.{part}" for x in LAYERS for part in ("weight", "bias")))]}),
    Law("inputs_unchanged", inputs_unchanged, "masked", "your inputs are left as they were, the mask too", 0.25,
        {"arguments": "calls/0"}, needs="masked"),
)  # fmt: skip

Q, K, V = "self.w_q(query)", "self.w_k(key)", "self.w_v(value)"
SPLIT_Q, SPLIT_K, SPLIT_V = (f"split_heads({x}, self.num_heads)" for x in (Q, K, V))
ATTEND = "scaled_dot_product_attention(query, key, value, mask)"
CALL = f"_, weights = {ATTEND}"
MIX = "self.dropout(weights) @ value"
MERGE = "merge_heads(attended)"
PROJECT = f"self.w_o({MERGE})"
RETURN = "return (output, weights) if need_weights else output"


def _split_by(after: str) -> tuple[tuple[str, str], ...]:
    """Edits that split all three by a method call of their own; ``{b}`` and ``{n}`` are batch and length."""
    layers = ((SPLIT_Q, Q, "query"), (SPLIT_K, K, "key"), (SPLIT_V, V, "value"))
    return tuple((old, layer + after.format(n=f"{x}.size(1)", b=f"{x}.size(0)")) for old, layer, x in layers)


def _inline(scores: str, softmax: str) -> str:
    """Attention written out in `forward`, with a mistake in it."""
    return f"""scores = {scores}
        if mask is not None:
            scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        weights = {softmax}"""


PRODUCT = "query @ key.transpose(-2, -1)"
SCORES = f"{PRODUCT} / math.sqrt(query.size(-1))"
SOFTMAX = "torch.softmax(scores, dim=-1)"

MISTAKES = (
    # the projections
    mistake(
        "keys_by_w_q",
        "You make the keys with `w_q`, the queries' layer, and `w_k` never learns.",
        (
            "Which of the four layers receive no gradient?",
            "Compare the lines that make `query` and `key`.",
            "`key = split_heads(self.w_k(key), self.num_heads)`.",
        ),
        (K, "self.w_q(key)"),
        group=ALONE,
    ),
    mistake(
        "values_by_w_k",
        "You make the values with `w_k`, the keys' layer, and `w_v` never learns.",
        (
            "Which of the four layers receive no gradient?",
            "Compare the lines that make `key` and `value`.",
            "`value = split_heads(self.w_v(value), self.num_heads)`.",
        ),
        (V, "self.w_k(value)"),
        group=ALONE,
    ),
    mistake(
        "one_projection_for_all",
        "You make queries, keys and values with one layer, `w_q`. `w_k` and `w_v` never learn.",
        (
            "Which of the four layers receive no gradient?",
            "Three roles, three layers. How many of them do your first lines use?",
            "`self.w_q(query)`, `self.w_k(key)`, `self.w_v(value)`.",
        ),
        (K, "self.w_q (key)"),
        (V, "self.w_q(value)"),
        group=ALONE,
    ),
    mistake(
        "values_not_projected",
        "You mix the values as they are given: `w_v` is not used, and never learns.",
        (
            "Which of the four layers receive no gradient?",
            "What becomes of `value` before it is split?",
            "`value = split_heads(self.w_v(value), self.num_heads)`.",
        ),
        (V, "value"),
        group=ALONE,
    ),
    mistake(
        "layers_of_queries_and_keys_swapped",
        "You make the queries with `w_k` and the keys with `w_q`: each of the two layers does the other's job.",
        (
            "Which layer asks, and which is asked?",
            "Compare the names on both sides of your first two lines.",
            "`self.w_q(query)` and `self.w_k(key)`.",
        ),
        (Q, "self.w_k(query)"),
        (K, "self.w_q (key)"),
        group=ALONE,
    ),
    mistake(
        "layers_of_keys_and_values_swapped",
        "You make the keys with `w_v` and the values with `w_k`: each of the two layers does the other's job.",
        (
            "Which layer makes what a token is found by, and which one makes what is found there?",
            "Compare the names on both sides of your lines for `key` and `value`.",
            "`self.w_k(key)` and `self.w_v(value)`.",
        ),
        (K, "self.w_v(key)"),
        (V, "self.w_k(value)"),
        group=ALONE,
    ),
    mistake(
        "weights_not_transposed",
        "You multiply by the weights as they are stored. An `nn.Linear` stores its weight as (out, in), and computes `x @ weight.T + bias`.",
        (
            "Compare `query @ self.w_q.weight` with `self.w_q(query)`. Where a weight is square, only the values can tell.",
            "Which axis of `weight` is the input's: the first or the last?",
            "Call the layer: `self.w_q(query)`.",
        ),
        (Q, "F.linear(query, self.w_q.weight.T, self.w_q.bias)"),
        (K, "F.linear(key, self.w_k.weight.T, self.w_k.bias)"),
        (V, "F.linear(value, self.w_v.weight.T, self.w_v.bias)"),
        (PROJECT, f"F.linear({MERGE}, self.w_o.weight.T, self.w_o.bias)"),
        group=ALONE,
    ),
    # who attends to whom
    mistake(
        "query_attends_to_itself",
        "You make keys and values from `query`, so each sequence attends to itself, whatever `key` and `value` are. "
        "In self-attention all three are the same; here they needn't be.",
        (
            "Change `key` and `value`. Does your output move?",
            "Which tensor does `w_k` get, and which `w_v`?",
            "`self.w_k(key)` and `self.w_v(value)`.",
        ),
        ("query = " + SPLIT_Q, "key = value = query\n        query = " + SPLIT_Q),
        group=ALONE,
    ),
    mistake(
        "values_made_of_keys",
        "You make the values from `key`, and never use `value`.",
        (
            "Change `value`. Does your output move?",
            "Which tensor does `w_v` get?",
            "`self.w_v(value)`.",
        ),
        (V, "self.w_v(key_before)"),
        ("query = " + SPLIT_Q, "key_before = key\n        query = " + SPLIT_Q),
        group=ALONE,
    ),
    mistake(
        "keys_made_of_values",
        "You make the keys from `value`, and never use `key`.",
        (
            "Change `key`. Does your output move?",
            "Which tensor does `w_k` get?",
            "`self.w_k(key)`.",
        ),
        (K, "self.w_k(value)"),
        group=ALONE,
    ),
    mistake(
        "memory_asks",
        "You let `key` ask and `query` answer: your output has a row for each of the S tokens of `key`, while it should have one for each of the T tokens of `query`.",
        (
            "How many rows does your output have, T or S?",
            "The tokens that ask are the ones that get an answer. Which tensor do you give to `w_q`?",
            "`self.w_q(query)` asks; `self.w_k(key)` and `self.w_v(value)` are asked.",
        ),
        ("query = " + SPLIT_Q, "query, key, value = key, query, query\n        query = " + SPLIT_Q),
        group=ALONE,
    ),
    mistake(
        "values_made_of_queries",
        "You make the values from `query`. The keys are those of the other sequence, so what is found at one token is read at another.",
        (
            "Which two sequences must be equally long for your code to run?",
            "Which tensor does `w_v` get?",
            "`self.w_v(value)`.",
        ),
        ("query = " + SPLIT_Q, "value = query\n        query = " + SPLIT_Q),
        group=ALONE,
    ),
    # splitting
    mistake(
        "split_without_transpose",
        "You view (B, T, D) as (B, H, T, Dh) at once. The shape is right, but a view only cuts the row of numbers in memory anew: "
        "each head gets all features of a few tokens, mixed up.",
        (
            "Does your `forward` call your `split_heads`? And does that pass its own check?",
            "A view never moves a number, it only cuts. Which one axis of (B, T, D) has to be cut in two, so that each token keeps its own numbers?",
            "`.view(B, T, H, Dh).transpose(1, 2)`, or `split_heads(self.w_q(query), self.num_heads)`.",
        ),
        *_split_by(".view({b}, self.num_heads, {n}, -1)"),
        group="split",
    ),
    mistake(
        "split_interleaved",
        "You deal the features out to the heads like cards: head 0 gets features 0, H, 2H and so on. A head takes neighbouring features.",
        (
            "Does your `forward` call your `split_heads`? And does that pass its own check?",
            "You cut the last axis in two. Which part comes first, the head or the position within it?",
            "`.view(B, T, H, Dh)`, heads before widths, or `split_heads(self.w_q(query), self.num_heads)`.",
        ),
        *_split_by(".unflatten(-1, (-1, self.num_heads)).permute(0, 3, 1, 2)"),
        group="split",
    ),
    mistake(
        "split_not_transposed",
        "Your heads stay behind the tokens: (B, T, H, Dh). Attention works on the last two axes, so the heads of one token attend to each other, "
        "and no token to another.",
        (
            "Which shape do your queries have when they reach attention?",
            "Attention treats the last two axes as tokens and features. Which two stand there in yours?",
            "`.transpose(1, 2)` after the view, or `split_heads(self.w_q(query), self.num_heads)`; and `merge_heads` on the way back.",
        ),
        *_split_by(".unflatten(-1, (self.num_heads, -1))"),
        (MERGE, "attended.flatten(2)"),
        group="split",
    ),
    mistake(
        "not_split",
        "You never split, so a single head as wide as the model attends, whatever `num_heads` is.",
        (
            "Build your module with one head and with two, and give both the same weights. Does the output differ?",
            "`self.num_heads` is there. Where do you use it?",
            "`split_heads(self.w_q(query), self.num_heads)`, and the same for key and value.",
        ),
        *_split_by(".unsqueeze(1)"),
        group="split",
    ),
    # merging
    mistake(
        "merged_without_transpose",
        "You view (B, H, T, Dh) as (B, T, D) without moving the heads back behind the tokens: your token 0 holds head 0 of several tokens. "
        "At a single length such a model can still be trained, so its loss may look right.",
        (
            "Does your `forward` call your `merge_heads`? And does that pass its own check?",
            "A view never moves a number. Which two axes must change places before heads and widths lie side by side?",
            "`attended.transpose(1, 2).reshape(B, T, D)`, or `merge_heads(attended)`.",
        ),
        (MERGE, "attended.reshape(attended.size(0), attended.size(2), -1)"),
        group="merge",
    ),
    mistake(
        "merged_interleaved",
        "You interleave the features of the heads: feature 0 of all heads, then feature 1. Heads should stand side by side, each in one piece.",
        (
            "Does your `forward` call your `merge_heads`? And does that pass its own check?",
            "You join two axes into one. Which of them changes slowly, the head or the position within it?",
            "Join (H, Dh) in this order: `attended.transpose(1, 2).reshape(B, T, D)`, or `merge_heads(attended)`.",
        ),
        (MERGE, "attended.permute(0, 2, 3, 1).flatten(2)"),
        group="merge",
    ),
    mistake(
        "heads_not_joined",
        "What you give to `w_o` is as wide as one head. Heads are neither averaged nor added up, and none is left out: they stand side by side, D wide.",
        (
            "Which shape does the input of `w_o` have, and how wide is `w_o`?",
            "*Concat*, says the formula. What do you do with the axis of the heads? And does your `merge_heads` pass its own check?",
            "`self.w_o(merge_heads(attended))`, where `merge_heads` returns (B, T, D).",
        ),
        (MERGE, "attended.mean(dim=1)"),
        recogniser=one_head_reaches_the_last_layer,
        group=ALONE,
    ),
    # attention itself
    mistake(
        "scaled_by_d_model",
        "You divide the scores by √d_model. A score is a dot product of two vectors as wide as *one head*, so its scale is √(d_model / H).",
        (
            "How many products are added up in one score of one head?",
            "Which width do you read for the scale, and when: before the split, or after?",
            "`scaled_dot_product_attention` reads `query.size(-1)`, after the split: leave the scaling to it.",
        ),
        (CALL, _inline(f"{PRODUCT} / math.sqrt(self.w_q.out_features)", SOFTMAX)),
        group=ALONE,
    ),
    mistake(
        "unscaled",
        "Nothing divides your scores by √Dh.",
        (
            "Entries of variance 1: what is the variance of a score in a head of width Dh?",
            "Follow the scores from the product of queries and keys to the softmax. Where are they scaled?",
            "Divide them by `math.sqrt(query.size(-1))`, after the split; or call `scaled_dot_product_attention`.",
        ),
        (CALL, _inline(PRODUCT, SOFTMAX)),
        group=ALONE,
    ),
    mistake(
        "scaled_twice",
        "You scale the queries, and attention scales the scores once more: together that divides by Dh, not by its square root.",
        (
            "How many times are your scores divided by √Dh, from the projections to the softmax?",
            "`scaled_dot_product_attention` scales by itself. What do you do to queries or keys before you call it?",
            "Hand over the queries as they are split.",
        ),
        (ATTEND, ATTEND.replace("query", "query / math.sqrt(query.size(-1))")),
        group=ALONE,
    ),
    mistake(
        "softmax_over_heads",
        "Your softmax runs along the heads: for each query and key, the weights of the *heads* sum to 1. `dim=1` of (B, H, T, S) is that axis; "
        "for a matrix of scores, without batch and heads, it would be right.",
        (
            "Ask for the weights. Add up one row of one head. Then pick one query and one key and add up over the heads. Which sum is 1?",
            "Count the axes of (B, H, T, S) from 0. Which one does your softmax run along?",
            "`torch.softmax(scores, dim=-1)`; or call `scaled_dot_product_attention`.",
        ),
        (CALL, _inline(SCORES, "torch.softmax(scores, dim=1)")),
        group=ALONE,
    ),
    mistake(
        "softmax_over_queries",
        "Your weights sum to 1 down the columns, over the queries of each key. They should sum to 1 over the keys of each query.",
        (
            "Ask for the weights. Add up one row of one head, then one column. Which is 1?",
            "Scores are (B, H, T, S): queries, then keys. Along which axis does your softmax run?",
            "`torch.softmax(scores, dim=-1)`; or call `scaled_dot_product_attention`.",
        ),
        (CALL, _inline(SCORES, "torch.softmax(scores, dim=-2)")),
        group=ALONE,
    ),
    mistake(
        "attended_detached",
        "Your numbers are right, but what attention returns is cut out of the graph: `w_q`, `w_k` and `w_v` never learn, nor does anything in front of them.",
        (
            "Which of the four layers receive a gradient?",
            "Between attention and `w_o` the graph is cut. Do you use `detach`, `.data`, `torch.no_grad` or NumPy there?",
            "Hand on what attention returns as it is.",
        ),
        (MIX, f"({MIX}).detach()"),
        group=ALONE,
    ),
    # the mask
    mistake(
        "mask_not_passed",
        "Your `forward` takes a mask and does nothing with it, so masked tokens are seen like all others.",
        (
            "Call your module with a mask and without. What differs?",
            "`mask` is a parameter of `forward`. Where does it go from there?",
            f"`{ATTEND}`.",
        ),
        (ATTEND, "scaled_dot_product_attention(query, key, value)"),
        group="mask",
    ),
    mistake(
        "mask_inverted",
        "You invert the mask, so what may be seen is hidden. Here True means *may attend*; in `nn.MultiheadAttention` it means the opposite.",
        (
            "Where the mask is True, may a token be seen? And in your module?",
            "What happens to `mask` on its way from `forward` to the scores?",
            f"Pass it on as it is: `{ATTEND}`.",
        ),
        (CALL, f"mask = None if mask is None else ~mask\n        {CALL}"),
        group="mask",
    ),
    mistake(
        "mask_on_queries",
        "You transpose the mask. Its rows say what a *query* may see, and you read them as saying who may see a *key*.",
        (
            "In a mask of shape (B, 1, T, S), what is a row: a query, or a key?",
            "A padding mask is (B, 1, 1, S). Which shape does it have when it reaches your scores?",
            "Pass the mask on as it is: it is (query, key) already.",
        ),
        (CALL, f"mask = None if mask is None else mask.transpose(-2, -1)\n        {CALL}"),
        group="mask",
    ),
    mistake(
        "first_sentences_mask_for_all",
        "You use the first sentence's mask for the whole batch. Each sentence has its own padding.",
        (
            "Give two sentences of different length, then each of them alone. Is the second one's output the same?",
            "Look at what you index or reshape before the mask meets the scores. What becomes of its first axis?",
            "Leave the mask as it is: (B, 1, T, S) broadcasts over the heads by itself.",
        ),
        (CALL, f"mask = mask if mask is None or mask.dim() < 4 else mask[:1]\n        {CALL}"),
        group=ALONE,
    ),
    mistake(
        "first_heads_mask_for_all",
        "You use the first head's mask for all heads. A mask may be (B, H, T, S), another for each head.",
        (
            "Give a mask that hides a key from one head only. Which heads still see it?",
            "Look at what you index or squeeze before the mask meets the scores. What becomes of its second axis?",
            "Leave the mask as it is: one that is the same for all heads has a 1 there, and broadcasts by itself.",
        ),
        (CALL, f"mask = mask if mask is None or mask.dim() < 4 else mask[:, :1]\n        {CALL}"),
        group=ALONE,
    ),
    mistake(
        "mask_repeated_in_another_order",
        "You repeat the masks of the batch sentence after sentence, while your heads stand head after head: most heads look through another sentence's mask. "
        "`repeat` gives 0, 1, 0, 1; `repeat_interleave` gives 0, 0, 1, 1.",
        (
            "Give two sentences of different length, then each of them alone. Is the output the same?",
            "Fold (B, H) into one axis: which comes first, the second head of sentence 0 or the first head of sentence 1? And in your masks?",
            "`mask.repeat_interleave(H, dim=0)`; or do not fold at all, and let (B, 1, T, S) broadcast over the heads.",
        ),
        (
            CALL,
            "if mask is not None and mask.dim() == 4 and mask.size(1) == 1:\n"
            "            mask = mask.repeat(self.num_heads, 1, 1, 1).view(-1, self.num_heads, *mask.shape[2:])\n"
            f"        {CALL}",
        ),
        group=ALONE,
    ),
    mistake(
        "mask_overwritten",
        "Your output is right, but you change the mask you were given. The next layer gets the same tensor, and hides the wrong keys.",
        (
            "Print `mask` before and after a call of your module.",
            "A method that ends in `_` changes its tensor where it lies; so do `mask[...] = ...` and `^=`.",
            "Pass the mask on as it is.",
        ),
        (ATTEND, ATTEND.replace("mask", "None if mask is None else mask.logical_not_().logical_not()")),
        group=ALONE,
    ),
    # dropout
    mistake(
        "dropout_forgotten",
        "You never use `self.dropout`: in training, nothing is dropped.",
        (
            "Build your module with `dropout=1.0` and call it in training mode. What is left?",
            "The constructor makes `self.dropout`. Where in `forward` do you use it?",
            f"`attended = {MIX}`.",
        ),
        (MIX, "weights @ value"),
        group="dropout",
    ),
    mistake(
        "dropout_in_evaluation",
        "You drop weights in evaluation too, so a translation would come out differently each time. `F.dropout` doesn't know your module's mode unless you tell it.",
        (
            "Call your module twice after `.eval()`, with `dropout=0.5`. Is the output the same?",
            "`F.dropout` has a parameter `training`, which is True unless you say otherwise.",
            f"`{MIX}`: a module knows its mode. Or `F.dropout(weights, self.dropout.p, self.training)`.",
        ),
        (MIX, "F.dropout(weights, self.dropout.p) @ value"),
        group=ALONE,
    ),
    mistake(
        "dropout_on_the_output",
        "You drop parts of the output, but it is weights that should be dropped. Dropout on the output comes later, around the layer.",
        (
            "With `dropout=1.0`, in training: what does your module return, and where has the bias of `w_o` gone?",
            "Look at what you hand to `self.dropout`.",
            f"`attended = {MIX}`, and nothing dropped after it.",
        ),
        (MIX, "weights @ value"),
        (PROJECT, f"self.dropout({PROJECT})"),
        group=ALONE,
    ),
    mistake(
        "dropout_on_the_heads",
        "You drop numbers of what attention brings back, but it is weights that should be dropped: a dropped weight hides a whole key from a query, for all features at once.",
        (
            "With `dropout=0.5`, in training, and values that are all 1: are the features of one head equal?",
            "What do you hand to `self.dropout`, the weights or their product with the values?",
            f"`attended = {MIX}`, and nothing dropped after it.",
        ),
        (MIX, "weights @ value"),
        (MERGE, "merge_heads(self.dropout(attended))"),
        group=ALONE,
    ),
    mistake(
        "dropout_on_the_scores",
        "You drop scores, before the softmax. A dropped score is 0, and exp(0) is 1, so the key isn't dropped: it gets a weight that nobody has computed.",
        (
            "With `dropout=1.0`, in training: which weights do your keys get?",
            "Which comes first in your code, dropout or softmax?",
            f"Take the softmax first, then `{MIX}`.",
        ),
        (CALL, _inline(f"self.dropout({SCORES})", SOFTMAX)),
        (MIX, "weights @ value"),
        group=ALONE,
    ),
    # the output, and what is returned
    mistake(
        "output_not_projected",
        "You return the heads side by side. The output projection, `w_o`, isn't used and never learns, and nothing mixes what the heads found.",
        (
            "Which of the four layers receive no gradient?",
            "The formula ends in `W_o`. Where does your code end?",
            f"`output = {PROJECT}`.",
        ),
        (PROJECT, MERGE),
        group="output",
    ),
    mistake(
        "residual_added",
        "You add the query to the output. That is a residual connection, and it comes later, around the layer.",
        (
            "If all values were 0 and `w_o` had no bias, what should your module return? What does it return?",
            "Compare your last lines with the formula in the docstring. Which term is not in it?",
            f"`output = {PROJECT}`, and nothing added.",
        ),
        ("query = " + SPLIT_Q, "residual = query\n        query = " + SPLIT_Q),
        (PROJECT, f"{PROJECT} + residual"),
        group=ALONE,
    ),
    mistake(
        "weights_averaged_over_heads",
        "You return the average of the heads' weights, as `nn.MultiheadAttention` does by default. "
        "The weights of each head are asked for: an average over two heads that look at different positions looks like one head in doubt.",
        (
            "How many axes do your weights have?",
            "Look for a `mean` over the heads.",
            "Return the weights as attention returns them: (B, H, T, S).",
        ),
        (RETURN, RETURN.replace("weights)", "weights.mean(dim=1))")),
        group="returned",
    ),
    mistake(
        "weights_summed_over_heads",
        "You return the sum of the heads' weights. The weights of each head are asked for.",
        (
            "How many axes do your weights have? And what does a row sum to?",
            "Look for a `sum` over the heads.",
            "Return the weights as attention returns them: (B, H, T, S).",
        ),
        (RETURN, RETURN.replace("weights)", "weights.sum(dim=1))")),
        group=ALONE,
    ),
    mistake(
        "weights_of_the_first_head",
        "You return the weights of head 0 alone. The weights of each head are asked for.",
        (
            "How many axes do your weights have?",
            "Look for an index, `[:, 0]`, where all heads should be returned.",
            "Return the weights as attention returns them: (B, H, T, S).",
        ),
        (RETURN, RETURN.replace("weights)", "weights[:, 0])")),
        group=ALONE,
    ),
    mistake(
        "weights_always_returned",
        "You return output and weights whether or not the weights are asked for.",
        (
            "What is `type(module(x, x, x))`?",
            "`need_weights` is a parameter of `forward`. Where do you use it?",
            f"`{RETURN}`.",
        ),
        (RETURN, "return output, weights"),
        group=ALONE,
    ),
    mistake(
        "weights_never_returned",
        "You return the output alone, even when the weights are asked for.",
        (
            "What is `type(module(x, x, x, need_weights=True))`?",
            "`need_weights` is a parameter of `forward`. Where do you use it?",
            f"`{RETURN}`.",
        ),
        (RETURN, "return output"),
        group=ALONE,
    ),
    mistake(
        "weights_first",
        "When the weights are asked for, you return them first. The output should come first.",
        (
            "What is the shape of the first thing you return with `need_weights=True`?",
            "Look at your last line, and at *Returns* in the docstring.",
            f"`{RETURN}`.",
        ),
        (RETURN, "return (weights, output) if need_weights else output"),
        group=ALONE,
    ),
    mistake(
        "weights_after_dropout",
        "In training, you return the weights after dropout. They show what was dropped by chance, and not where each head looked.",
        (
            "With `dropout=1.0`, in training: which weights do you return?",
            "How many names do the weights have in your code: one before dropout and one after it, or one for both?",
            f"`attended = {MIX}`, and return `weights` as they were.",
        ),
        (f"attended = {MIX}", "weights = self.dropout(weights)\n        attended = weights @ value"),
        group=ALONE,
    ),
    mistake(
        "projected_only_without_weights",
        "When the weights are asked for, you return the merged heads without `w_o`. Without them, your output is right.",
        (
            "Call your module with `need_weights=True` and without. Are the two outputs the same?",
            "Compare the two places where you return.",
            f"`output = {PROJECT}` first, then `{RETURN}`.",
        ),
        (RETURN, RETURN.replace("(output, weights)", f"({MERGE}, weights)")),
        group=ALONE,
    ),
    mistake(
        "scaled_by_num_heads",
        "You divide the scores by the square root of the number of heads. A score is a dot product of two vectors as wide as *one head*, so its scale is √(d_model / H).",
        (
            "How many products are added up in one score of one head?",
            "Print the number under your root, and the shape of a head.",
            "`scaled_dot_product_attention` reads `query.size(-1)`, after the split: leave the scaling to it.",
        ),
        (CALL, _inline(f"{PRODUCT} / math.sqrt(self.num_heads)", SOFTMAX)),
        group=ALONE,
    ),
    mistake(
        "values_of_the_projected_keys",
        "Your values are projected twice, first by `w_k` and then by `w_v`: you hand the projected keys to `w_v`, where `value` is asked for.",
        (
            "What goes into each of the three projections?",
            "Is the name `key` still what your `forward` was given, when you make the values?",
            "`w_q(query)`, `w_k(key)` and `w_v(value)`: each layer gets its own input.",
        ),
        ("self.w_v(value)", "self.w_v(keys_projected)"),
        (
            "query = split_heads(self.w_q(query), self.num_heads)",
            "keys_projected = self.w_k (key)\n        query = split_heads(self.w_q(query), self.num_heads)",
        ),
        group=ALONE,
    ),
    mistake(
        "masked_after_softmax",
        "You apply the mask after the softmax. By then the masked tokens have taken their share, and the weights that are left in a row no longer sum to 1.",
        (
            "Add up one row of your weights, with a mask. Where is the rest?",
            "The softmax should not see masked keys at all. Which score makes exp(score) 0?",
            "Hand the mask to `scaled_dot_product_attention`, or fill the masked scores with a very negative number before the softmax.",
        ),
        (
            CALL,
            """_, weights = scaled_dot_product_attention(query, key, value)
        if mask is not None:
            weights = weights * mask""",
        ),
        group="mask",
    ),
    mistake(
        "scaled_by_num_keys",
        "You divide the scores by the square root of the *number* of keys, S. The variance of a score grows with the width of a head, so divide by √Dh; the number of keys has nothing to do with it.",
        (
            "Give your module twice as many keys. Should the scores of the first ones change? Do yours?",
            "Which axis does the size under your square root belong to? After a transpose, the last axis of the keys is no longer their width.",
            "Divide by `math.sqrt(query.size(-1))` after the split, or hand query, key and value to `scaled_dot_product_attention`.",
        ),
        (CALL, _inline(f"{PRODUCT} / math.sqrt(key.size(-2))", SOFTMAX)),
        group=ALONE,
    ),
)


class InOneExpression(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = (
            split_heads(layer(x), self.num_heads)
            for layer, x in zip((self.w_q, self.w_k, self.w_v), (query, key, value), strict=True)
        )
        weights = scaled_dot_product_attention(q, k, v, mask=mask)[1]
        output = self.w_o(merge_heads(torch.matmul(self.dropout(weights), v)))
        if need_weights:
            return output, weights
        return output


class WrittenOut(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        B, T, D = query.shape
        S, H = key.shape[1], self.num_heads
        q = self.w_q(query).reshape(B, T, H, D // H).permute(0, 2, 1, 3)
        k = self.w_k(key).reshape(B, S, H, D // H).permute(0, 2, 3, 1)
        v = self.w_v(value).reshape(B, S, H, D // H).permute(0, 2, 1, 3)
        scores = q @ k / (D // H) ** 0.5
        if mask is not None:
            scores = scores.masked_fill(mask == 0, float("-inf"))
        weights = F.softmax(scores, dim=-1)
        mixed = F.dropout(weights, self.dropout.p, self.training) @ v
        output = self.w_o(mixed.permute(0, 2, 1, 3).reshape(B, T, D))
        return (output, weights) if need_weights else output


class FoldedIntoTheBatch(MultiHeadAttention):
    def fold(self, x):
        return torch.cat(x.chunk(self.num_heads, dim=-1), dim=0)  # (H * B, T, Dh)

    def forward(self, query, key, value, mask=None, need_weights=False):
        B, T, H = query.size(0), query.size(1), self.num_heads
        q, k, v = self.fold(self.w_q(query)), self.fold(self.w_k(key)), self.fold(self.w_v(value))
        scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(q.size(-1))
        if mask is not None:
            mask = mask.expand(B, H, T, k.size(1)).transpose(0, 1).flatten(0, 1)
            scores = torch.where(mask, scores, torch.tensor(-1e9))
        weights = scores.softmax(-1)
        mixed = torch.bmm(self.dropout(weights), v)
        output = self.w_o(torch.cat(mixed.chunk(H, dim=0), dim=-1))
        return (output, weights.unflatten(0, (H, B)).transpose(0, 1)) if need_weights else output


class ByEinsum(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        parts = (self.num_heads, -1)
        q, k, v = self.w_q(query), self.w_k(key), self.w_v(value)
        q, k, v = q.unflatten(-1, parts), k.unflatten(-1, parts), v.unflatten(-1, parts)
        scores = torch.einsum("bthd,bshd->bhts", q * q.shape[-1] ** -0.5, k)
        if mask is not None:
            scores = scores + torch.zeros(mask.shape).masked_fill(~mask, -1e9)
        weights = torch.softmax(scores, -1)
        output = self.w_o(torch.einsum("bhts,bshd->bthd", self.dropout(weights), v).flatten(2))
        return [output, (output, weights)][need_weights]


class HeadByHead(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = self.w_q(query), self.w_k(key), self.w_v(value)
        width = q.size(-1) // self.num_heads
        if mask is not None:
            mask = torch.broadcast_to(mask, (q.size(0), self.num_heads, q.size(1), k.size(1)))
        heads, tables = [], []
        for h in range(self.num_heads):
            mine = slice(h * width, (h + 1) * width)
            allowed = None if mask is None else mask[:, h]
            _, table = scaled_dot_product_attention(q[..., mine], k[..., mine], v[..., mine], allowed)
            tables.append(table)
            heads.append(self.dropout(table) @ v[..., mine])
        output = self.w_o(torch.cat(heads, dim=-1))
        return (output, torch.stack(tables, dim=1)) if need_weights else output


class SumOfHeads(MultiHeadAttention):
    def heads_of(self, layer, x):
        weights = layer.weight.chunk(self.num_heads)
        biases = [None] * self.num_heads if layer.bias is None else layer.bias.chunk(self.num_heads)
        return torch.stack([F.linear(x, w, b) for w, b in zip(weights, biases, strict=True)], dim=1)

    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = self.heads_of(self.w_q, query), self.heads_of(self.w_k, key), self.heads_of(self.w_v, value)
        scores = torch.matmul(q, k.mT) / math.sqrt(q.size(-1))
        if mask is not None:
            scores = scores - 1e9 * (~mask).float()
        powers = torch.exp(scores - scores.amax(-1, keepdim=True))
        weights = powers / powers.sum(-1, keepdim=True)
        mixed = self.dropout(weights) @ v
        output = sum(mixed[:, h] @ w.T for h, w in enumerate(self.w_o.weight.chunk(self.num_heads, dim=1)))
        if self.w_o.bias is not None:
            output = output + self.w_o.bias
        return (output, weights) if need_weights else output


class stub(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        raise NotImplementedError


class Zeros(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        weights = torch.zeros(query.size(0), self.num_heads, query.size(1), key.size(1))
        return (query * 0, weights) if need_weights else query * 0


class TheQueryItself(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        return (query, (query @ key.mT)[:, None]) if need_weights else query


class Uniform(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        weights = torch.full((query.size(0), self.num_heads, query.size(1), key.size(1)), 1 / key.size(1))
        output = self.w_o(self.dropout(self.w_v(value).mean(dim=1, keepdim=True)).expand_as(query))
        return (output, weights) if need_weights else output


class Noise(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        weights = torch.rand(query.size(0), self.num_heads, query.size(1), key.size(1))
        return (torch.rand(query.shape), weights) if need_weights else torch.rand(query.shape)


MULTI_HEAD_ATTENTION = define(
    id="multi_head_attention",
    lesson="04_multi_head_attention",
    place=2,
    module="course_lib.components.multi_head_attention",
    symbol="MultiHeadAttention",
    minutes=25,
    laws=LAWS,
    hints=(
        "Print the shape after each line. Between splitting and merging, everything has four axes: batch, heads, tokens, features.",
        "Project and split, three times; attend, with the mask; drop weights; mix the values; merge; project. Which of these steps has a wrong shape, or is missing?",
        "`split_heads(self.w_q(query), self.num_heads)`, and the same for key and value; the weights of `scaled_dot_product_attention(query, key, value, mask)`; "
        "`self.dropout(weights) @ value`; `self.w_o(merge_heads(attended))`.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(InOneExpression, WrittenOut, FoldedIntoTheBatch, ByEinsum, HeadByHead, SumOfHeads),
    lazy=(stub, Zeros, TheQueryItself, Uniform, Noise),
    write=("forward",),
    switches=("split", "merge", "mask"),
    builds_on=("split_heads", "merge_heads"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


class FourLayersAndHeads(MultiHeadAttention):
    """The constructor as the exercise gives it."""

    def heads(self, x):
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def attend(self, q, k, v, mask, scale=None):
        scores = q @ k.mT / (q.size(-1) ** 0.5 if scale is None else scale)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        p = scores.softmax(-1)
        return self.dropout(p) @ v, p


@MULTI_HEAD_ATTENTION.second_version("split_without_transpose")
class ReshapedAtOnce(FourLayersAndHeads):
    def forward(self, query, key, value, mask=None, need_weights=False):
        d_head = query.size(-1) // self.num_heads
        q = self.w_q(query).reshape(len(query), self.num_heads, -1, d_head)
        k = self.w_k(key).reshape(len(key), self.num_heads, -1, d_head)
        v = self.w_v(value).reshape(len(value), self.num_heads, -1, d_head)
        out, p = self.attend(q, k, v, mask)
        out = self.w_o(out.transpose(1, 2).flatten(2))
        return (out, p) if need_weights else out


@MULTI_HEAD_ATTENTION.second_version("merged_without_transpose")
class ContiguousButNotTransposed(FourLayersAndHeads):
    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = self.heads(self.w_q(query)), self.heads(self.w_k(key)), self.heads(self.w_v(value))
        out, p = self.attend(q, k, v, mask)
        out = self.w_o(out.contiguous().view(query.shape))
        return (out, p) if need_weights else out


@MULTI_HEAD_ATTENTION.second_version("split_without_transpose + merged_without_transpose")
class FoldedByView(FourLayersAndHeads):
    def forward(self, query, key, value, mask=None, need_weights=False):
        folded = len(query) * self.num_heads, -1, query.size(-1) // self.num_heads
        q, k, v = self.w_q(query).view(folded), self.w_k(key).view(folded), self.w_v(value).view(folded)
        if mask is not None:
            mask = mask.expand(len(query), self.num_heads, query.size(1), key.size(1)).flatten(0, 1)
        out, p = self.attend(q, k, v, mask)
        out = self.w_o(out.view(query.shape))
        return (out, p.unflatten(0, (-1, self.num_heads))) if need_weights else out


@MULTI_HEAD_ATTENTION.second_version("heads_not_joined")
class HeadsAddedUp(FourLayersAndHeads):
    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = self.heads(self.w_q(query)), self.heads(self.w_k(key)), self.heads(self.w_v(value))
        out, p = self.attend(q, k, v, mask)
        out = self.w_o(sum(out.unbind(1)))
        return (out, p) if need_weights else out


@MULTI_HEAD_ATTENTION.second_version("heads_not_joined")
class HeadsNeverMerged(FourLayersAndHeads):
    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = self.heads(self.w_q(query)), self.heads(self.w_k(key)), self.heads(self.w_v(value))
        out, p = self.attend(q, k, v, mask)
        out = self.w_o(out).squeeze(1)
        return (out, p) if need_weights else out


@MULTI_HEAD_ATTENTION.second_version("scaled_by_d_model")
class RootOfTheWholeWidth(FourLayersAndHeads):
    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = self.heads(self.w_q(query)), self.heads(self.w_k(key)), self.heads(self.w_v(value))
        out, p = self.attend(q, k, v, mask, scale=math.sqrt(query.shape[2]))
        out = self.w_o(out.transpose(1, 2).flatten(2))
        return (out, p) if need_weights else out


@MULTI_HEAD_ATTENTION.second_version("softmax_over_heads")
class AxisOfTheSlide(FourLayersAndHeads):
    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = self.heads(self.w_q(query)), self.heads(self.w_k(key)), self.heads(self.w_v(value))
        scores = torch.einsum("bhid,bhjd->bhij", q, k) * q.size(-1) ** -0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        p = F.softmax(scores, 1)
        out = self.w_o(torch.einsum("bhij,bhjd->bihd", self.dropout(p), v).flatten(2))
        return (out, p) if need_weights else out


@MULTI_HEAD_ATTENTION.second_version("query_attends_to_itself")
class OneSequence(FourLayersAndHeads):
    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = (self.heads(layer(query)) for layer in (self.w_q, self.w_k, self.w_v))
        out, p = self.attend(q, k, v, mask)
        out = self.w_o(out.transpose(1, 2).flatten(2))
        return (out, p) if need_weights else out


@MULTI_HEAD_ATTENTION.second_version("weights_averaged_over_heads")
class AsTorchReturnsThem(FourLayersAndHeads):
    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = self.heads(self.w_q(query)), self.heads(self.w_k(key)), self.heads(self.w_v(value))
        out, p = self.attend(q, k, v, mask)
        out = self.w_o(out.transpose(1, 2).flatten(2))
        return (out, p.sum(dim=1) / self.num_heads) if need_weights else out


@MULTI_HEAD_ATTENTION.second_version("dropout_in_evaluation")
class DropoutOfItsOwn(FourLayersAndHeads):
    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = self.heads(self.w_q(query)), self.heads(self.w_k(key)), self.heads(self.w_v(value))
        _, p = self.attend(q, k, v, mask)
        out = nn.Dropout(self.dropout.p)(p) @ v  # a module just made is in training mode
        out = self.w_o(out.transpose(1, 2).flatten(2))
        return (out, p) if need_weights else out


@MULTI_HEAD_ATTENTION.second_version("split_interleaved + mask_inverted")
class TorchsMaskAndCards(FourLayersAndHeads):
    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = (
            torch.stack([y[..., h :: self.num_heads] for h in range(self.num_heads)], dim=1)
            for y in (self.w_q(query), self.w_k(key), self.w_v(value))
        )
        out, p = self.attend(q, k, v, None if mask is None else mask.logical_not())
        out = self.w_o(out.transpose(1, 2).flatten(2))
        return (out, p) if need_weights else out


@MULTI_HEAD_ATTENTION.second_version("weights_after_dropout")
class OneNameForBoth(FourLayersAndHeads):
    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = self.heads(self.w_q(query)), self.heads(self.w_k(key)), self.heads(self.w_v(value))
        _, p = self.attend(q, k, v, mask)
        p = F.dropout(p, self.dropout.p, training=self.training)
        out = self.w_o((p @ v).transpose(1, 2).flatten(2))
        return (out, p) if need_weights else out


@MULTI_HEAD_ATTENTION.second_version("projected_only_without_weights")
class WeightsReturnedEarly(FourLayersAndHeads):
    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = self.heads(self.w_q(query)), self.heads(self.w_k(key)), self.heads(self.w_v(value))
        out, p = self.attend(q, k, v, mask)
        out = out.transpose(1, 2).flatten(2)
        return (out, p) if need_weights else self.w_o(out)


@MULTI_HEAD_ATTENTION.second_version("scaled_by_num_heads")
class RootOfTheHeads(FourLayersAndHeads):
    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = self.heads(self.w_q(query)), self.heads(self.w_k(key)), self.heads(self.w_v(value))
        out, p = self.attend(q, k, v, mask, scale=q.size(1) ** 0.5)
        out = self.w_o(out.transpose(1, 2).flatten(2))
        return (out, p) if need_weights else out


@MULTI_HEAD_ATTENTION.second_version("values_of_the_projected_keys")
class KeysUnderTheSameName(FourLayersAndHeads):
    def forward(self, query, key, value, mask=None, need_weights=False):
        key = self.w_k(key)
        out, p = self.attend(*(self.heads(x) for x in (self.w_q(query), key, self.w_v(key))), mask)
        out = self.w_o(out.transpose(1, 2).flatten(2))
        return (out, p) if need_weights else out


@MULTI_HEAD_ATTENTION.second_version("masked_after_softmax")
class WeightsTimesMask(FourLayersAndHeads):
    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = self.heads(self.w_q(query)), self.heads(self.w_k(key)), self.heads(self.w_v(value))
        p = torch.softmax(torch.einsum("bhid,bhjd->bhij", q, k) / q.size(-1) ** 0.5, dim=-1)
        p = p if mask is None else torch.where(mask, p, 0.0)
        out = self.w_o((self.dropout(p) @ v).transpose(1, 2).flatten(2))
        return (out, p) if need_weights else out


@MULTI_HEAD_ATTENTION.second_version("scaled_by_num_keys")
class RootOfTheNumberOfKeys(FourLayersAndHeads):
    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = self.heads(self.w_q(query)), self.heads(self.w_k(key)), self.heads(self.w_v(value))
        out, p = self.attend(q, k, v, mask, scale=k.mT.size(-1) ** 0.5)
        out = self.w_o(out.transpose(1, 2).flatten(2))
        return (out, p) if need_weights else out
