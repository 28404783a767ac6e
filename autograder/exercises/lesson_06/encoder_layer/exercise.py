"""Exercise `encoder_layer`: self-attention and a feed-forward network in one layer, including the constructor."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from autograder.exercises.definition import Outline
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Construction, Module, Question
from course_lib.checking.rules import equals_reference
from course_lib.checking.values import Value

PROJECTIONS = ("w_q", "w_k", "w_v", "w_o")


SHARES = tuple(
    f"{part}.dropout.p"
    for part in ("self_attention", "feed_forward", "self_attention_residual", "feed_forward_residual")
)


def layer_weights(sampler: Sampler, d_model: int, d_ff: int, prefix: str = "") -> dict[str, Tensor]:
    """Return weights for every parameter of an `EncoderLayer`, in the order of its constructor."""
    weights: dict[str, Tensor] = {}
    for projection in PROJECTIONS:
        weights[f"self_attention.{projection}.weight"] = sampler.tensor(d_model, d_model, scale=0.5)
        weights[f"self_attention.{projection}.bias"] = sampler.tensor(d_model, scale=0.3)
    for layer, (into, out) in (("w_1", (d_model, d_ff)), ("w_2", (d_ff, d_model))):
        weights[f"feed_forward.{layer}.weight"] = sampler.tensor(out, into, scale=0.5)
        weights[f"feed_forward.{layer}.bias"] = sampler.tensor(out, scale=0.3)
    for residual in ("self_attention_residual", "feed_forward_residual"):
        weights[f"{residual}.norm.gamma"] = 1 + sampler.tensor(d_model, scale=0.3)
        weights[f"{residual}.norm.beta"] = sampler.tensor(d_model, scale=0.3)
    return {prefix + name: weight for name, weight in weights.items()}


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about distinct sizes, with and without a mask, dropout of 1 and gradients, each with pre-norm and post-norm.

    In every mask, each query sees the first key and does not see some others. Sentences are too long for an example on
    the card, because nobody computes a layer by hand.
    """
    (b, s), (d_model, d_ff) = (
        sampler.shuffled(((3, 6), (3, 7), (2, 9)))[0],
        sampler.shuffled(((4, 5), (4, 8), (4, 10)))[0],
    )
    weights, x = layer_weights(sampler, d_model, d_ff), sampler.tensor(b, s, d_model)
    first = torch.ones(s, 1, dtype=torch.bool)
    mask = torch.cat([first, sampler.mask(s, s - 1)], dim=1)
    lengths = torch.tensor([s, *sampler.shuffled(range(1, s))[: b - 1]])
    padding = (torch.arange(s) < lengths[:, None])[:, None, None, :]

    def question(
        name: str, norm_first: bool, mask: Tensor | None = None, dropout: float = 0.0, **more: Value
    ) -> Question:
        build = {"d_model": d_model, "num_heads": 2, "d_ff": d_ff, "dropout": dropout, "norm_first": norm_first}
        calls = [{"x": x} if mask is None else {"x": x, "mask": mask}]
        return Module(name, build, weights, calls, returns=["output"], **more)

    upstream = {"output": sampler.tensor(b, s, d_model)}
    yield question("pre", True, upstream=upstream)
    yield question("pre_masked", True, mask)
    yield question("pre_training", True, dropout=1.0, training=True)
    yield question("post", False, upstream=upstream)
    yield question("post_padded", False, padding)
    yield question("post_training", False, dropout=1.0, training=True)
    share = sampler.shuffled(range(15, 50))[0] / 100
    build = {"d_model": 4, "num_heads": 2, "d_ff": 5, "dropout": share, "norm_first": False}
    yield Construction("as_constructed", build, settings=SHARES)


OUTPUT = {"fields": ["calls/0/output"]}


GRADIENTS = {"fields": ["gradients/x", "gradients/self_attention.w_q.weight", "gradients/self_attention.w_v.weight",
                        "gradients/feed_forward.w_1.weight", "gradients/self_attention_residual.norm.gamma",
                        "gradients/feed_forward_residual.norm.gamma"]}  # fmt: skip


CHECKS = (
    Check("parameters", equals_reference, "pre", "the parts are right: they have the names and shapes of the docstring", 0.5, {"fields": ["shapes"]}),
    Check("shares", equals_reference, "as_constructed", "`dropout` is right in all four parts", 0.5, {"fields": ["settings"]}),
    Check("pre", equals_reference, "pre", "pre-norm: a batch of sentences comes out right", 1.0, OUTPUT),
    Check("pre_masked", equals_reference, "pre_masked", "pre-norm: with a mask (S, S) it comes out right", 0.5, OUTPUT),
    Check("pre_training", equals_reference, "pre_training", "pre-norm, in training with `dropout=1.0`, the output is right: only `x` is left", 0.25, OUTPUT, needs="pre"),
    Check("pre_gradients", equals_reference, "pre", "pre-norm: the gradients of the input and of every part are right", 0.25, GRADIENTS),
    Check("post", equals_reference, "post", "post-norm: a batch of sentences comes out right", 1.0, OUTPUT),
    Check("post_padded", equals_reference, "post_padded", "post-norm: with a mask (B, 1, 1, S) of padding it comes out right", 0.5, OUTPUT),
    Check("post_training", equals_reference, "post_training", "post-norm, in training with `dropout=1.0`, the output is right: only `x` is left, normalised twice", 0.25, OUTPUT, needs="post"),
    Check("post_gradients", equals_reference, "post", "post-norm: the gradients of the input and of every part are right", 0.25, GRADIENTS),
)  # fmt: skip


ATTEND = "x = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask))"


THINK = "x = self.feed_forward_residual(x, self.feed_forward)"


SHOW = f"`{ATTEND}`, then `{THINK}`."


EXERCISE = Outline(
    minutes=15,
    checks=CHECKS,
    hints=(
        "Four parts, two lines. Which two of the parts are functions that the other two are called with?",
        "A residual sub-layer takes `x` and a function of one argument. The feed-forward network is one already. Self-attention takes three tensors and a mask, so wrap it in a function of one argument.",
        SHOW,
    ),
    ask=ask,
    write=("__init__", "forward"),
    builds_on=("feed_forward", "layer_norm", "residual_sublayer"),
)
