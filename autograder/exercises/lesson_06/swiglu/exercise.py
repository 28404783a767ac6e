"""Exercise `swiglu`: a feed-forward network with a gate and three matrices. Includes the constructor."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from autograder.exercises.definition import Outline
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Module, Question
from course_lib.checking.rules import equals_reference, inputs_unchanged, unmoved
from course_lib.checking.values import Value

WEIGHTS = ("w_gate.weight", "w_up.weight", "w_down.weight")


def _weights(sampler: Sampler, d_model: int, d_ff: int) -> dict[str, Tensor]:
    shapes = ((d_ff, d_model), (d_ff, d_model), (d_model, d_ff))
    return {name: sampler.tensor(*shape) for name, shape in zip(WEIGHTS, shapes, strict=True)}


def _question(name: str, weights: dict[str, Tensor], *xs: Tensor, **more: Value) -> Question:
    d_ff, d_model = weights["w_up.weight"].shape
    calls = [{"x": x} for x in xs]
    return Module(name, {"d_model": d_model, "d_ff": d_ff}, weights, calls, returns=["output"], **more)


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about small numbers, distinct sizes, one token without a batch, and a square to name what crashes.

    By hand, the gates of a token (a, b) are a, b and a - b, and the numbers that they let through are b, a and a + b.
    """
    weights = {
        "w_gate.weight": torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, -1.0]]),
        "w_up.weight": torch.tensor([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]),
        "w_down.weight": torch.tensor([[1.0, 0.0, 1.0], [0.0, 1.0, -2.0]]),
    }
    a, b, c, d = sampler.shuffled((-2.0, -1.0, 1.0, 2.0, 3.0))[:4]
    yield _question("by_hand", weights, torch.tensor([[[a, b], [c, d]]]))
    (b, t), (d_model, d_ff) = sampler.sizes(2), sampler.shuffled(((4, 7), (7, 5), (5, 9)))[0]
    weights, x = _weights(sampler, d_model, d_ff), sampler.tensor(b, t, d_model)
    other = torch.cat([x[:, :1], sampler.tensor(b, t - 1, d_model)], dim=1)
    yield _question("plain", weights, x)
    yield _question("one_token", weights, sampler.tensor(d_model))
    yield _question("changed", weights, x, other)
    upstream = {"output": sampler.tensor(b, t, d_model)}
    yield _question("gradients", weights, sampler.tensor(b, t, d_model), upstream=upstream)
    yield _question("training", weights, x, training=True)
    yield _question("large", weights, 1000 * sampler.apart("large").tensor(b, d_model))
    yield _question("square", _weights(sampler, 4, 4), sampler.tensor(2, 3, 4))


OUTPUT = {"fields": ["calls/0/output"]}


CHECKS = (
    Check("parameters", equals_reference, "plain", "the parameters are right: the weights of `w_gate`, `w_up` and `w_down`, and no biases", 0.25,
        {"fields": ["shapes"]}),
    Check("equals_by_hand", equals_reference, "by_hand", "two tokens of width 2 come out right, with 3 hidden activations each", 0.75, OUTPUT),
    Check("equals_plain", equals_reference, "plain", "batches of other sizes come out right", 0.5, OUTPUT, also=("square",)),
    Check("one_token", equals_reference, "one_token", "a single token (D,), without batch and sentence, comes out right", 0.25, OUTPUT),
    Check("large", equals_reference, "large", "tokens with large numbers come out right: the gate is then 0 or the number itself", 0.25, OUTPUT),
    Check("tokens_apart", unmoved, "changed", "changing the tokens after it leaves the first token's output unchanged", 0.25,
        {"before": "calls/0/output", "after": "calls/1/output", "index": [None, 0]}, needs="equals_plain"),
    Check("gradients", equals_reference, "gradients", "the gradients of the input and of the three matrices are right", 0.25,
        {"fields": ["gradients/x", *(f"gradients/{name}" for name in WEIGHTS)]}),
    Check("training", equals_reference, "training", "a batch in training mode comes out right, too: nothing is dropped", 0.25, OUTPUT,
        needs="equals_plain"),
    Check("inputs_unchanged", inputs_unchanged, "plain", "your input stays as it was", 0.25, needs="equals_plain"),
)  # fmt: skip


EXERCISE = Outline(
    minutes=10,
    checks=CHECKS,
    hints=(
        "Follow the lesson's example, x = 1, through your code: a gate of 1, a value of 2, and 3 as the last factor make 4.386.",
        "Two layers read x. SiLU is applied to the result of one, and the other's result is multiplied by that. Which layer comes last?",
        "`gate = self.w_gate(x)`, then `self.w_down(gate * torch.sigmoid(gate) * self.w_up(x))`.",
    ),
    ask=ask,
    write=("__init__", "forward"),
)
