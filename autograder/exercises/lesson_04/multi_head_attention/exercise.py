"""Exercise `multi_head_attention`: several attentions in parallel."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from autograder.exercises.definition import Outline
from autograder.exercises.lesson_04.sizes import lengths
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Module, Question
from course_lib.checking.rules import equals_reference, every_gradient_flows, inputs_unchanged, unmoved
from course_lib.checking.values import Value

LAYERS = ("w_q", "w_k", "w_v", "w_o")


def _weights(sampler: Sampler, d_model: int, bias: bool = True) -> dict[str, Tensor]:
    """Return a weight for each of the four layers, and a bias."""
    weights = {f"{layer}.weight": sampler.tensor(d_model, d_model, scale=0.4) for layer in LAYERS}
    if bias:
        weights |= {f"{layer}.bias": sampler.tensor(d_model, scale=0.4) for layer in LAYERS}
    return weights


def _inputs(sampler: Sampler, b: int, t: int, s: int, d_model: int) -> dict[str, Value]:
    """Return a query (B, T, D), a key and a value (B, S, D), all different."""
    return {
        "query": sampler.tensor(b, t, d_model),
        "key": sampler.tensor(b, s, d_model),
        "value": sampler.tensor(b, s, d_model),
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
    return Module(name, build, weights, calls, returns=returns, **more)


def _on_paper(sampler: Sampler) -> Question:
    """Ask about two heads of width 2 without a bias. One compares features 0 and 1, the other features 2 and 3."""
    one, turned = torch.tensor([[1.0, 1.0], [0.0, 2.0]]), torch.tensor([[0.0, 1.0], [1.0, 0.0]])
    blocks = ((one, turned), (turned, one), (one.T, one))
    diagonal = [torch.block_diag(*pair) for pair in blocks]  # type: ignore[no-untyped-call]
    matrices = (*diagonal, torch.eye(4)[[1, 2, 0, 3]])
    weights = {f"{layer}.weight": matrix for layer, matrix in zip(LAYERS, matrices, strict=True)}
    weights |= {f"{layer}.bias": torch.zeros(4) for layer in LAYERS}
    query = torch.tensor([[[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 1.0, 0.0]]])
    key = torch.tensor([[[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0], [1.0, 1.0, 0.0, 0.0]]])
    value = torch.tensor([[[1.0, 0.0, 4.0, 0.0], [2.0, 0.0, 5.0, 0.0], [3.0, 0.0, 6.0, 0.0]]])
    key = key + sampler.tensor(1, 3, 4, scale=0.3).round(decimals=1)
    value = value + sampler.tensor(1, 3, 4, scale=0.3).round(decimals=1)
    return _question("by_hand", 2, weights, {"query": query, "key": key, "value": value})


def _features_alike(sampler: Sampler, num_heads: int, head_width: int, b: int, t: int, s: int) -> Question:
    """Ask about values whose features are all 1, and a `w_o` that adds half of each head's and subtracts the others.

    Dropped weights change all features of a head by the same amount, so only the bias of `w_o` remains.
    """
    d_model = num_heads * head_width
    weights = _weights(sampler, d_model)
    weights |= {"w_v.weight": torch.zeros(d_model, d_model), "w_v.bias": torch.ones(d_model)}
    signs = torch.tensor([1.0, -1.0]).repeat(d_model // 2)
    weights["w_o.weight"] = signs * sampler.tensor(d_model, 1, scale=0.4)
    return _question(
        "features_alike", num_heads, weights, _inputs(sampler, b, t, s, d_model), dropout=0.5, training=True
    )


def _mask(sampler: Sampler, *shape: int) -> Tensor:
    """Return a mask in which every query sees the first key and some others, so that no mistake makes a row empty."""
    return torch.cat([torch.ones(*shape[:-1], 1, dtype=torch.bool), sampler.mask(*shape[:-1], shape[-1] - 1)], dim=-1)


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about small numbers, distinct sizes, heads, masks, dropout, and equal sizes to name what crashes.

    The dropout probability is 1, in training and in evaluation mode, or dropout cannot show in the answer. So answers
    are not random.
    """
    yield _on_paper(sampler)
    h, width = sampler.shuffled(((2, 5), (3, 5), (2, 7)))[0]
    b, t, s = lengths(sampler, 3, h, width)
    yield _question("plain", h, _weights(sampler, h * width), _inputs(sampler, b, t, s, h * width))

    h, width = sampler.shuffled(((4, 3), (5, 3), (6, 2)))[0]
    b, t, s = lengths(sampler, 3, h, width)
    yield _question("more_heads", h, _weights(sampler, h * width), _inputs(sampler, b, t, s, h * width))
    yield _question("one_head", 1, _weights(sampler, 7, bias=False), _inputs(sampler, b, t, s, 7))

    # the following questions have many answers, so two heads of width 3 keep these small
    h, width, d_model = 2, 3, 6
    weights = _weights(sampler, d_model)
    b, t, s = 3, *sampler.shuffled((4, 5))
    given = _inputs(sampler, b, t, s, d_model)
    yield _question("with_weights", h, weights, {**given, "need_weights": True}, returns=("output", "weights"))
    masks = {
        "masked": _mask(sampler, b, 1, t, s),
        "padding": _mask(sampler, b, 1, 1, s),
        "one_mask": _mask(sampler, t, s),
        "mask_of_each_head": _mask(sampler, b, h, t, s),
    }
    for name, mask in masks.items():
        yield _question(name, h, weights, {**given, "mask": mask})
    # with as many sentences as heads, a mask (H, T, S) that is taken for (B, T, S) gives wrong values, not an error
    few = {name: x[:h] for name, x in given.items()}
    alone = _mask(sampler.apart("heads_alone"), h, t, s)
    yield _question("heads_alone", h, weights, {**few, "mask": alone})
    order = sampler.order(s)
    changed = given["query"].clone()
    changed[:, -1] = sampler.tensor(b, d_model)
    others = {name: torch.cat([x[:1], sampler.tensor(b - 1, *x.shape[1:])]) for name, x in given.items()}
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
    yield _features_alike(sampler, 2, 4, 2, 3, 4)
    upstream = {"output": sampler.tensor(b, t, d_model)}
    yield _question("gradients", h, _weights(sampler, d_model), _inputs(sampler, b, t, s, d_model), upstream=upstream)
    weights = _weights(sampler, 4)
    yield _question("cube", 2, weights, _inputs(sampler, 2, 2, 2, 4))
    # no row of this mask becomes empty if it is inverted or transposed
    mask = torch.tensor([[1, 0, 0], [1, 1, 0], [0, 0, 1]], dtype=torch.bool)[None, None]
    yield _question("masked_square", 2, weights, {**_inputs(sampler, 2, 3, 3, 4), "mask": mask})


OUTPUT = {"fields": ["calls/0/output"]}


INPUTS = ("query", "key", "value")


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "two queries and three keys in two heads of width 2 come out right", 1.0, OUTPUT),
    Check("equals_plain", equals_reference, "plain", "batches of other sizes come out right", 1.0, OUTPUT, also=("cube",)),
    Check("more_heads", equals_reference, "more_heads", "four heads or more come out right", 0.75, OUTPUT),
    Check("one_head", equals_reference, "one_head", "one head comes out right, with layers that have no bias", 0.25, OUTPUT),
    Check("returns_weights", equals_reference, "with_weights", "`need_weights=True` returns the right output and the right weights of each head", 0.75,
        {"fields": ["calls/0/output", "calls/0/weights"]}),
    Check("weights_before_dropout", equals_reference, "training_with_weights", "in training the weights are right: those before dropout", 0.25,
        {"fields": ["calls/0/weights"]}),
    Check("masked", equals_reference, "masked", "a mask (B, 1, T, S) comes out right", 0.75, OUTPUT, also=("masked_square",)),
    Check("padding_mask", equals_reference, "padding", "a mask (B, 1, 1, S), one row for all queries of a sentence, comes out right", 0.5, OUTPUT),
    Check("one_mask", equals_reference, "one_mask", "a mask (T, S), the same for all sentences, comes out right", 0.25, OUTPUT),
    Check("mask_of_each_head", equals_reference, "mask_of_each_head", "a mask (B, H, T, S) or (H, T, S), another for each head, comes out right", 0.25, OUTPUT, also=("heads_alone",)),
    Check("order_of_memory", unmoved, "changed", "keys and values in another order, both in the same, change nothing", 0.25,
        {"before": "calls/0/output", "after": "calls/1/output"}, needs="equals_plain"),
    Check("queries_apart", unmoved, "changed", "another last query leaves the first one's output as it is", 0.25,
        {"before": "calls/0/output", "after": "calls/2/output", "index": [None, 0]}, needs="equals_plain"),
    Check("sentences_apart", unmoved, "changed", "other sentences in the batch leave the first one's output as it is", 0.25,
        {"before": "calls/0/output", "after": "calls/3/output", "index": [0]}, needs="equals_plain"),
    Check("dropout_in_training", equals_reference, "training", "in training, the output is right: dropout falls on the weights, so with `dropout=1.0` only the bias of `w_o` is left, and with 0.5 all features of a value are dropped together", 0.25, OUTPUT, also=("features_alike",)),
    Check("dropout_in_evaluation", equals_reference, "evaluation", "in evaluation, the output is right whatever `dropout` is", 0.25, OUTPUT),
    Check("every_layer_learns", every_gradient_flows, "gradients", "each of the four layers receives a gradient", 0.25,
        needs="equals_plain"),
    Check("gradients", equals_reference, "gradients", "the gradients of the inputs and of every weight are right", 0.5,
        {"fields": [f"gradients/{name}" for name in (*INPUTS, *(f"{x}.{part}" for x in LAYERS for part in ("weight", "bias")))]}),
    Check("inputs_unchanged", inputs_unchanged, "masked", "your inputs are left as they were, the mask too", 0.25, needs="masked"),
)  # fmt: skip


EXERCISE = Outline(
    minutes=25,
    checks=CHECKS,
    hints=(
        "Print the shape after each line. Between splitting and merging, everything has four axes: batch, heads, tokens, features.",
        "Project and split, three times; attend, with the mask and with dropout; merge; project. Which of these steps has a wrong shape, or is missing?",
        "`split_heads(self.w_q(query), self.num_heads)`, and the same for key and value; `scaled_dot_product_attention(query, key, value, mask, dropout)` with `dropout = self.dropout.p if self.training else 0.0`; "
        "`self.w_o(merge_heads(attended))`.",
    ),
    ask=ask,
    write=("forward",),
    builds_on=("split_heads", "merge_heads"),
)
