"""Exercise `cross_attention`: queries from one sequence, keys and values from another."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from autograder.exercises.definition import Outline
from autograder.exercises.lesson_08.weights import weights_of
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Module, Question
from course_lib.checking.rules import equals_reference, inputs_unchanged, unmoved
from course_lib.checking.values import Value
from course_lib.components.cross_attention import CrossAttention

LAYERS = ("w_q", "w_k", "w_v", "w_o")


WEIGHTS = [f"{layer}.{part}" for layer in LAYERS for part in ("weight", "bias")]


def _weights(sampler: Sampler, d_model: int) -> dict[str, Tensor]:
    return weights_of(sampler, CrossAttention(d_model))


def _question(
    name: str,
    weights: dict[str, Tensor],
    *calls: dict[str, Value],
    returns: tuple[str, ...] = ("output",),
    **more: Value,
) -> Question:
    build = {"d_model": weights["w_q.bias"].numel()}
    return Module(name, build, weights, calls, returns=returns, **more)


def _on_paper(sampler: Sampler) -> tuple[dict[str, Tensor], Tensor, Tensor]:
    """Return layers of width 2 without a bias, two tokens as queries, and three as memory."""
    matrices = ([[1, 0], [0, 2]], [[0, 1], [1, 0]], [[2, 0], [1, 1]], [[1, 1], [0, 1]])
    weights = {f"{layer}.weight": torch.tensor(m).double() for layer, m in zip(LAYERS, matrices, strict=True)}
    weights |= {f"{layer}.bias": torch.zeros(2) for layer in LAYERS}
    x = torch.tensor([[[1.0, -1.0], [0.0, 1.0]]])
    memory = torch.tensor([[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]])
    return weights, x, memory + sampler.tensor(1, 3, 2, scale=0.4).round(decimals=1)


def _mask(sampler: Sampler, *shape: int) -> Tensor:
    """Return a mask in which each token sees the first and some others, so that no mistake makes a row empty."""
    return torch.cat([torch.ones(*shape[:-1], 1, dtype=torch.bool), sampler.mask(*shape[:-1], shape[-1] - 1)], dim=-1)


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about small numbers, distinct sizes, another memory, masks, weights, and a square to name what crashes.

    The memory is always longer than the target, so that cutting it to the target's length changes it.
    """
    weights, x, memory = _on_paper(sampler)
    yield _question("by_hand", weights, {"x": x, "memory": memory})
    b, t, s = 2, *sampler.shuffled(((3, 5), (4, 6), (3, 7)))[0]
    (d_model,) = sampler.widths(1)
    weights = _weights(sampler, d_model)
    given = {"x": sampler.tensor(b, t, d_model), "memory": sampler.tensor(b, s, d_model)}
    order = sampler.order(s)
    others = {name: torch.cat([x[:1], sampler.tensor(1, *x.shape[1:])]) for name, x in given.items()}
    yield _question("plain", weights, given, {**given, "memory": given["memory"][:, order]}, others)
    yield _question("with_weights", weights, {**given, "need_weights": True}, returns=("output", "weights"))
    masked = {**given, "mask": _mask(sampler, b, 1, s), "need_weights": True}
    yield _question("masked_weights", weights, masked, returns=("output", "weights"))
    yield _question(
        "masked", weights, {**given, "mask": _mask(sampler, t, s)}, {**given, "mask": _mask(sampler, b, 1, s)}
    )
    d_model = 4
    given = {"x": sampler.tensor(2, 3, d_model), "memory": sampler.tensor(2, 5, d_model)}
    yield _question("again", _weights(sampler, d_model), given, given)
    upstream = {"output": sampler.tensor(2, 3, d_model)}
    yield _question("gradients", _weights(sampler, d_model), given, upstream=upstream)
    # no row of this mask becomes empty if it is inverted or transposed
    mask = torch.tensor([[1, 0, 0], [1, 1, 0], [0, 0, 1]], dtype=torch.bool)
    square = {"x": sampler.tensor(2, 3, d_model), "memory": sampler.tensor(2, 3, d_model)}
    yield _question("square", _weights(sampler, d_model), square, {**square, "mask": mask})


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "two tokens over a memory of three, of width 2, come out right", 0.25,
        {"fields": ["calls/0/output"]}),
    Check("equals_plain", equals_reference, "plain", "batches of other sizes come out right", 0.75,
        {"fields": ["calls/0/output"]}, also=("again", "square")),
    Check("returns_weights", equals_reference, "with_weights", "`need_weights=True` returns the right output and weights, (B, T, S)", 0.5,
        {"fields": ["calls/0/output", "calls/0/weights"]}, also=("masked_weights",)),
    Check("masked", equals_reference, "masked", "a mask (T, S) comes out right", 0.25, {"fields": ["calls/0/output"]}),
    Check("padding_mask", equals_reference, "masked", "a mask (B, 1, S), one row for all queries of a sentence, comes out right", 0.25,
        {"fields": ["calls/1/output"]}),
    Check("order_of_memory", unmoved, "plain", "the memory in another order gives the same outputs", 0.25,
        {"before": "calls/0/output", "after": "calls/1/output"}, needs="equals_plain"),
    Check("sentences_apart", unmoved, "plain", "another second sentence leaves the first one's output as it is", 0.25,
        {"before": "calls/0/output", "after": "calls/2/output", "index": [0]}, needs="equals_plain"),
    Check("gradients", equals_reference, "gradients", "the gradients of `x`, of `memory` and of every weight are right", 0.25,
        {"fields": ["gradients/x", "gradients/memory", *(f"gradients/{name}" for name in WEIGHTS)]}),
    Check("inputs_unchanged", inputs_unchanged, "masked", "your inputs are left as they were", 0.25, needs="masked"),
)  # fmt: skip


EXERCISE = Outline(
    minutes=5,
    checks=CHECKS,
    hints=(
        "It is `SelfAttention` of lesson 03 with two sequences instead of one. Who asks? Who is asked, and what is taken from there?",
        "Five lines: one projection of `x`, two of `memory`, your attention with the mask, one last projection. The weights are (B, T, S).",
        "`self.w_q(x)`, `self.w_k(memory)`, `self.w_v(memory)` and `mask` go into `scaled_dot_product_attention`; its output goes through `self.w_o`. "
        "Return the weights too where `need_weights` is true.",
    ),
    ask=ask,
    write=("forward",),
)
