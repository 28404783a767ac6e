"""Exercise `residual_sublayer`: add a sub-layer's output to its input, and normalise before or after."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from autograder.exercises.definition import Outline
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import AroundSublayer, Question
from course_lib.checking.rules import equals_reference, inputs_unchanged
from course_lib.checking.values import Value


def _weights(sampler: Sampler, d_model: int) -> dict[str, Tensor]:
    return {
        "norm.gamma": 1 + sampler.tensor(d_model, scale=0.5),
        "norm.beta": sampler.tensor(d_model, scale=0.5),
    }


def _question(
    name: str,
    norm_first: bool,
    weights: dict[str, Tensor],
    x: Tensor,
    matrix: Tensor,
    dropout: float = 0.0,
    shift: Tensor | None = None,
    **more: Value,
) -> Question:
    build = {"d_model": matrix.size(0), "dropout": dropout, "norm_first": norm_first}
    calls = [{"x": x, "matrix": matrix} | ({} if shift is None else {"shift": shift})]
    return AroundSublayer(name, build, weights, calls, returns=["output"], **more)


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about small numbers, distinct sizes, dropout of 1 and gradients, each with pre-norm and post-norm.

    The sub-layer multiplies its input by a matrix from the question. The inputs are small, because post-norm hides a
    factor on the sum except for the effect of ε, which disappears if the numbers are large.
    """
    weights = {
        "norm.gamma": torch.tensor([1.0, 2.0, 1.0]).double(),
        "norm.beta": torch.tensor([0.0, 0.0, 1.0]).double(),
    }
    matrix = torch.tensor([[1.0, 0.0, 2.0], [0.0, -1.0, 0.0], [1.0, 0.0, 0.0]]).double()
    x = torch.tensor([[[0.1, 0.2, 0.6], [0.0, 0.4, 0.2]]]).double() + sampler.tensor(1, 2, 3, scale=0.03).round(
        decimals=2
    )
    yield _question("pre_by_hand", True, weights, x, matrix)
    yield _question("post_by_hand", False, weights, x, matrix)
    (b, t), (d_model,) = sampler.sizes(2), sampler.shuffled(((4,), (7,), (8,)))[0]
    weights, x, matrix = (
        _weights(sampler, d_model),
        sampler.tensor(b, t, d_model, scale=0.1),
        sampler.tensor(d_model, d_model),
    )
    yield _question("pre", True, weights, x, matrix)
    yield _question("post", False, weights, x, matrix)
    shift = sampler.tensor(d_model)  # so that a sub-layer's output is not 0 for zeros
    yield _question("pre_training", True, weights, x, matrix, dropout=1.0, shift=shift, training=True)
    yield _question("post_training", False, weights, x, matrix, dropout=1.0, shift=shift, training=True)
    yield _question("evaluation", True, weights, x, matrix, dropout=1.0)
    upstream = {"output": sampler.tensor(b, t, d_model)}
    yield _question("pre_gradients", True, weights, x, matrix, upstream=upstream)
    yield _question("post_gradients", False, weights, x, matrix, upstream=upstream)


OUTPUT = {"fields": ["calls/0/output"]}


GRADIENTS = {"fields": [f"gradients/{name}" for name in ("x", "matrix", "norm.gamma", "norm.beta")]}


CHECKS = (
    Check("pre_by_hand", equals_reference, "pre_by_hand", "pre-norm: two tokens of width 3 come out right, where the sub-layer is `y @ matrix`", 0.5, OUTPUT),
    Check("post_by_hand", equals_reference, "post_by_hand", "post-norm: the same two tokens come out right", 0.5, OUTPUT),
    Check("pre", equals_reference, "pre", "pre-norm: a batch of longer sentences comes out right", 0.75, OUTPUT),
    Check("post", equals_reference, "post", "post-norm: the same batch comes out right", 0.75, OUTPUT),
    Check("pre_dropout", equals_reference, "pre_training", "pre-norm, in training with `dropout=1.0`, the output is right: only `x` is left", 0.25, OUTPUT, needs="pre"),
    Check("post_dropout", equals_reference, "post_training", "post-norm, in training with `dropout=1.0`, the output is right: only `x` is left, normalised", 0.25, OUTPUT, needs="post"),
    Check("dropout_in_evaluation", equals_reference, "evaluation", "in evaluation, the output is right whatever `dropout` is", 0.25, OUTPUT),
    Check("pre_gradients", equals_reference, "pre_gradients", "pre-norm: the gradients are right, those of the sub-layer too", 0.25, GRADIENTS),
    Check("post_gradients", equals_reference, "post_gradients", "post-norm: the gradients are right, those of the sub-layer too", 0.25, GRADIENTS),
    Check("inputs_unchanged", inputs_unchanged, "pre", "your input stays as it was", 0.25, needs="pre"),
)  # fmt: skip


PRE = "x + self.dropout(sublayer(self.norm(x)))"


POST = "self.norm(x + self.dropout(sublayer(x)))"


SHOW_BOTH = f"Pre-norm: `{PRE}`. Post-norm: `{POST}`."


EXERCISE = Outline(
    minutes=10,
    checks=CHECKS,
    hints=(
        "Hand in a sub-layer that returns zeros. What is left with pre-norm, and what with post-norm?",
        "There are four steps: normalise, call the sub-layer, apply dropout, add. In which order do they come if `norm_first` is True, and in which if it's False?",
        SHOW_BOTH,
    ),
    ask=ask,
    write=("forward",),
    builds_on=("layer_norm",),
)
