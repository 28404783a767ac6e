"""Exercise `encoder`: a stack of layers, including the constructor."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from autograder.exercises.definition import Outline
from autograder.exercises.lesson_06.encoder_layer.exercise import layer_weights
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Construction, Module, Question
from course_lib.checking.rules import equals_reference
from course_lib.checking.values import Value


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about two and three layers, pre-norm with padding, post-norm with gradients, and constructed dropout."""
    (b, s), (d_model, d_ff) = (
        sampler.shuffled(((3, 6), (3, 7), (2, 9)))[0],
        sampler.shuffled(((4, 5), (4, 8), (4, 10)))[0],
    )
    x = sampler.tensor(b, s, d_model)
    lengths = torch.tensor([s, *sampler.shuffled(range(1, s))[: b - 1]])
    padding = (torch.arange(s) < lengths[:, None])[:, None, None, :]
    layers = [layer_weights(sampler, d_model, d_ff, prefix=f"layers.{number}.") for number in range(3)]
    norm = {
        "norm.gamma": (1 + sampler.tensor(d_model, scale=0.3)).double(),
        "norm.beta": sampler.tensor(d_model, scale=0.3),
    }

    def question(
        name: str, num_layers: int, norm_first: bool, mask: Tensor | None = None, dropout: float = 0.0, **more: Value
    ) -> Question:
        build = {
            "num_layers": num_layers, "d_model": d_model, "num_heads": 2, "d_ff": d_ff, "dropout": dropout, "norm_first": norm_first,
        }  # fmt: skip
        weights: dict[str, Tensor] = {}
        for layer in layers[:num_layers]:
            weights |= layer
        if norm_first:
            weights |= norm
        calls = [{"x": x} if mask is None else {"x": x, "mask": mask}]
        return Module(name, build, weights, calls, returns=["memory"], **more)

    yield question("pre", 2, True, padding)
    yield question("post", 2, False, upstream={"memory": sampler.tensor(b, s, d_model)})
    yield question("three_layers", 3, True)
    share = sampler.shuffled(range(15, 50))[0] / 100
    build = {"num_layers": 2, "d_model": 4, "num_heads": 2, "d_ff": 5, "dropout": share, "norm_first": False}
    settings = [f"layers.{number}.feed_forward.dropout.p" for number in range(2)]
    yield Construction("as_constructed", build, settings=settings)


MEMORY = {"fields": ["calls/0/memory"]}


CHECKS = (
    Check("parameters_pre", equals_reference, "pre", "pre-norm: the parameters are right, those of each layer and one more `norm`", 0.25, {"fields": ["shapes"]}),
    Check("parameters_post", equals_reference, "post", "post-norm: the parameters are right, those of each layer and no further norm", 0.25, {"fields": ["shapes"]}),
    Check("shares", equals_reference, "as_constructed", "`dropout` is right in every layer", 0.25, {"fields": ["settings"]}, needs="parameters_post"),
    Check("pre", equals_reference, "pre", "pre-norm: two layers come out right, with a mask of padding", 1.0, MEMORY),
    Check("three_layers", equals_reference, "three_layers", "pre-norm: three layers come out right, without a mask", 0.5, MEMORY),
    Check("post", equals_reference, "post", "post-norm: two layers come out right", 0.5, MEMORY),
    Check("gradients", equals_reference, "post", "post-norm: the gradients of the input and of both layers are right", 0.25,
        {"fields": ["gradients/x", *(f"gradients/layers.{n}.feed_forward.w_2.weight" for n in range(2))]}),
)  # fmt: skip


LAYER = "EncoderLayer(d_model, num_heads, d_ff, dropout, norm_first)"


CALL = "x = layer(x, mask)"


END = "self.norm(x)"


SHOW = f"`nn.ModuleList([{LAYER} for _ in range(num_layers)])`, and in `forward`: `{CALL}`, once for each layer, then `{END}`."


EXERCISE = Outline(
    minutes=10,
    checks=CHECKS,
    hints=(
        "How many `EncoderLayer` objects should a stack of three layers hold, and what does the second one get?",
        "In the constructor: a list that a module looks into, with a new layer for each entry, and one more norm if `norm_first` is True. In `forward`: a loop.",
        SHOW,
    ),
    ask=ask,
    write=("__init__", "forward"),
    builds_on=("feed_forward", "layer_norm", "residual_sublayer", "encoder_layer"),
)
