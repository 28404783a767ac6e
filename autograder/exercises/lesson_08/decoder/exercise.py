"""Exercise `decoder`: a stack of decoder layers that all attend to the same memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from autograder.exercises.definition import Outline
from autograder.exercises.lesson_08.weights import weights_of
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Module, Question
from course_lib.checking.rules import equals_reference
from course_lib.checking.values import Value
from course_lib.components.decoder import Decoder

SIZES: dict[str, Any] = {"d_model": 6, "num_heads": 2, "d_ff": 7}


#: the gradients that are checked: those of the inputs, and of one weight in each layer
LEARNED = ("x", "memory", *(f"layers.{i}.self_attention.w_v.weight" for i in range(2)))


def _question(
    name: str,
    weights: dict[str, Tensor],
    *calls: dict[str, Value],
    num_layers: int = 2,
    norm_first: bool = True,
    dropout: float = 0.0,
    sizes: dict[str, Any] = SIZES,
    **more: Value,
) -> Question:
    build = {"num_layers": num_layers, **sizes, "dropout": dropout, "norm_first": norm_first}
    return Module(name, build, weights, calls, returns=["output"], with_shapes=name in ("pre", "post"), **more)


def _given(sampler: Sampler, b: int, t: int, s: int, d_model: int = 6) -> dict[str, Value]:
    return {"x": sampler.tensor(b, t, d_model), "memory": sampler.tensor(b, s, d_model)}


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about pre-norm and post-norm, masks, three layers, gradients, dropout, and a square to name what crashes."""
    b, t, s = 3, *sampler.shuffled(((4, 5), (5, 4)))[0]
    weights = weights_of(sampler, Decoder(2, **SIZES))
    given = _given(sampler, b, t, s)
    real = torch.tensor([s, *sampler.shuffled(range(2, s))[: b - 1]])  # (B,)
    masks = {
        "mask": torch.ones(t, t, dtype=torch.bool).tril(),
        "memory_mask": (torch.arange(s) < real[:, None])[:, None, None],
    }
    yield _question("pre", weights, given)
    yield _question("masked", weights, {**given, **masks})
    post = {name: weight for name, weight in weights.items() if not name.startswith("norm.")}
    yield _question("post", post, given, norm_first=False)
    sizes: dict[str, Any] = {"d_model": 4, "num_heads": 1, "d_ff": 3}
    small = _given(sampler, 2, 3, 5, 4)
    yield _question("three_layers", weights_of(sampler, Decoder(3, **sizes)), small, num_layers=3, sizes=sizes)
    upstream = {"output": sampler.tensor(2, 3, 4)}
    weights_4 = weights_of(sampler, Decoder(2, **sizes))
    yield _question("gradients", weights_4, small, sizes=sizes, upstream=upstream, learned=LEARNED)
    # dropout inside the layers' sub-layers, so that a wrong layer's effect on its sums is not random
    within = [
        f"layers.{i}.{part}_residual"
        for i in range(2)
        for part in ("self_attention", "cross_attention", "feed_forward")
    ]
    dropped: dict[str, Any] = {"dropout": 1.0, "training": True, "evaluated": within}
    yield _question("training", weights_4, small, small, sizes=sizes, **dropped)
    # no row of these masks becomes empty if they are exchanged or inverted
    mask = torch.tensor([[1, 0, 0], [1, 1, 0], [0, 1, 0]], dtype=torch.bool)
    memory_mask = torch.tensor([[0, 1, 1], [1, 0, 0], [1, 0, 1]], dtype=torch.bool)
    square = _given(sampler, 2, 3, 3)
    yield _question("square", weights, {**square, "mask": mask, "memory_mask": memory_mask})


OUTPUT = {"fields": ["calls/0/output"]}


CHECKS = (
    Check("parts", equals_reference, "pre", "the parts are right: `layers` and, pre-norm, `norm`", 0.25, {"fields": ["shapes"]}),
    Check("pre", equals_reference, "pre", "two layers, pre-norm, come out right", 0.75, OUTPUT, also=("square",)),
    Check("masked", equals_reference, "masked", "with a causal mask and a mask of the memory they come out right", 0.5, OUTPUT),
    Check("post", equals_reference, "post", "two layers, post-norm, come out right, without a last normalisation", 0.5, OUTPUT),
    Check("three_layers", equals_reference, "three_layers", "three layers come out right", 0.25, OUTPUT),
    Check("gradients", equals_reference, "gradients", "the gradients of `x`, of `memory` and of both layers' first matrix are right", 0.5,
        {"fields": [f"gradients/{name}" for name in LEARNED]}),
    Check("dropout", equals_reference, "training", "in training with `dropout=1.0`, the output is right: each layer receives `dropout`, so its attentions and network drop everything", 0.25,
        OUTPUT, needs="pre"),
)  # fmt: skip


STACK = "[DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)]"


LAST_NORM = "LayerNorm(d_model) if norm_first else nn.Identity()"


LOOP = "for layer in self.layers:"


STEP = "x = layer(x, memory, mask, memory_mask)"


LAST = "self.norm(x)"


EXERCISE = Outline(
    minutes=8,
    checks=CHECKS,
    hints=(
        "It is your `Encoder` with a memory handed to every layer. What changes from layer to layer, and what does not?",
        "The constructor makes `layers`, an `nn.ModuleList`, and `norm`; `forward` has a loop and one line after it. Is every layer another object, and is every one used?",
        f"`self.layers = nn.ModuleList({STACK})`, `self.norm = {LAST_NORM}`; `{LOOP}` `{STEP}`; `return {LAST}`.",
    ),
    ask=ask,
    write=("__init__", "forward"),
    builds_on=("decoder_layer",),
)
