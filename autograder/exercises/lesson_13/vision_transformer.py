"""Exercise `vision_transformer`: an encoder that reads patches.

The constructor is given; what is written is `forward`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from autograder.exercises.lesson_08.weights import weights_of
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, every_gradient_flows, unmoved
from course_lib.checking.values import Value
from course_lib.components.split_into_patches import split_into_patches
from course_lib.components.vision_transformer import VisionTransformer

SIZES: dict[str, Any] = {
    "image_size": 6, "patch_size": 2, "channels": 1, "num_classes": 5, "d_model": 8, "num_heads": 2, "num_layers": 2,
    "d_ff": 7,
}  # fmt: skip


def _question(
    name: str, weights: dict[str, Tensor], *calls: Tensor, sizes: dict[str, Any] = SIZES, **more: Value
) -> Question:
    given = {
        "build": {**sizes, "dropout": 0.0}, "weights": weights, "calls": [{"images": images} for images in calls],
        "returns": ["logits"], "with_shapes": False, **more,
    }  # fmt: skip
    return Question(name, probes.module, given)


def ask(draw: Draw) -> Iterator[Question]:
    """One image, a batch beside other images, several channels, a single patch, gradients."""
    weights = weights_of(draw, VisionTransformer(**SIZES))
    b = draw.shuffled((3, 4))[0]
    yield _question("one_image", weights, draw.tensor(1, 1, 6, 6))
    batch = draw.tensor(b, 1, 6, 6)
    others = torch.cat([batch[:1], draw.tensor(b - 1, 1, 6, 6)])
    yield _question("plain", weights, batch, others)
    sizes = {**SIZES, "channels": 3, "num_layers": 1, "num_classes": 4}
    coloured = weights_of(draw, VisionTransformer(**sizes))
    yield _question("coloured", coloured, draw.tensor(2, 3, 6, 6), sizes=sizes)
    sizes = {**SIZES, "patch_size": 6, "num_layers": 1}
    yield _question("one_patch", weights_of(draw, VisionTransformer(**sizes)), draw.tensor(2, 1, 6, 6), sizes=sizes)
    sizes = {**SIZES, "num_layers": 1, "d_ff": 3, "num_classes": 3}
    small = weights_of(draw, VisionTransformer(**sizes))
    yield _question("gradients", small, draw.tensor(2, 1, 6, 6), sizes=sizes, upstream={"logits": draw.tensor(2, 3)})


LOGITS = {"fields": ["calls/0/logits"]}

LAWS = (
    Law("one_image", equals_reference, "one_image", "the scores of one image come out right", 0.5, LOGITS),
    Law("plain", equals_reference, "plain", "a batch comes out right", 1.0, LOGITS),
    Law("coloured", equals_reference, "coloured", "images of three channels come out right", 0.25, LOGITS),
    Law("one_patch", equals_reference, "one_patch", "so do images of a single patch", 0.25, LOGITS),
    Law("gradients", equals_reference, "gradients", "the gradients come out right", 0.5, {"fields": ["gradients"]}),
    Law("every_parameter_learns", every_gradient_flows, "gradients", "every parameter receives a gradient", 0.25, needs="one_image"),
    Law("images_apart", unmoved, "plain", "other images in the batch leave the first one's scores as they are", 0.25,
        {"before": "calls/0/logits", "after": "calls/1/logits", "index": [0]}, needs="plain"),
)  # fmt: skip

PROJECTED = "patches = self.projection(split_into_patches(images, self.patch_size))"
EXPANDED = "cls = self.cls.expand(len(images), 1, -1)"
JOINED = "x = torch.cat([cls, patches], dim=1)"
ENCODED = "x = self.encoder(x + self.positions(x.size(1)))"
READ = "self.head(x[:, 0])"

MISTAKES = (
    mistake(
        "positions_left_out",
        "No positions are added: your encoder takes the image for a bag of patches.",
        (
            "Exchange two patches of an image. Do its scores change?",
            "Which part of the constructor don't you use?",
            f"`{ENCODED}`.",
        ),
        (ENCODED, "x = self.encoder(x)"),
        group="positions",
    ),
    mistake(
        "positions_for_patches_only",
        "You add positions to the patches before `cls` is put in front: the first patch gets position 0, and `cls` none.",
        (
            "How many rows does `positions` have? How many of them do you use?",
            "What stands at position 0?",
            "Put `cls` in front first, and add positions 0 to N to all of it.",
        ),
        (PROJECTED, "patches = self.projection(split_into_patches(images, self.patch_size))\n        patches = patches + self.positions(patches.size(1))"),
        (ENCODED, "x = self.encoder(x)"),
        group="positions",
    ),
    mistake(
        "positions_after_the_encoder",
        "You add the positions to what the encoder *returns*. While it looks at the patches, it doesn't know where they are.",
        (
            "Exchange two patches of an image. Do its scores change?",
            "When does attention need to know the positions?",
            f"`{ENCODED}`.",
        ),
        (ENCODED, "x = self.encoder(x) + self.positions(x.size(1))"),
        group="positions",
    ),
    mistake(
        "cls_left_out",
        "There is no `cls` in your sequence: you classify by what the encoder makes of the first patch.",
        (
            "How many vectors does your encoder read?",
            "Which part of the constructor receives no gradient?",
            f"`{JOINED}`.",
        ),
        (JOINED, "x = patches"),
        group="sequence",
    ),
    mistake(
        "cls_at_the_end",
        "You put `cls` behind the patches, and not in front of them.",
        (
            "Which position does `cls` have in your sequence?",
            "In which order do you join?",
            f"`{JOINED}`.",
        ),
        (JOINED, "x = torch.cat([patches, cls], dim=1)"),
        (READ, "self.head(x[:, -1])"),
        group=ALONE,
    ),
    mistake(
        "cls_at_the_end_and_patch_read",
        "You put `cls` behind the patches, and classify by what stands first: a patch.",
        (
            "Which position does `cls` have in your sequence?",
            "In which order do you join?",
            f"`{JOINED}`.",
        ),
        (JOINED, "x = torch.cat([patches, cls], dim=1)"),
        group="read",
    ),
    mistake(
        "mean_of_all",
        "You classify by the mean of all positions. Here the scores come from `cls` alone.",
        (
            "What is `cls` good for, if you take the mean?",
            "Which position do you read?",
            f"`{READ}`.",
        ),
        (READ, "self.head(x.mean(dim=1))"),
        group="read",
    ),
    mistake(
        "mean_of_the_patches",
        "You classify by the mean of the patches, and leave out `cls`. Here the scores come from `cls` alone.",
        (
            "What is `cls` good for, if you leave it out?",
            "Which position do you read?",
            f"`{READ}`.",
        ),
        (READ, "self.head(x[:, 1:].mean(dim=1))"),
        group="read",
    ),
    mistake(
        "last_patch_read",
        "You classify by what the encoder makes of the last patch.",
        (
            "Where does `cls` stand in your sequence?",
            "Is there a `[:, -1]`?",
            f"`{READ}`.",
        ),
        (READ, "self.head(x[:, -1])"),
        group="read",
    ),
    mistake(
        "every_position_scored",
        "You return scores for every position. An image gets one row.",
        (
            "Which shape does your result have?",
            "Which position stands for the whole image?",
            f"`{READ}`.",
        ),
        (READ, "self.head(x)"),
        group="read",
    ),
    mistake(
        "probabilities_returned",
        "You return probabilities instead of logits. The loss takes a softmax of its own, and two are one too many.",
        (
            "What do the scores of one image sum to?",
            "How many softmaxes are there between the head and the loss?",
            f"Return `{READ}` as it is.",
        ),
        (READ, "torch.softmax(self.head(x[:, 0]), dim=-1)"),
        group="read",
    ),
    mistake(
        "encoder_left_out",
        "Your encoder is never called: `cls` knows nothing of the patches, and all images get the same scores.",
        (
            "Give it two different images. Are their scores different?",
            "Which parts receive no gradient?",
            f"`{ENCODED}`.",
        ),
        (ENCODED, "x = x + self.positions(x.size(1))"),
        group="positions",
    ),
    mistake(
        "sequence_normalised_twice",
        "You normalise what the encoder returns once more. A pre-norm encoder ends with a normalisation of its own.",
        (
            "Which layers does the constructor make? Do you use one twice?",
            "What is the last thing that `Encoder.forward` does?",
            f"`{ENCODED}`, and then the head.",
        ),
        (READ, "self.head(self.encoder.norm(x)[:, 0])"),
        group="read",
    ),
    mistake(
        "straight_reshape",
        "You reshape the image straight into rows of as many numbers as a patch has. Those are strips of pixel rows, and not patches.",
        (
            "Which pixels are in the first row of what you project?",
            "You have a function for this, of the exercise before.",
            f"`{PROJECTED}`.",
        ),
        (PROJECTED, "patches = self.projection(images.reshape(len(images), -1, self.projection.in_features))"),
        group="patches",
    ),
    mistake(
        "cls_detached",
        "Your numbers are right, but `cls` gets no gradient: it stays as it was initialised.",
        (
            "Which parameter receives no gradient?",
            "Do you use `detach`, `.data` or `torch.tensor(…)` on `cls`?",
            f"`{EXPANDED}`.",
        ),
        (EXPANDED, "cls = self.cls.detach().expand(len(images), 1, -1)"),
        group="patches",
    ),
    mistake(
        "first_patch_read",
        "You classify by what the encoder makes of the first patch.",
        (
            "Where does `cls` stand in your sequence?",
            "Is there a `[:, 1]`? Counting begins at 0.",
            "`self.head(x[:, 0])`.",
        ),
        (READ, "self.head(x[:, 1])"),
        group="read",
    ),
)  # fmt: skip


class WithRepeat(VisionTransformer):
    def forward(self, images):
        b = images.shape[0]
        x = split_into_patches(images, self.patch_size) @ self.projection.weight.T + self.projection.bias
        x = torch.cat((self.cls.repeat(b, 1, 1), x), 1)
        x = x + self.positions(x.shape[1]).unsqueeze(0)
        return self.head(self.encoder(x).select(1, 0))


class IntoAnEmptyTensor(VisionTransformer):
    def forward(self, images):
        patches = split_into_patches(images, self.patch_size)
        b, n, _ = patches.shape
        places = self.positions(n + 1)
        first = (self.cls + places[0])[None, None].expand(b, 1, -1)
        rest = self.projection(patches) + places[1:]
        return self.head(self.encoder(torch.cat([first, rest], dim=-2)))[:, 0]


class ImageByImage(VisionTransformer):
    def forward(self, images):
        rows = []
        for image in images:
            words = [self.cls, *self.projection(split_into_patches(image[None], self.patch_size)[0])]
            sequence = torch.stack(words) + self.positions(len(words))
            rows.append(self.head(self.encoder(sequence[None])[0, 0]))
        return torch.stack(rows)


class WithConvolution(VisionTransformer):
    def forward(self, images):
        p = self.patch_size
        kernel = self.projection.weight.view(-1, images.size(1), p, p)
        patches = torch.nn.functional.conv2d(images, kernel, self.projection.bias, stride=p)
        x = torch.cat([self.cls.view(1, 1, -1).expand(len(images), -1, -1), patches.flatten(2).mT], dim=1)
        return self.head(self.encoder(x + self.positions(x.size(1)))[:, 0])


class stub(VisionTransformer):
    def forward(self, images):
        raise NotImplementedError


class Zeros(VisionTransformer):
    def forward(self, images):
        return torch.zeros(len(images), self.head.out_features)


class Itself(VisionTransformer):
    def forward(self, images):
        return images


class Noise(VisionTransformer):
    def forward(self, images):
        return torch.randn(len(images), self.head.out_features)


VISION_TRANSFORMER = define(
    id="vision_transformer",
    lesson="13_families",
    place=6,
    module="course_lib.components.vision_transformer",
    symbol="VisionTransformer",
    minutes=15,
    laws=LAWS,
    hints=(
        "Follow the shapes: images (B, C_in, H, W), patches (B, N, C_in P²), vectors (B, N, D), with `cls` (B, 1 + N, D). Which part of the constructor makes which step?",
        "`self.cls` has the shape (D). `expand` makes one for each image, (B, 1, D), and `torch.cat` puts it in front of the patches.",
        f"`{PROJECTED}`, `{EXPANDED}`, `{JOINED}`, `{ENCODED}`, `{READ}`.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(WithRepeat, IntoAnEmptyTensor, ImageByImage, WithConvolution),
    lazy=(stub, Zeros, Itself, Noise),
    write=("forward",),
    builds_on=("split_into_patches", "learned_positions", "encoder"),
    switches=("positions", "sequence", "read"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


@VISION_TRANSFORMER.second_version("positions_left_out")
class ABagOfPatches(VisionTransformer):
    def forward(self, images):
        x = self.projection(split_into_patches(images, self.patch_size))
        return self.head(self.encoder(torch.cat([self.cls.expand(len(x), 1, -1), x], 1))[:, 0])


@VISION_TRANSFORMER.second_version("mean_of_all")
class MeanPooled(VisionTransformer):
    def forward(self, images):
        x = self.projection(split_into_patches(images, self.patch_size))
        x = torch.cat([self.cls.expand(len(x), 1, -1), x], 1)
        x = self.encoder(x + self.positions(x.size(1)))
        return self.head(x.sum(1) / x.size(1))


@VISION_TRANSFORMER.second_version("cls_left_out")
class NoClass(VisionTransformer):
    def forward(self, images):
        x = self.projection(split_into_patches(images, self.patch_size))
        x = x + self.positions(x.size(1))
        return self.head(self.encoder(x)[:, 0])


@VISION_TRANSFORMER.second_version("every_position_scored")
class AllScores(VisionTransformer):
    def forward(self, images):
        x = self.projection(split_into_patches(images, self.patch_size))
        x = torch.cat([self.cls.expand(len(x), 1, -1), x], 1)
        return self.head(self.encoder(x + self.positions(x.size(1))))
