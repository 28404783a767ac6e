"""Exercise `rotary_attention`: multi-head attention whose queries and keys are rotated."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from autograder.exercises.definition import Outline
from autograder.exercises.lesson_04.sizes import lengths
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Module, Question
from course_lib.checking.rules import equals_reference, inputs_unchanged, moves_along
from course_lib.checking.values import Value

LAYERS = ("w_q", "w_k", "w_v", "w_o")


def _weights(sampler: Sampler, d_model: int) -> dict[str, Tensor]:
    weights = {f"{layer}.weight": sampler.tensor(d_model, d_model, scale=0.6) for layer in LAYERS}
    return weights | {f"{layer}.bias": sampler.tensor(d_model, scale=0.6) for layer in LAYERS}


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
    build = {"d_model": weights["w_q.weight"].size(0), "num_heads": num_heads, "dropout": dropout}
    return Module(name, build, weights, calls, returns=returns, **more)


def _mask(sampler: Sampler, *shape: int) -> Tensor:
    """Return a mask in which every query sees the first key and some others."""
    return torch.cat([torch.ones(*shape[:-1], 1, dtype=torch.bool), sampler.mask(*shape[:-1], shape[-1] - 1)], dim=-1)


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about one head of a single pair, several heads, longer sentences, masks, offsets, dropout, and gradients."""
    one = {f"{layer}.weight": torch.eye(2).double() for layer in LAYERS}
    one |= {f"{layer}.bias": torch.zeros(2).double() for layer in LAYERS}
    words = sampler.tensor(1, 3, 2).round(decimals=1)
    yield _question(
        "by_hand", 1, one, {"query": words, "key": words, "value": sampler.tensor(1, 3, 2).round(decimals=1)}
    )
    h, width = sampler.shuffled(((2, 4), (3, 4), (2, 6)))[0]
    b, t, s = lengths(sampler, 3, h, width)
    weights = _weights(sampler, h * width)
    yield _question("plain", h, weights, _inputs(sampler, b, t, s, h * width))
    yield _question("long", h, weights, _inputs(sampler, 1, 30, 30, h * width))

    # the following questions have many answers, so two heads of width 4 keep these small
    h, d_model = 2, 8
    b, t, s = 3, *sampler.shuffled((4, 5))
    weights, given = _weights(sampler, d_model), _inputs(sampler, b, t, s, d_model)
    yield _question("with_weights", h, weights, {**given, "need_weights": True}, returns=("output", "weights"))
    yield _question("masked", h, weights, {**given, "mask": _mask(sampler, b, 1, t, s)})
    yield _question("one_mask", h, weights, {**given, "mask": _mask(sampler, t, s)})
    x = torch.cat([sampler.tensor(1, t, d_model), sampler.tensor(1, 3, d_model)], dim=1)  # the last three are padding
    real, order = torch.arange(t + 3) < t, torch.arange(t + 3).roll(3)
    calls = [
        {"query": y, "key": y, "value": y, "mask": seen.unsqueeze(1) & seen}
        for y, seen in ((x, real), (x[:, order], real[order]))
    ]
    yield _question("further_down", h, weights, *calls, order=order)
    yield _question("training", h, weights, given, dropout=1.0, training=True)
    yield _question(
        "training_with_weights", h, weights, {**given, "need_weights": True}, returns=("output", "weights"), dropout=1.0, training=True
    )  # fmt: skip
    yield _question("evaluation", h, weights, given, dropout=1.0)
    gradients = _inputs(sampler, 2, s, t, d_model)
    yield _question("gradients", h, weights, gradients, upstream={"output": sampler.tensor(2, s, d_model)})


OUTPUT = {"fields": ["calls/0/output"]}


INPUTS = ("query", "key", "value")


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "three words in one head of a single pair come out right", 0.25, OUTPUT),
    Check("equals_plain", equals_reference, "plain", "a batch in two or three heads comes out right", 0.25, OUTPUT),
    Check("long", equals_reference, "long", "30 words come out right", 0.25, OUTPUT),
    Check("returns_weights", equals_reference, "with_weights", "`need_weights=True` returns the right output, and the right weights of each head, those before dropout", 0.25,
        {"fields": ["calls/0/output", "calls/0/weights"]}, also=("training_with_weights",)),
    Check("masked", equals_reference, "masked", "masks (B, 1, T, S) and (T, S) come out right", 0.25, OUTPUT, also=("one_mask",)),
    Check("further_down", moves_along, "further_down", "a sentence comes out the same when masked padding moves it further down the page", 0.25,
        {"before": "calls/0/output", "after": "calls/1/output", "axis": 1}, needs="equals_plain"),
    Check("dropout", equals_reference, "training", "with `dropout=1.0`, the output is right: in training all weights are dropped, in evaluation none", 0.25,
        OUTPUT, also=("evaluation",)),
    Check("gradients", equals_reference, "gradients", "the gradients of the inputs and of every weight are right", 0.15,
        {"fields": [f"gradients/{name}" for name in (*INPUTS, *(f"{x}.weight" for x in LAYERS))]}),
    Check("inputs_unchanged", inputs_unchanged, "masked", "your inputs are left as they were, the mask too", 0.1, needs="masked"),
)  # fmt: skip


def _allows(question: Question) -> bool:
    """Return whether the features of a head come in pairs."""
    return bool(question.built_with["d_model"] // question.built_with["num_heads"] % 2 == 0)


EXERCISE = Outline(
    minutes=10,
    checks=CHECKS,
    hints=(
        "It is `MultiHeadAttention.forward` of lesson 04 and two lines more. Between which two steps do they belong?",
        "Project and split, three times; turn queries and keys; attend, with the mask; drop weights; mix the values; merge; project.",
        "`query = rotary_embedding(query, torch.arange(query.size(-2)))`, once it is split, and the same for `key`; `value` stays.",
    ),
    ask=ask,
    allows=_allows,
    write=("forward",),
    builds_on=("rotary_embedding",),
)
