"""Exercise `self_attention`: queries, keys and values from one sequence."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from autograder.exercises.definition import Outline
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Module, Question
from course_lib.checking.rules import equals_reference, every_gradient_flows, inputs_unchanged, moves_along, unmoved
from course_lib.checking.values import Value

LAYERS = ("w_q", "w_k", "w_v", "w_o")


def _weights(sampler: Sampler, d_model: int) -> dict[str, Tensor]:
    """Return a weight and a bias for each of the four layers."""
    matrices = {f"{layer}.weight": sampler.tensor(d_model, d_model, scale=0.3) for layer in LAYERS}
    return matrices | {f"{layer}.bias": sampler.tensor(d_model, scale=0.3) for layer in LAYERS}


def _question(
    name: str,
    weights: dict[str, Tensor],
    *calls: dict[str, Value],
    returns: tuple[str, ...] = ("output",),
    **more: Value,
) -> Question:
    build: dict[str, Value] = {"d_model": weights["w_q.weight"].size(0)}
    if "w_q.bias" not in weights:
        build["bias"] = False
    return Module(name, build, weights, calls, returns=returns, **more)


def _on_paper(sampler: Sampler) -> tuple[dict[str, Tensor], Tensor]:
    """Return layers of width 2 without a bias, and three tokens."""
    matrices = ([[1, 0], [0, 2]], [[0, 1], [1, 0]], [[2, 0], [1, 1]], [[1, 1], [0, 1]])
    weights = {f"{layer}.weight": torch.tensor(m).double() for layer, m in zip(LAYERS, matrices, strict=True)}
    x = torch.tensor([[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]])
    return weights, x + sampler.tensor(1, 3, 2, scale=0.4).round(decimals=1)


def _mask(sampler: Sampler, *shape: int) -> Tensor:
    """Return a mask in which each token sees the first and some others, so that no mistake makes a row empty."""
    return torch.cat([torch.ones(*shape[:-1], 1, dtype=torch.bool), sampler.mask(*shape[:-1], shape[-1] - 1)], dim=-1)


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about small numbers, distinct sizes, another order, masks, and equal sizes to name what crashes."""
    few, length = sorted(sampler.sizes(2))
    (d_model,) = sampler.widths(1)
    weights, x = _on_paper(sampler)
    yield _question("by_hand", weights, {"x": x})
    weights, x = _weights(sampler, d_model), sampler.tensor(few, length, d_model)
    order = sampler.order(length)
    other = torch.cat([x[:1], sampler.tensor(few - 1, length, d_model)])
    yield _question("plain", weights, {"x": x}, {"x": x[:, order]}, {"x": other}, order=order)
    yield _question("with_weights", weights, {"x": x, "need_weights": True}, returns=("output", "weights"))
    yield _question(
        "masked",
        weights,
        {"x": x, "mask": _mask(sampler, length, length)},
        {"x": x, "mask": _mask(sampler, few, 1, length)},
    )
    masked = {"x": x, "mask": _mask(sampler, length, length), "need_weights": True}
    yield _question("masked_weights", weights, masked, returns=("output", "weights"))
    upstream = {"output": sampler.tensor(few, length, d_model)}
    yield _question("gradients", _weights(sampler, d_model), {"x": x}, upstream=upstream)
    yield _question("training", weights, {"x": x}, training=True)
    yield _question("cube", _weights(sampler, 2), {"x": sampler.tensor(2, 2, 2)})


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "three tokens of width 2 come out right", 0.5,
        {"fields": ["calls/0/output"]}),
    Check("equals_plain", equals_reference, "plain", "batches of other sizes come out right", 0.5,
        {"fields": ["calls/0/output"]}, also=("cube",)),
    Check("returns_weights", equals_reference, "with_weights", "`need_weights=True` returns the right output and weights", 0.25,
        {"fields": ["calls/0/output", "calls/0/weights"]}),
    Check("masked", equals_reference, "masked", "a mask (T, T) comes out right, weights included", 0.25,
        {"fields": ["calls/0/output"]}, also=("masked_weights",)),
    Check("padding_mask", equals_reference, "masked", "a mask (B, 1, T), one row for all queries of a sentence, comes out right", 0.25,
        {"fields": ["calls/1/output"]}),
    Check("equivariant", moves_along, "plain", "tokens in another order give the same outputs in that order", 0.25,
        {"before": "calls/0/output", "after": "calls/1/output", "axis": -2}, needs="equals_plain"),
    Check("sentences_apart", unmoved, "plain", "another second sentence leaves the first one's output as it is", 0.25,
        {"before": "calls/0/output", "after": "calls/2/output", "index": [0]}, needs="equals_plain"),
    Check("every_layer_learns", every_gradient_flows, "gradients", "each of the four layers receives a gradient", 0.0,
        needs="equals_plain"),
    Check("gradients", equals_reference, "gradients", "the gradients of `x` and of every weight are right", 0.25,
        {"fields": ["gradients/x", *(f"gradients/{layer}.{part}" for layer in LAYERS for part in ("weight", "bias"))]}),
    Check("training", equals_reference, "training", "a batch in training mode comes out right, too: nothing is dropped", 0.25,
        {"fields": ["calls/0/output"]}, needs="equals_plain"),
    Check("inputs_unchanged", inputs_unchanged, "masked", "your inputs are left as they were", 0.25, needs="masked"),
)  # fmt: skip


EXERCISE = Outline(
    minutes=8,
    checks=CHECKS,
    hints=(
        "Name each of the four layers and its part: one asks, one is asked, one is looked up, one comes last.",
        "Five lines: three projections of `x`, your attention with the mask, one last projection. Check the shape after each: all but the weights are (B, T, D).",
        "`self.w_q(x)`, `self.w_k(x)`, `self.w_v(x)` and `mask` go into `scaled_dot_product_attention`; its output goes through `self.w_o`. "
        "Return the weights too where `need_weights` is true.",
    ),
    ask=ask,
    write=("forward",),
    builds_on=("scaled_dot_product_attention",),
)
