"""Exercise `split_into_patches`: turn an image into a sequence."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from autograder.exercises.definition import Outline
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Call, Calls, Question, Refusal, calling
from course_lib.checking.rules import equals_reference, inputs_unchanged, refuses

RETURNS = ["patches"]


_question = calling("images", "size", returns=RETURNS)


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about a small image, batches, channels, wide and high images, all patch sizes, and sizes that don't fit."""
    paper = torch.arange(16.0).reshape(1, 1, 4, 4) + 10 * float(sampler.shuffled(range(1, 5))[0])
    yield _question("by_hand", paper, 2)
    b, c = sampler.shuffled((2, 3))
    yield _question("one_image", sampler.tensor(1, 1, 6, 6), 3)
    yield _question("one_channel", sampler.tensor(b, 1, 8, 8), 4)
    yield _question("plain", sampler.tensor(b, c, 6, 6), 2)
    yield _question("wide", sampler.tensor(b, c, 4, 12), sampler.shuffled([2, 4])[0])
    yield _question("high", sampler.tensor(c, b, 15, 6), 3)
    calls = [{"images": sampler.tensor(2, 3, 5, 5), "size": 5}, {"images": sampler.tensor(3, 2, 4, 5), "size": 1}]
    yield Calls("extremes", calls, returns=RETURNS)
    view = sampler.tensor(b, 8, 6, c).permute(0, 3, 1, 2)
    yield _question("a_view", view, 2)
    images = sampler.tensor(b, c, 4, 6)
    upstream = {"patches": sampler.tensor(b, 6, 4 * c)}
    yield Call("gradients", {"images": images, "size": 2}, returns=RETURNS, upstream=upstream)
    for name, height, width in (("too_wide", 4, 7), ("too_high", 7, 4)):
        yield Refusal(name, {"images": sampler.tensor(2, 2, height, width), "size": 2})


PATCHES = {"fields": ["patches"]}


CALLS = ["calls/0/patches", "calls/1/patches"]


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "sixteen pixels on paper come out right", 0.25, PATCHES),
    Check("plain", equals_reference, "plain", "batches come out right, of grey images and of several channels", 0.5, PATCHES, also=("one_channel", "one_image", "a_view")),
    Check("wide", equals_reference, "wide", "images that are wider than high, or higher than wide, come out right", 0.25, PATCHES, also=("high",)),
    Check("extremes", equals_reference, "extremes", "a patch as large as the image, and patches of one pixel, come out right", 0.25, {"fields": CALLS}),
    Check("gradients", equals_reference, "gradients", "the gradients of the pixels are right", 0.25, {"fields": ["gradients"]}),
    Check("refuses_what_does_not_fit", refuses, "too_wide", "an image whose height or width isn't a multiple of `size` raises a `ValueError`", 0.25, also=("too_high",), needs="equals_by_hand"),
    Check("inputs_unchanged", inputs_unchanged, "plain", "the images are left as they were", 0.25, needs="plain"),
)  # fmt: skip


EXERCISE = Outline(
    minutes=15,
    checks=CHECKS,
    hints=(
        "Write the numbers 0 to 15 into a 4 × 4 square, and cut it into four patches. Which numbers are in the first one, and which in the second?",
        "Cut both axes in two: (B, C, H/P, P, W/P, P). Then bring the axes into the order in which they should be read: the patch's row, its column, the channel, the row and the column within.",
        "`reshape`, `permute(0, 2, 4, 1, 3, 5)`, `reshape`.",
    ),
    ask=ask,
)
