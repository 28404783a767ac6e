"""Exercise `feed_forward`, the lesson's first: two layers with a ReLU between them."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from autograder.exercises.definition import Outline
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Module, Question
from course_lib.checking.rules import equals_reference, unmoved
from course_lib.checking.values import Value

WEIGHTS = ("w_1.weight", "w_1.bias", "w_2.weight", "w_2.bias")


def _weights(sampler: Sampler, d_model: int, d_ff: int) -> dict[str, Tensor]:
    shapes = ((d_ff, d_model), (d_ff,), (d_model, d_ff), (d_model,))
    return {name: sampler.tensor(*shape, scale=0.6) for name, shape in zip(WEIGHTS, shapes, strict=True)}


def _question(name: str, weights: dict[str, Tensor], *xs: Tensor, dropout: float = 0.0, **more: Value) -> Question:
    d_ff, d_model = weights["w_1.weight"].shape
    build = {"d_model": d_model, "d_ff": d_ff, "dropout": dropout}
    calls = [{"x": x} for x in xs]
    return Module(name, build, weights, calls, returns=["output"], **more)


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about small numbers, distinct sizes, one token without a batch, dropout, and a square to name what crashes.

    The dropout probability is 1, in training and in evaluation mode, so that answers are not random.
    """
    weights = {
        "w_1.weight": torch.tensor([[1.0, 0.0], [-1.0, 1.0], [0.0, -2.0]]),
        "w_1.bias": torch.tensor([0.0, 0.5, 1.0]),
        "w_2.weight": torch.tensor([[1.0, 0.0, 2.0], [0.0, -1.0, 1.0]]),
        "w_2.bias": torch.tensor([0.5, -0.5]),
    }
    x = torch.tensor([[[2.0, 1.0], [-1.0, 3.0]]]) + sampler.tensor(1, 2, 2, scale=0.3).round(decimals=1)
    yield _question("by_hand", weights, x)
    (b, t), (d_model, d_ff) = sampler.sizes(2), sampler.shuffled(((4, 7), (7, 4), (4, 8)))[0]
    weights, x = _weights(sampler, d_model, d_ff), sampler.tensor(b, t, d_model)
    other = torch.cat([x[:, :1], sampler.tensor(b, t - 1, d_model)], dim=1)
    yield _question("plain", weights, x)
    yield _question("one_token", weights, sampler.tensor(d_model))
    yield _question("changed", weights, x, other)
    yield _question("training", weights, x, dropout=1.0, training=True)
    yield _question("evaluation", weights, x, dropout=1.0)
    upstream = {"output": sampler.tensor(b, t, d_model)}
    yield _question("gradients", weights, sampler.tensor(b, t, d_model), upstream=upstream)
    yield _question("square", _weights(sampler, 4, 4), sampler.tensor(2, 3, 4))


OUTPUT = {"fields": ["calls/0/output"]}


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "two tokens of width 2 come out right, with 3 hidden activations each", 0.25, OUTPUT),
    Check("equals_plain", equals_reference, "plain", "batches of other sizes come out right", 0.5, OUTPUT, also=("square",)),
    Check("one_token", equals_reference, "one_token", "a single token (D,), without batch and sentence, comes out right", 0.25, OUTPUT),
    Check("tokens_apart", unmoved, "changed", "changing the tokens after it leaves the first token's output unchanged", 0.25,
        {"before": "calls/0/output", "after": "calls/1/output", "index": [None, 0]}, needs="equals_plain"),
    Check("dropout_in_training", equals_reference, "training", "in training with `dropout=1.0`, the output is right: every hidden activation is dropped, and only the bias of `w_2` is left", 0.25, OUTPUT),
    Check("dropout_in_evaluation", equals_reference, "evaluation", "in evaluation, the output is right whatever `dropout` is", 0.25, OUTPUT),
    Check("gradients", equals_reference, "gradients", "the gradients of the input and of both layers are right", 0.25,
        {"fields": ["gradients/x", *(f"gradients/{name}" for name in WEIGHTS)]}),
)  # fmt: skip


EXERCISE = Outline(
    minutes=5,
    checks=CHECKS,
    hints=(
        "Take one word of width 2 from the lesson's table and follow it on paper: three hidden activations, the negative ones set to 0, then two numbers again.",
        "Four steps: the first layer, ReLU, dropout, the second layer. Print the shape after each.",
        "`hidden = torch.relu(self.w_1(x))`, then `self.w_2(self.dropout(hidden))`.",
    ),
    ask=ask,
    write=("forward",),
)
