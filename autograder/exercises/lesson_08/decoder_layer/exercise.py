"""Exercise `decoder_layer`: three sub-layers, each with its residual connection and its normalisation."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from autograder.exercises.definition import Outline
from autograder.exercises.lesson_08.weights import weights_of
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Module, Question
from course_lib.checking.rules import equals_reference, unmoved
from course_lib.checking.values import Value
from course_lib.components.decoder_layer import DecoderLayer

D_MODEL, NUM_HEADS, D_FF = 6, 2, 7


RESIDUALS = ("self_attention_residual", "cross_attention_residual", "feed_forward_residual")


#: a key's bias shifts all scores of a row equally, so its gradient is only rounding error and is not compared
PARAMETERS = [name for name, _ in DecoderLayer(2, 1, 2).named_parameters() if not name.endswith("w_k.bias")]


def _question(
    name: str,
    weights: dict[str, Tensor],
    *calls: dict[str, Value],
    num_heads: int = NUM_HEADS,
    norm_first: bool = True,
    dropout: float = 0.0,
    **more: Value,
) -> Question:
    d_ff, d_model = weights["feed_forward.w_1.weight"].shape
    build = {"d_model": d_model, "num_heads": num_heads, "d_ff": d_ff, "dropout": dropout, "norm_first": norm_first}
    return Module(name, build, weights, calls, returns=["output"], with_shapes=name == "pre", **more)


def _given(sampler: Sampler, b: int, t: int, s: int, d_model: int = D_MODEL) -> dict[str, Value]:
    return {"x": sampler.tensor(b, t, d_model), "memory": sampler.tensor(b, s, d_model)}


def _masks(sampler: Sampler, b: int, t: int, s: int) -> dict[str, Value]:
    """Return a causal mask (T, T), and a padding mask (B, 1, 1, S) for the end of each source except the first."""
    real = torch.tensor([s, *sampler.shuffled(range(2, s))[: b - 1]])  # (B,)
    return {
        "mask": torch.ones(t, t, dtype=torch.bool).tril(),
        "memory_mask": (torch.arange(s) < real[:, None])[:, None, None],
    }


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about pre-norm and post-norm, with and without masks, dropout, and squares to name what crashes.

    The dropout probability is 1, so that answers are not random. In one question, the residual sub-layers are in
    evaluation mode, which shows the dropout inside the sub-layers.
    """
    b, t, s = 3, *sampler.shuffled(((4, 5), (5, 4)))[0]
    weights = weights_of(sampler, DecoderLayer(D_MODEL, NUM_HEADS, D_FF))
    given, masks = _given(sampler, b, t, s), _masks(sampler, b, t, s)
    later = given["x"].clone()
    later[:, -1] = sampler.tensor(b, D_MODEL)
    for norm, norm_first in (("pre", True), ("post", False)):
        yield _question(norm, weights, given, norm_first=norm_first)
        yield _question(
            f"{norm}_masked", weights, {**given, **masks}, {**given, **masks, "x": later}, norm_first=norm_first
        )
    one_layer = weights_of(sampler, DecoderLayer(4, 1, 3))
    upstream = {"output": sampler.tensor(2, 3, 4)}
    for norm, norm_first in (("pre", True), ("post", False)):
        small = _given(sampler, 2, 3, 5, 4)
        yield _question(
            f"{norm}_gradients", one_layer, small, num_heads=1, norm_first=norm_first, upstream=upstream
        )  # fmt: skip
    yield _question("training", weights, given, given, dropout=1.0, training=True)
    yield _question("training_post", weights, given, given, norm_first=False, dropout=1.0, training=True)
    yield _question("training_within", weights, given, dropout=1.0, training=True, evaluated=RESIDUALS)
    yield _question("evaluation", weights, given, dropout=1.0)
    # no row of these masks becomes empty if they are exchanged or inverted
    mask = torch.tensor([[1, 0, 0], [1, 1, 0], [0, 1, 0]], dtype=torch.bool)
    memory_mask = torch.tensor([[0, 1, 1], [1, 0, 0], [1, 0, 1]], dtype=torch.bool)
    square = _given(sampler, 2, 3, 3)
    yield _question("square", weights, square, {**square, "mask": mask, "memory_mask": memory_mask})


OUTPUT = {"fields": ["calls/0/output"]}


GRADIENTS = {"fields": [f"gradients/{name}" for name in ("x", "memory", *PARAMETERS)]}


CHECKS = (
    Check("parts", equals_reference, "pre", "the six parts are right: they have the names and shapes of the docstring", 1.5, {"fields": ["shapes"]}),
    Check("pre", equals_reference, "pre", "pre-norm, without masks, comes out right", 1.25, OUTPUT, also=("square",)),
    Check("pre_masked", equals_reference, "pre_masked", "pre-norm, with a causal mask and a mask of the memory, comes out right", 1.0, OUTPUT),
    Check("pre_gradients", equals_reference, "pre_gradients", "pre-norm, the gradients of `x`, of `memory` and of every weight are right", 0.5, GRADIENTS),
    Check("post", equals_reference, "post", "post-norm, without masks, comes out right", 1.25, OUTPUT),
    Check("post_masked", equals_reference, "post_masked", "post-norm, with both masks, comes out right", 1.0, OUTPUT),
    Check("post_gradients", equals_reference, "post_gradients", "post-norm, the gradients are right", 0.5, GRADIENTS),
    Check("dropout_between", equals_reference, "training", "in training with `dropout=1.0`, the output is right: only `x` is left, post-norm normalised", 0.25,
        {"fields": ["calls/0/output"]}, needs="pre", also=("training_post",)),
    Check("dropout_within", equals_reference, "training_within", "in training with `dropout=1.0` within attentions and network, the output is right", 0.25, OUTPUT, needs="pre"),
    Check("no_dropout_in_evaluation", equals_reference, "evaluation", "in evaluation, the output is right whatever `dropout` is", 0.25, OUTPUT),
    Check("no_future", unmoved, "pre_masked", "with a causal mask, another last token leaves the outputs before it as they are", 0.25,
        {"before": "calls/0/output", "after": "calls/1/output", "index": [None, 0]}, needs="pre_masked"),
)  # fmt: skip


SELF = "self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask))"


CROSS = "self.cross_attention_residual(x, lambda y: self.cross_attention(y, memory, memory, memory_mask))"


FEED = "self.feed_forward_residual(x, self.feed_forward)"


SELF_LINE, CROSS_LINE, FEED_LINE = (f"x = {step}" for step in (SELF, CROSS, FEED))


EXERCISE = Outline(
    minutes=20,
    checks=CHECKS,
    hints=(
        "It is your `EncoderLayer` with one sub-layer more. Which, and between which two others?",
        "The constructor makes six parts; `forward` has three lines, each a residual sub-layer with a function in it. Which of your parts is not used, or used twice?",
        f"`{SELF_LINE}`; `{CROSS_LINE}`; `{FEED_LINE}`.",
    ),
    ask=ask,
    write=("__init__", "forward"),
)
