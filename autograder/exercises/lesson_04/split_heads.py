"""Exercise `split_heads`: the lesson's first."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from autograder.exercises.definition import define, mistake
from autograder.exercises.draw import Draw
from autograder.exercises.lesson_04.sizes import FEW_HEADS, MORE_HEADS, lengths
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, inputs_unchanged, refuses


def _question(name: str, x: Tensor, num_heads: int, upstream: Tensor | None = None) -> Question:
    asked = {"arguments": {"x": x, "num_heads": num_heads}, "returns": ["heads"]}
    return Question(name, probes.call, asked if upstream is None else {**asked, "upstream": {"heads": upstream}})


def ask(draw: Draw) -> Iterator[Question]:
    """Numbers that say where they come from, few heads and more, one head, a width that cannot be split; and a cube."""
    # tens count the tokens, units the features; the decimals are each token's own
    places = torch.tensor([[10.0], [20.0], [30.0]]) + torch.arange(4.0) + draw.tensor(3, 1, scale=0.3).round(decimals=1)
    yield _question("by_hand", places[None].double(), 2)
    h, width = draw.shuffled(FEW_HEADS)[0]
    b, t = lengths(draw, 2, h, width)
    yield _question("plain", draw.tensor(b, t, h * width), h)
    yield _question("one_head", draw.tensor(t, b, width), 1)
    yield _question("gradients", draw.tensor(b, t, h * width), h, upstream=draw.tensor(b, h, t, width))
    h, width = draw.shuffled(MORE_HEADS)[0]
    b, t = lengths(draw, 2, h, width)
    yield _question("more_heads", draw.tensor(b, t, h * width), h)
    yield Question("refused", probes.refuse, {"arguments": {"x": draw.tensor(b, t, h * width + 1), "num_heads": h}})
    yield _question("cube", draw.tensor(2, 2, 4), 2)


LAWS = (
    Law("equals_by_hand", equals_reference, "by_hand", "three tokens of four features come out right in two heads", 0.5,
        {"fields": ["heads"]}),
    Law("equals_plain", equals_reference, "plain", "a batch of longer sentences comes out right", 0.5,
        {"fields": ["heads"]}, also=("cube",)),
    Law("more_heads", equals_reference, "more_heads", "more heads come out right", 0.4, {"fields": ["heads"]}),
    Law("one_head", equals_reference, "one_head", "one head is all features, with an axis of its own", 0.15,
        {"fields": ["heads"]}),
    Law("refuses", refuses, "refused", "a width that the heads cannot share equally raises a `ValueError`", 0.2,
        needs="equals_plain"),
    Law("gradients", equals_reference, "gradients", "the gradient of `x` is right", 0.15, {"fields": ["gradients/x"]}),
    Law("inputs_unchanged", inputs_unchanged, "plain", "your input is left as it was", 0.1, needs="equals_plain"),
)  # fmt: skip

CHECK = """    if d_model % num_heads != 0:
        raise ValueError(f"{d_model} features cannot be split into {num_heads} heads of equal width")
"""
VIEW = "x.view(batch, length, num_heads, d_model // num_heads)"
RETURN = "return heads.transpose(1, 2)"


MISTAKES = (
    mistake(
        "view_without_transpose",
        "You view `x` as (B, H, T, Dh) at once. The shape is right, but a view only cuts the row of numbers in memory anew: "
        "head 0 gets all features of the first few tokens, mixed up.",
        (
            "In the smallest example the tens count tokens. Which tokens are in your head 0?",
            "A view never moves a number, it only cuts. Which one axis of `x` has to be cut in two, so that each token keeps its own numbers?",
            "Cut the last axis first, `x.view(B, T, H, Dh)`, then bring the heads forward: `.transpose(1, 2)`.",
        ),
        (VIEW, "x.view(batch, num_heads, length, d_model // num_heads)"),
        (RETURN, "return heads"),
        group="order",
    ),
    mistake(
        "not_transposed",
        "Your heads hold the right features, but they stand behind the tokens: (B, T, H, Dh). "
        "Attention works on the last two axes, so the heads of one token would attend to each other.",
        (
            "Which shape does your function return, and which does the docstring ask for?",
            "In (B, H, T, Dh) a head is like one more sentence of the batch. Which two axes must change places for that?",
            "After the view: `.transpose(1, 2)`.",
        ),
        (RETURN, "return heads"),
        group="order",
    ),
    mistake(
        "interleaved",
        "You deal the features out like cards: head 0 gets features 0, H, 2H and so on. Here a head takes neighbouring features, "
        "and `nn.MultiheadAttention` agrees: with its weights, yours would be another function.",
        (
            "In the smallest example the units count features. Which features are in your head 0?",
            "Cut the last axis in two: which part comes first, the head or the position within it?",
            "`x.view(B, T, H, Dh)`, heads before widths, then `.transpose(1, 2)`.",
        ),
        (VIEW, "x.view(batch, length, d_model // num_heads, num_heads)"),
        (RETURN, "return heads.permute(0, 3, 1, 2)"),
        group="order",
    ),
    mistake(
        "heads_and_width_swapped",
        "You make Dh heads of width H, where H heads of width Dh are asked for.",
        (
            "How many heads do you return, and how many are asked for?",
            "Look at the two numbers into which you cut the last axis, and at their order.",
            "`x.view(B, T, num_heads, D // num_heads)`.",
        ),
        (VIEW, "x.view(batch, length, d_model // num_heads, num_heads)"),
        group="order",
    ),
    mistake(
        "heads_first",
        "Your heads stand in front of the batch: (H, B, T, Dh). A padding mask (B, 1, 1, S) would then meet heads where it means sentences.",
        (
            "Which shape does your function return, and which does the docstring ask for?",
            "Stacking the parts of `chunk` or `split` puts a new axis in front. Where should it be?",
            "`x.view(B, T, H, Dh).transpose(1, 2)`; or, of a list of heads, `torch.stack(heads, dim=1)`.",
        ),
        (RETURN, "return heads.permute(2, 0, 1, 3)"),
        group="order",
    ),
    mistake(
        "heads_last",
        "Your heads stand at the end: (B, T, Dh, H). The last axis should be the width of one head.",
        (
            "Which shape does your function return, and which does the docstring ask for?",
            "After the view you have (B, T, H, Dh). Which two axes do you swap, and which two should you?",
            "`.transpose(1, 2)`: tokens and heads.",
        ),
        (RETURN, "return heads.transpose(2, 3)"),
        group="order",
    ),
    mistake(
        "width_before_tokens",
        "You return (B, H, Dh, T): within a head, features and tokens have changed places.",
        (
            "Which shape does your function return, and which does the docstring ask for?",
            "After the view you have (B, T, H, Dh). Only one pair of axes has to be swapped. Which?",
            "`.transpose(1, 2)`, and nothing else.",
        ),
        (RETURN, "return heads.permute(0, 2, 3, 1)"),
        group="order",
    ),
    mistake(
        "axes_1_and_3_transposed",
        "You swap the tokens with the features of a head, and return (B, Dh, H, T).",
        (
            "Which shape does your function return, and which does the docstring ask for?",
            "Count the axes of (B, T, H, Dh) from 0. Which two are tokens and heads?",
            "`.transpose(1, 2)`.",
        ),
        (RETURN, "return heads.transpose(1, 3)"),
        group="order",
    ),
    mistake(
        "heads_folded_into_the_batch",
        "You fold the heads into the batch: (B · H, T, Dh). Some libraries do that, too; here, batch and heads are two axes.",
        (
            "How many axes does your result have?",
            "Up to (B, H, T, Dh), everything is right. What do you do after that?",
            "Return the four axes as they are after `.transpose(1, 2)`.",
        ),
        (RETURN, "return heads.transpose(1, 2).flatten(0, 1)"),
        group="order",
    ),
    mistake(
        "split_along_the_tokens",
        "You cut the sentence into H pieces, and not the features: each head sees only some of the tokens.",
        (
            "How many tokens does one of your heads hold? How many are in `x`?",
            "Which axis of (B, T, D) do the heads share among themselves?",
            "Cut the last axis: `x.view(B, T, H, D // H)`, then `.transpose(1, 2)`.",
        ),
        (VIEW, "x.view(batch, num_heads, length // num_heads, d_model)"),
        (RETURN, "return heads"),
        group="order",
    ),
    mistake(
        "every_head_gets_all_features",
        "Each of your heads gets all D features. A head is only D // H wide, which is why many heads cost about as much as one.",
        (
            "How wide is one of your heads?",
            "You make H heads, but nothing cuts the features into shares.",
            "`x.view(B, T, H, D // H).transpose(1, 2)`.",
        ),
        (VIEW, "x.unsqueeze(2).expand(batch, length, num_heads, d_model)"),
        group="share",
    ),
    mistake(
        "tuple_of_heads",
        "You return the heads one by one. In one tensor with an axis for the heads, a single product can work on all of them at once.",
        (
            "What is `type(split_heads(x, 2))`?",
            "Your parts are the right ones. How do they become one tensor, with a new axis behind the batch?",
            "`torch.stack(heads, dim=1)`, or `x.view(B, T, H, Dh).transpose(1, 2)`.",
        ),
        (RETURN, "return heads.unbind(2)"),
        group="order",
    ),
    mistake(
        "refused_by_accident",
        "Where H does not divide D, something in your function raises an error of its own that says nothing about heads. The docstring asks for a `ValueError`.",
        (
            "Call your function with 7 features and 2 heads. What does the message tell someone who has never read your code?",
            "Ask before you cut: for which D and H can each head get as many features as any other?",
            "`if D % num_heads != 0: raise ValueError(...)`, with both numbers in the message.",
        ),
        (CHECK, ""),
        group="refusal",
    ),
    mistake(
        "refused_by_assert",
        "Where H does not divide D you stop with an `assert`. That raises an `AssertionError`, which is meant for what can't happen, and `python -O` leaves it out; "
        "a wrong argument is a `ValueError`.",
        (
            "What is the type of the error that you raise?",
            "`assert` always raises the same type. Which statement lets you choose one?",
            '`raise ValueError(f"...")` under an `if`.',
        ),
        (CHECK, "    assert d_model % num_heads == 0\n"),
        group="refusal",
    ),
    mistake(
        "remainder_dropped",
        "Where H does not divide D, you silently leave out the remaining features: some of what the projection has learned is thrown away.",
        (
            "Split 7 features into 2 heads. How many numbers come out?",
            "What does `//` do with a remainder? And how would your caller find out?",
            "`if D % num_heads != 0: raise ValueError(...)` before you cut anything.",
        ),
        (CHECK, "    d_model -= d_model % num_heads\n    x = x[..., :d_model]\n"),
        (VIEW, "x.reshape(batch, length, num_heads, d_model // num_heads)"),
        group="refusal",
    ),
    mistake(
        "detached",
        "Your numbers are right, but your result is cut out of the graph: no gradient reaches the projection in front of it, which would never learn.",
        (
            "Call your function with `x.requires_grad_()` and look at `requires_grad` of the result.",
            "Do you use `detach`, `.data`, `torch.no_grad`, `torch.tensor(...)` or NumPy on the way?",
            "`view` and `transpose` on `x` itself are all you need.",
        ),
        (RETURN, "return heads.transpose(1, 2).detach()"),
        group="graph",
    ),
    mistake(
        "heads_read_as_sentences",
        "You lay the heads one after the other along the batch axis, which gives (H · B, …), and then view that axis as (B, H). The first H pieces become the heads of the first sentence, and they come from several sentences: with a single sentence it is right, with more they are mixed.",
        (
            "Split a batch of two sentences, then the first of them alone. Do you get the same heads for it?",
            "In what you concatenate, which varies faster along the first axis: the sentence or the head? And in (B, H)?",
            "`torch.stack(heads, dim=1)` in place of `torch.cat` and the view; or `x.view(B, T, H, Dh).transpose(1, 2)`.",
        ),
        (RETURN, "return torch.cat(heads.unbind(2)).view(batch, num_heads, length, -1)"),
        group="order",
    ),
)


def one_line(x, num_heads):
    B, T, D = x.shape
    if D % num_heads:
        raise ValueError(f"{num_heads} heads do not divide {D}")
    return x.reshape(B, T, num_heads, D // num_heads).permute(0, 2, 1, 3)


def chunked_and_stacked(x, num_heads):
    width, rest = divmod(x.size(-1), num_heads)
    if rest != 0:
        raise ValueError(f"D = {x.size(-1)} is no multiple of H = {num_heads}")
    return torch.stack(x.split(width, dim=-1), dim=1)


def by_slices(x, num_heads):
    d_model = x.shape[2]
    if num_heads * (d_model // num_heads) != d_model:
        raise ValueError("d_model must be divisible by num_heads")
    d_head = d_model // num_heads
    heads = x.new_zeros(x.shape[0], num_heads, x.shape[1], d_head)
    for h in range(num_heads):
        heads[:, h] = x[:, :, h * d_head : (h + 1) * d_head]
    return heads


def unflattened(x, num_heads):
    if x.shape[-1] % num_heads:
        raise ValueError(f"cannot share {x.shape[-1]} features among {num_heads} heads")
    return x.unflatten(-1, (num_heads, -1)).movedim(2, 1).contiguous()


def by_picking(x, num_heads):
    if x.shape[-1] % num_heads:
        raise ValueError(f"{x.shape[-1]} % {num_heads} is not 0")
    picks = torch.eye(x.shape[-1], dtype=x.dtype).chunk(num_heads, dim=-1)  # H of (D, Dh)
    return torch.einsum("btd,hde->bhte", x, torch.stack(picks))


def stub(x, num_heads):
    raise NotImplementedError


def zeros(x, num_heads):
    return x.new_zeros(x.size(0), num_heads, x.size(1), x.size(2) // num_heads)


def the_input_itself(x, num_heads):
    return x


def an_axis_of_one(x, num_heads):
    return x.unsqueeze(1)


def noise(x, num_heads):
    return torch.randn(x.size(0), num_heads, x.size(1), x.size(2) // num_heads, dtype=x.dtype)


def first_features_everywhere(x, num_heads):
    return x[:, None, :, : x.size(2) // num_heads].repeat(1, num_heads, 1, 1)


SPLIT_HEADS = define(
    id="split_heads",
    lesson="04_multi_head_attention",
    place=0,
    module="course_lib.components.split_heads",
    symbol="split_heads",
    minutes=5,
    laws=LAWS,
    hints=(
        "Two steps: cut the last axis in two, then move the heads forward. Print the shape after each.",
        "Follow one number of the smallest example: token 2, feature 3. In which head should it be, in which row and in which column?",
        "Raise the `ValueError` if `D % num_heads != 0`; then `x.view(B, T, num_heads, D // num_heads).transpose(1, 2)`.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(one_line, chunked_and_stacked, by_slices, unflattened, by_picking),
    lazy=(stub, zeros, the_input_itself, an_axis_of_one, noise, first_features_everywhere),
    switches=("order", "refusal"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


@SPLIT_HEADS.second_version("view_without_transpose")
def reshaped_at_once(x, num_heads):
    batch, length, d_model = x.shape
    if d_model % num_heads:
        raise ValueError(f"{d_model} is no multiple of {num_heads}")
    return torch.reshape(x, (batch, num_heads, length, d_model // num_heads))


@SPLIT_HEADS.second_version("heads_first")
def stack_of_chunks(x, num_heads):
    if x.size(-1) % num_heads != 0:
        raise ValueError("d_model must be divisible by num_heads")
    return torch.stack(x.chunk(num_heads, dim=-1))


@SPLIT_HEADS.second_version("interleaved")
def every_other_feature(x, num_heads):
    if x.size(-1) % num_heads != 0:
        raise ValueError("d_model must be divisible by num_heads")
    return torch.stack([x[..., h::num_heads] for h in range(num_heads)], dim=1)


@SPLIT_HEADS.second_version("not_transposed + refused_by_accident")
def unflattened_and_left(x, num_heads):
    return x.unflatten(-1, (num_heads, x.size(-1) // num_heads))


@SPLIT_HEADS.second_version("heads_read_as_sentences")
def heads_below_each_other(x, num_heads):
    if x.size(-1) % num_heads:
        raise ValueError("the heads cannot share the width")
    below = x.unflatten(-1, (num_heads, -1)).permute(2, 0, 1, 3)
    return below.reshape(x.size(0), num_heads, *below.shape[2:])
