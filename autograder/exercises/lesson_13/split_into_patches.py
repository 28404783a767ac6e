"""Exercise `split_into_patches`: an image as a sentence."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor
from torch.nn import functional as F

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, inputs_unchanged, refuses
from course_lib.checking.recognisers.any_lesson import another_error_is_raised

RETURNS = ["patches"]


def _question(name: str, images: Tensor, size: int) -> Question:
    return Question(name, probes.call, {"arguments": {"images": images, "size": size}, "returns": RETURNS})


def ask(draw: Draw) -> Iterator[Question]:
    """A small image on paper, a batch, several channels, wide and high images, one patch, patches of one pixel, sizes that do not fit."""
    paper = torch.arange(16.0).reshape(1, 1, 4, 4) + 10 * float(draw.shuffled(range(1, 5))[0])
    yield _question("by_hand", paper, 2)
    b, c = draw.shuffled((2, 3))
    yield _question("one_image", draw.tensor(1, 1, 6, 6), 3)
    yield _question("one_channel", draw.tensor(b, 1, 8, 8), 4)
    yield _question("plain", draw.tensor(b, c, 6, 6), 2)
    yield _question("wide", draw.tensor(b, c, 4, 12), draw.shuffled([2, 4])[0])
    yield _question("high", draw.tensor(c, b, 15, 6), 3)
    calls = [{"images": draw.tensor(2, 3, 5, 5), "size": 5}, {"images": draw.tensor(3, 2, 4, 5), "size": 1}]
    yield Question("extremes", probes.call_each, {"calls": calls, "returns": RETURNS})
    view = draw.tensor(b, 8, 6, c).permute(0, 3, 1, 2)
    yield _question("a_view", view, 2)
    images = draw.tensor(b, c, 4, 6)
    upstream = {"patches": draw.tensor(b, 6, 4 * c)}
    given = {"arguments": {"images": images, "size": 2}, "returns": RETURNS, "upstream": upstream}
    yield Question("gradients", probes.call, given)
    for name, height, width in (("too_wide", 4, 7), ("too_high", 7, 4)):
        yield Question(name, probes.refuse, {"arguments": {"images": draw.tensor(2, 2, height, width), "size": 2}})


PATCHES = {"fields": ["patches"]}
CALLS = ["calls/0/patches", "calls/1/patches"]

LAWS = (
    Law("equals_by_hand", equals_reference, "by_hand", "sixteen pixels on paper come out right", 0.25, PATCHES),
    Law("plain", equals_reference, "plain", "batches come out right, of grey images and of several channels", 0.5, PATCHES, also=("one_channel", "one_image", "a_view")),
    Law("wide", equals_reference, "wide", "so do images that are wider than high, and the other way round", 0.25, PATCHES, also=("high",)),
    Law("extremes", equals_reference, "extremes", "so do a patch as large as the image, and patches of one pixel", 0.25, {"fields": CALLS}),
    Law("gradients", equals_reference, "gradients", "gradients reach the pixels", 0.25, {"fields": ["gradients"]}),
    Law("refuses_what_does_not_fit", refuses, "too_wide", "an image that patches don't fill is refused with an error", 0.25, also=("too_high",), needs="equals_by_hand"),
    Law("inputs_unchanged", inputs_unchanged, "plain", "the images are left as they were", 0.25, needs="plain"),
)  # fmt: skip

CHECK = "if height % size or width % size:"
CUT = "images.reshape(batch, channels, height // size, size, width // size, size)"
ORDER = "patches = patches.permute(0, 2, 4, 1, 3, 5)"
RETURN = "return patches.reshape(batch, -1, channels * size * size)"

MISTAKES = (
    mistake(
        "reshaped_without_permuting",
        "You reshape the image straight into patches. `reshape` keeps the numbers in the order in which they lie in memory, so each of your “patches” is a strip of whole rows.",
        (
            "On paper, with 4 × 4 pixels and patches of 2 × 2: which four pixels are in the first patch? And in yours?",
            "Which axes have to lie next to each other before the last `reshape`?",
            "`reshape` to (B, C, H/P, P, W/P, P), `permute(0, 2, 4, 1, 3, 5)`, `reshape`.",
        ),
        (ORDER, "pass"),
        group="order",
    ),
    mistake(
        "columns_first",
        "Your patches come column by column: from top to bottom, then the next column. They should come in reading order.",
        (
            "Which patch comes second: the one to the right of the first, or the one below?",
            "In which order do H/P and W/P stand before your last `reshape`?",
            "`permute(0, 2, 4, 1, 3, 5)`: rows of patches first.",
        ),
        (ORDER, "patches = patches.permute(0, 4, 2, 1, 3, 5)"),
        group="order",
    ),
    mistake(
        "transposed_patches",
        "Within a patch, your pixels come column by column.",
        (
            "On paper: which number comes second in the first patch?",
            "In which order do the two axes of length P stand before your last `reshape`?",
            "`permute(0, 2, 4, 1, 3, 5)`: the row within the patch comes before the column.",
        ),
        (ORDER, "patches = patches.permute(0, 2, 4, 1, 5, 3)"),
        group="order",
    ),
    mistake(
        "channels_last",
        "In each patch, the channels of a pixel lie side by side. First all numbers of channel 0 should come, then those of channel 1.",
        (
            "Does your result differ from ours for images of one channel?",
            "Where does the axis of the channels stand before your last `reshape`?",
            "`permute(0, 2, 4, 1, 3, 5)`: the channel comes before the pixels.",
        ),
        (ORDER, "patches = patches.permute(0, 2, 4, 3, 5, 1)"),
        group="order",
    ),
    mistake(
        "channels_as_patches",
        "Each channel gets patches of its own: you return C times as many patches, each with the numbers of one channel.",
        (
            "How many patches has an image of 6 × 6 pixels, if P = 2? How many do you return?",
            "A patch holds all channels of its pixels.",
            "(B, N, C P²).",
        ),
        (ORDER, "patches = patches.permute(0, 1, 2, 4, 3, 5)"),
        (RETURN, "return patches.reshape(batch, -1, size * size)"),
        group=ALONE,
    ),
    mistake(
        "patches_and_numbers_exchanged",
        "Your last two axes are the wrong way round: (B, C P², N). A patch should be a row.",
        (
            "What does the linear layer that comes next expect in the last axis?",
            "`F.unfold` returns patches as columns. What is missing?",
            "Transpose the last two axes.",
        ),
        (RETURN, "return patches.reshape(batch, -1, channels * size * size).transpose(1, 2)"),
        group="result",
    ),
    mistake(
        "grid_kept",
        "You return the patches as a grid, (B, H/P, W/P, C P²). An encoder reads sequences.",
        (
            "How many axes has your result, and how many has a batch of embedded sentences?",
            "What is N?",
            "Merge the two axes of the grid.",
        ),
        (RETURN, "return patches.reshape(batch, height // size, width // size, -1)"),
        group="result",
    ),
    mistake(
        "patches_by_number",
        "You cut the image into `size` × `size` patches. `size` is the height and width of *one* patch, in pixels.",
        (
            "How many patches has an image of 8 × 8 pixels, if P = 4?",
            "How large is each of yours?",
            "H/P · W/P patches of P × P pixels.",
        ),
        (CUT, "images.reshape(batch, channels, size, height // size, size, width // size)"),
        (RETURN, "return patches.reshape(batch, size * size, -1)"),
        group=ALONE,
    ),
    mistake(
        "rest_cut_off",
        "Where patches don't fill the image, you cut off what is left over, without a word.",
        (
            "What happens to the last column of an image that is 7 wide, if P = 2?",
            "The exercise says which error to raise.",
            "`if height % size or width % size: raise ValueError(…)`.",
        ),
        (CHECK, "images = images[:, :, : height // size * size, : width // size * size]\n    height, width = images.shape[2:]\n    if False:"),
        group="check",
    ),
    mistake(
        "one_side_checked",
        "You refuse images whose height doesn't fit, and don't look at the width.",
        (
            "What happens to an image that is 4 high and 7 wide, if P = 2?",
            "Which two numbers must be multiples of P?",
            "`if height % size or width % size`.",
        ),
        (CHECK, "images = images[..., : width // size * size]\n    width = images.size(-1)\n    if height % size:"),
        group="check",
    ),
    mistake(
        "first_image_only",
        "You cut the first image of the batch, and return it for all.",
        (
            "Exchange two images of a batch. Does your result change?",
            "Is there an `images[0]`?",
            "Keep the axis of the batch in front, and leave it alone.",
        ),
        (CUT, "images[:1].expand_as(images).reshape(batch, channels, height // size, size, width // size, size)"),
        group="order",
    ),
    mistake(
        "graph_cut",
        "Your numbers are right, but no gradient reaches the pixels.",
        (
            "Do you use NumPy, `.data`, `detach` or `torch.tensor(…)` on the way?",
            "Which of your lines makes a tensor without a history?",
            "`reshape` and `permute` keep the graph; so do `torch.stack` and slices.",
        ),
        (CUT, "images.detach().reshape(batch, channels, height // size, size, width // size, size)"),
        group="graph",
    ),
    mistake(
        "pixels_from_far_apart",
        "You cut each side into P parts of H/P pixels, where it should be H/P parts of P pixels. Your patches then hold pixels from all over the image.",
        (
            "On paper: which four pixels are in your first patch? Are they neighbours?",
            "You `reshape` a side of H pixels into two axes. Which of the two comes first: which patch it is, or which row within?",
            "`(B, C, H/P, P, W/P, P)`.",
        ),
        (CUT, "images.reshape(batch, channels, size, height // size, size, width // size)"),
        (ORDER, "patches = patches.permute(0, 3, 5, 1, 2, 4)"),
        group=ALONE,
    ),
    mistake(
        "another_error",
        "You refuse what you should, but not with a `ValueError`: the error is an `assert`'s, or it comes from a line that happens to fail.",
        (
            "Which error does the docstring name?",
            "Is the error raised by a line of yours, and of the type that a caller can expect?",
            "`if height % size or width % size: raise ValueError(…)`.",
        ),
        (CHECK, "assert height % size == 0 and width % size == 0\n    if False:"),
        recogniser=another_error_is_raised,
        group=ALONE,
    ),
)  # fmt: skip


def by_unfold(images, size):
    if images.shape[-2] % size or images.shape[-1] % size:
        raise ValueError("does not fit")
    return F.unfold(images, kernel_size=size, stride=size).transpose(1, 2)


def by_slices(images, size):
    b, c, h, w = images.shape
    if h % size != 0 or w % size != 0:
        raise ValueError("does not fit")
    rows = []
    for top in range(0, h, size):
        for left in range(0, w, size):
            rows.append(images[:, :, top : top + size, left : left + size].reshape(b, c * size * size))
    return torch.stack(rows, dim=1)


def by_tensor_unfold(images, size):
    if images.size(2) % size > 0 or images.size(3) % size > 0:
        raise ValueError
    windows = images.unfold(2, size, size).unfold(3, size, size)
    return windows.permute(0, 2, 3, 1, 4, 5).flatten(1, 2).flatten(2)


def by_splitting(images, size):
    if images.shape[2] % size or images.shape[3] % size:
        raise ValueError("no")
    return torch.stack([p.flatten(1) for row in images.split(size, 2) for p in row.split(size, 3)], 1)


def stub(images, size):
    raise NotImplementedError


def itself(images, size):
    return images


def zeros(images, size):
    b, c, h, w = images.shape
    return images.new_zeros(b, h // size * (w // size), c * size * size)


def noise(images, size):
    b, c, h, w = images.shape
    return torch.randn(b, h // size * (w // size), c * size * size)


SPLIT_INTO_PATCHES = define(
    id="split_into_patches",
    lesson="13_families",
    place=5,
    module="course_lib.components.split_into_patches",
    symbol="split_into_patches",
    minutes=15,
    laws=LAWS,
    hints=(
        "Write the numbers 0 to 15 into a 4 × 4 square, and cut it into four patches. Which numbers are in the first one, and which in the second?",
        "Cut both axes in two: (B, C, H/P, P, W/P, P). Then bring the axes into the order in which they should be read: the patch's row, its column, the channel, the row and the column within.",
        "`reshape`, `permute(0, 2, 4, 1, 3, 5)`, `reshape`.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(by_unfold, by_slices, by_tensor_unfold, by_splitting),
    lazy=(stub, itself, zeros, noise),
    switches=("order", "result"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


@SPLIT_INTO_PATCHES.second_version("reshaped_without_permuting")
def straight(images, size):
    b, c, h, w = images.shape
    if h % size or w % size:
        raise ValueError
    return images.reshape(b, c, h // size, size, w // size, size).flatten(1).reshape(b, (h // size) * (w // size), -1)


@SPLIT_INTO_PATCHES.second_version("columns_first")
def down_then_right(images, size):
    if images.shape[2] % size or images.shape[3] % size:
        raise ValueError
    return torch.stack([p.flatten(1) for column in images.split(size, 3) for p in column.split(size, 2)], 1)


@SPLIT_INTO_PATCHES.second_version("channels_last")
def pixel_by_pixel(images, size):
    if images.shape[2] % size or images.shape[3] % size:
        raise ValueError
    moved = images.movedim(1, 3)
    return torch.stack([p.flatten(1) for row in moved.split(size, 1) for p in row.split(size, 2)], 1)


@SPLIT_INTO_PATCHES.second_version("patches_and_numbers_exchanged")
def unfolded(images, size):
    if images.shape[2] % size or images.shape[3] % size:
        raise ValueError
    return F.unfold(images, size, stride=size)
