"""Exercise `vision_transformer`: an encoder that reads patches.

The constructor is given, and students write `forward`.
"""

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
from course_lib.checking.rules import equals_reference, every_gradient_flows, unmoved
from course_lib.checking.values import Value
from course_lib.components.vision_transformer import VisionTransformer

SIZES: dict[str, Any] = {
    "image_size": 6, "patch_size": 2, "channels": 1, "num_classes": 5, "d_model": 8, "num_heads": 2, "num_layers": 2,
    "d_ff": 7,
}  # fmt: skip


def _question(
    name: str, weights: dict[str, Tensor], *calls: Tensor, sizes: dict[str, Any] = SIZES, **more: Value
) -> Question:
    build, inputs = {**sizes, "dropout": 0.0}, [{"images": images} for images in calls]
    return Module(name, build, weights, inputs, returns=["logits"], with_shapes=False, **more)


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about one image, a batch with other images, several channels, a single patch, and gradients."""
    weights = weights_of(sampler, VisionTransformer(**SIZES))
    b = sampler.shuffled((3, 4))[0]
    yield _question("one_image", weights, sampler.tensor(1, 1, 6, 6))
    batch = sampler.tensor(b, 1, 6, 6)
    others = torch.cat([batch[:1], sampler.tensor(b - 1, 1, 6, 6)])
    yield _question("plain", weights, batch, others)
    sizes = {**SIZES, "channels": 3, "num_layers": 1, "num_classes": 4}
    coloured = weights_of(sampler, VisionTransformer(**sizes))
    yield _question("coloured", coloured, sampler.tensor(2, 3, 6, 6), sizes=sizes)
    sizes = {**SIZES, "patch_size": 6, "num_layers": 1}
    yield _question(
        "one_patch", weights_of(sampler, VisionTransformer(**sizes)), sampler.tensor(2, 1, 6, 6), sizes=sizes
    )
    sizes = {**SIZES, "num_layers": 1, "d_ff": 3, "num_classes": 3}
    small = weights_of(sampler, VisionTransformer(**sizes))
    yield _question(
        "gradients", small, sampler.tensor(2, 1, 6, 6), sizes=sizes, upstream={"logits": sampler.tensor(2, 3)}
    )


LOGITS = {"fields": ["calls/0/logits"]}


CHECKS = (
    Check("one_image", equals_reference, "one_image", "the scores of one image come out right", 0.5, LOGITS),
    Check("plain", equals_reference, "plain", "a batch comes out right", 1.0, LOGITS),
    Check("coloured", equals_reference, "coloured", "images of three channels come out right", 0.25, LOGITS),
    Check("one_patch", equals_reference, "one_patch", "images of a single patch come out right", 0.25, LOGITS),
    Check("gradients", equals_reference, "gradients", "the gradients come out right", 0.5, {"fields": ["gradients"]}),
    Check("every_parameter_learns", every_gradient_flows, "gradients", "every parameter receives a gradient", 0.25, needs="one_image"),
    Check("images_apart", unmoved, "plain", "other images in the batch leave the first one's scores as they are", 0.25,
        {"before": "calls/0/logits", "after": "calls/1/logits", "index": [0]}, needs="plain"),
)  # fmt: skip


PROJECTED = "patches = self.projection(split_into_patches(images, self.patch_size))"


EXPANDED = "cls = self.cls.expand(len(images), 1, -1)"


JOINED = "x = torch.cat([cls, patches], dim=1)"


ENCODED = "x = self.encoder(x + self.positions(x.size(1)))"


READ = "self.head(x[:, 0])"


EXERCISE = Outline(
    minutes=15,
    checks=CHECKS,
    hints=(
        "Follow the shapes: images (B, C_in, H, W), patches (B, N, C_in P²), vectors (B, N, D), with `cls` (B, 1 + N, D). Which part of the constructor makes which step?",
        "`self.cls` has the shape (D). `expand` makes one for each image, (B, 1, D), and `torch.cat` puts it in front of the patches.",
        f"`{PROJECTED}`, `{EXPANDED}`, `{JOINED}`, `{ENCODED}`, `{READ}`.",
    ),
    ask=ask,
    write=("forward",),
    builds_on=("split_into_patches", "learned_positions", "encoder"),
)
