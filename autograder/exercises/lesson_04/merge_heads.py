"""Exercise `merge_heads`: the way back."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from autograder.exercises.definition import define, mistake
from autograder.exercises.draw import Draw
from autograder.exercises.lesson_04.sizes import FEW_HEADS, MORE_HEADS, lengths
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, inputs_unchanged
from course_lib.checking.recognisers.lesson_04 import view_of_what_is_not_contiguous


def _question(name: str, x: Tensor, upstream: Tensor | None = None) -> Question:
    asked = {"arguments": {"x": x}, "returns": ["merged"]}
    return Question(name, probes.call, asked if upstream is None else {**asked, "upstream": {"merged": upstream}})


def ask(draw: Draw) -> Iterator[Question]:
    """Numbers that say where they come from, few heads and more, one head; and a cube, to name what crashes."""
    # hundreds count the heads, tens the tokens, units the features of a head; the decimals are each token's own
    places = torch.tensor([100.0, 200.0])[:, None, None] + torch.tensor([[10.0], [20.0], [30.0]]) + torch.arange(2.0)
    yield _question("by_hand", (places + draw.tensor(3, 1, scale=0.3).round(decimals=1))[None].double())
    h, width = draw.shuffled(FEW_HEADS)[0]
    b, t = lengths(draw, 2, h, width)
    yield _question("plain", draw.tensor(b, h, t, width))
    yield _question("one_head", draw.tensor(t, 1, b, width))
    yield _question("gradients", draw.tensor(b, h, t, width), upstream=draw.tensor(b, t, h * width))
    h, width = draw.shuffled(MORE_HEADS)[0]
    b, t = lengths(draw, 2, h, width)
    yield _question("more_heads", draw.tensor(b, h, t, width))
    yield _question("cube", draw.tensor(2, 2, 2, 2))


LAWS = (
    Law("equals_by_hand", equals_reference, "by_hand", "three tokens in two heads come out right", 0.5,
        {"fields": ["merged"]}),
    Law("equals_plain", equals_reference, "plain", "a batch of longer sentences comes out right", 0.5,
        {"fields": ["merged"]}, also=("cube",)),
    Law("more_heads", equals_reference, "more_heads", "more heads come out right", 0.4, {"fields": ["merged"]}),
    Law("one_head", equals_reference, "one_head", "one head loses its axis, and nothing else", 0.15,
        {"fields": ["merged"]}),
    Law("gradients", equals_reference, "gradients", "the gradient of `x` is right", 0.25, {"fields": ["gradients/x"]}),
    Law("inputs_unchanged", inputs_unchanged, "plain", "your input is left as it was", 0.2, needs="equals_plain"),
)  # fmt: skip

TRANSPOSE = "tokens = x.transpose(1, 2)"
MERGE = "tokens.contiguous().view(batch, length, num_heads * d_head)"
RETURN = f"return {MERGE}"

MISTAKES = (
    mistake(
        "not_transposed",
        "You view (B, H, T, Dh) as (B, T, D) without moving the heads back behind the tokens. The shape is right, "
        "but your token 0 holds head 0 of several tokens.",
        (
            "In the smallest example the tens count tokens. Which tokens are in your first row?",
            "A view never moves a number. Which two axes must change places before heads and widths lie side by side?",
            "First `x.transpose(1, 2)`, which gives (B, T, H, Dh); then join the last two axes.",
        ),
        (TRANSPOSE, "tokens = x"),
        group="order",
    ),
    mistake(
        "view_of_what_is_not_contiguous",
        "You call `view` on a transposed tensor. `transpose` moves no number, it only changes the strides, and `view` needs "
        "numbers that lie in memory in reading order.",
        (
            "What does the error say, and what is `x.transpose(1, 2).is_contiguous()`?",
            "Either the numbers are copied into their new order first, or you use a function that copies where it must.",
            "`x.transpose(1, 2).contiguous().view(B, T, H * Dh)`, or `x.transpose(1, 2).reshape(B, T, H * Dh)`.",
        ),
        (MERGE, MERGE.replace(".contiguous()", "")),
        group="copy",
        recogniser=view_of_what_is_not_contiguous,
    ),
    mistake(
        "interleaved",
        "You interleave the features of the heads: feature 0 of all heads, then feature 1 of all heads. "
        "Heads should stand side by side, each in one piece.",
        (
            "In the smallest example the hundreds count heads. Read your first row: in which order do the heads come?",
            "You join two axes into one. Which of them changes slowly, the head or the position within it?",
            "Join (H, Dh) in this order: `x.transpose(1, 2)` is (B, T, H, Dh) already.",
        ),
        (TRANSPOSE, "tokens = x.permute(0, 2, 3, 1)"),
        group="order",
    ),
    mistake(
        "features_before_tokens",
        "You swap tokens and features within each head before you join them, so the rows of your result aren't tokens.",
        (
            "In the smallest example the tens count tokens. Which tokens are in your first row?",
            "Count the axes of (B, H, T, Dh) from 0. Which two must change places?",
            "`x.transpose(1, 2)`: heads and tokens.",
        ),
        (TRANSPOSE, "tokens = x.transpose(2, 3)"),
        group="order",
    ),
    mistake(
        "not_joined",
        "You bring the heads behind the tokens and stop there: (B, T, H, Dh). The last two axes should become one.",
        (
            "How many axes does your result have?",
            "After the transpose each token has its heads side by side. What is left to do with the last two axes?",
            "`.reshape(B, T, H * Dh)`.",
        ),
        (RETURN, "return tokens"),
        group="join",
    ),
    mistake(
        "joined_along_the_tokens",
        "You put the heads one after the other along the sentence: (B, H · T, Dh). They should stand side by side in each token.",
        (
            "How many tokens does your result have? How many has each head?",
            "Concatenating along which axis leaves the number of tokens as it is?",
            "Concatenate along the last axis; or `x.transpose(1, 2).reshape(B, T, H * Dh)`.",
        ),
        (RETURN, "return x.reshape(batch, num_heads * length, d_head)"),
        group="join",
    ),
    mistake(
        "heads_averaged",
        "You average the heads, so what one head found is mixed with what the others found. Side by side, `W_o` can weigh them itself.",
        (
            "How wide is your result? And how wide should it be?",
            "*Concat*, says the formula. What do you do with the axis of the heads?",
            "`x.transpose(1, 2).reshape(B, T, H * Dh)`.",
        ),
        (RETURN, "return x.mean(dim=1)"),
        group="join",
    ),
    mistake(
        "heads_summed",
        "You add the heads up, and afterwards nobody can tell which head said what. Heads should stand side by side.",
        (
            "How wide is your result? And how wide should it be?",
            "*Concat*, says the formula. What do you do with the axis of the heads?",
            "`x.transpose(1, 2).reshape(B, T, H * Dh)`.",
        ),
        (RETURN, "return x.sum(dim=1)"),
        group="join",
    ),
    mistake(
        "first_head_only",
        "You return the first head, and leave the others out.",
        (
            "How wide is your result? And how wide should it be?",
            "Look for an index, `[:, 0]`, where all heads should be taken.",
            "`x.transpose(1, 2).reshape(B, T, H * Dh)`.",
        ),
        (RETURN, "return x[:, 0]"),
        group="join",
    ),
    mistake(
        "heads_left_in_the_batch",
        "You fold heads and batch into one axis: (B · H, T, Dh). The heads belong to the tokens, not to the batch.",
        (
            "How many sentences does your result have, and how many are in the batch?",
            "Which two axes should become one: batch and heads, or heads and their width?",
            "`x.transpose(1, 2).reshape(B, T, H * Dh)`.",
        ),
        (RETURN, "return x.flatten(0, 1)"),
        group="join",
    ),
    mistake(
        "tokens_before_sentences",
        "You return (T, B, D): tokens first. In this course the batch comes first.",
        (
            "Which shape does your function return, and which does the docstring ask for?",
            "Look at the order of the axes just before you join the last two.",
            "`x.transpose(1, 2)`, which leaves the batch where it is.",
        ),
        (TRANSPOSE, "tokens = x.permute(2, 0, 1, 3)"),
        (MERGE, "tokens.reshape(length, batch, num_heads * d_head)"),
        group="order",
    ),
    mistake(
        "transposed_in_place",
        "Your result is right, but `transpose_` with an underscore transposes the tensor you were given: your caller's heads and tokens have changed places.",
        (
            "Print `x.shape` before and after your function.",
            "A method whose name ends in `_` changes its tensor where it lies.",
            "`x.transpose(1, 2)`, without the underscore.",
        ),
        (TRANSPOSE, "tokens = x.transpose_(1, 2)"),
        group="graph",
    ),
    mistake(
        "detached",
        "Your numbers are right, but your result is cut out of the graph: no gradient reaches the heads, and queries, keys and values would never learn.",
        (
            "Call your function with `x.requires_grad_()` and look at `requires_grad` of the result.",
            "Do you use `detach`, `.data`, `torch.no_grad`, `torch.tensor(...)` or NumPy on the way?",
            "`transpose` and `reshape` on `x` itself are all you need.",
        ),
        (RETURN, f"{RETURN}.detach()"),
        group="graph",
    ),
)


def reshaped(x):
    B, H, T, Dh = x.shape
    return x.permute(0, 2, 1, 3).reshape(B, T, H * Dh)


def concatenated(x):
    return torch.cat([x[:, h] for h in range(x.size(1))], dim=-1)


def flattened(x):
    return x.movedim(1, 2).flatten(start_dim=2)


def unbound(x):
    return torch.cat(x.unbind(dim=1), dim=2)


def token_by_token(x):
    rows = [torch.stack([x[b, :, t].reshape(-1) for t in range(x.shape[2])]) for b in range(x.shape[0])]
    return torch.stack(rows)


def into_empty(x):
    batch, heads, length, width = x.shape
    merged = x.new_empty(batch, length, heads * width)
    for h in range(heads):
        merged[..., h * width : (h + 1) * width] = x[:, h]
    return merged


def stub(x):
    raise NotImplementedError


def zeros(x):
    return x.new_zeros(x.size(0), x.size(2), x.size(1) * x.size(3))


def the_input_itself(x):
    return x


def noise(x):
    return torch.randn(x.size(0), x.size(2), x.size(1) * x.size(3), dtype=x.dtype)


def axis_removed(x):
    return x.squeeze(1)


def first_head_everywhere(x):
    return x[:, 0].repeat(1, 1, x.size(1))


MERGE_HEADS = define(
    id="merge_heads",
    lesson="04_multi_head_attention",
    place=1,
    module="course_lib.components.merge_heads",
    symbol="merge_heads",
    minutes=5,
    laws=LAWS,
    hints=(
        "The two steps of `split_heads`, undone in the opposite order: move the heads behind the tokens, then join the last two axes.",
        "Follow one number of the smallest example: head 1, token 2, feature 0 of its head. In which row should it be, and in which column?",
        "`x.transpose(1, 2)` is (B, T, H, Dh); `.contiguous().view(B, T, H * Dh)`, or `.reshape(B, T, H * Dh)`, joins the heads of each token.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(reshaped, concatenated, flattened, unbound, token_by_token, into_empty),
    lazy=(stub, zeros, the_input_itself, noise, axis_removed, first_head_everywhere),
    switches=("order", "join"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


@MERGE_HEADS.second_version("not_transposed")
def heads_flattened(x):
    return x.flatten(1).view(x.size(0), x.size(2), -1)


@MERGE_HEADS.second_version("view_of_what_is_not_contiguous")
def permuted_and_viewed(x):
    return x.permute(0, 2, 1, 3).view(x.size(0), -1, x.size(1) * x.size(3))


@MERGE_HEADS.second_version("joined_along_the_tokens")
def cat_along_axis_1(x):
    return torch.cat(x.unbind(1), dim=1)


@MERGE_HEADS.second_version("interleaved")
def stacked_behind_each_feature(x):
    return torch.stack(x.unbind(1), dim=-1).flatten(2)
