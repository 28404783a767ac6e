"""Exercise `gate_heads`: what each head brings, multiplied by its gate."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, inputs_unchanged


def _question(name: str, merged: Tensor, gates: Tensor, upstream: Tensor | None = None) -> Question:
    asked = {"arguments": {"merged": merged, "gates": gates}, "returns": ["gated"]}
    return Question(name, probes.call, asked if upstream is None else {**asked, "upstream": {"gated": upstream}})


def ask(draw: Draw) -> Iterator[Question]:
    """Numbers for paper, gates of 0 and 1, gates in between, one word, one head, as many heads as features."""
    paper = (
        torch.tensor([[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [10.0, 20.0, 30.0, 40.0, 50.0, 60.0]]) + draw.tensor(1, 1).round()
    )
    yield _question("by_hand", paper.double(), torch.tensor([1.0, 0.0, 0.5])[draw.order(3)].double())
    few, t = draw.sizes(2)
    yield _question("shut", draw.tensor(few, t, 12), torch.tensor(draw.shuffled([1.0, 1.0, 0.0, 0.0])).double())
    yield _question("plain", draw.tensor(few, t, 20), draw.tensor(4))
    yield _question("wide", draw.tensor(few, t, 6), draw.tensor(2))
    views = draw.tensor(few, 15, t).transpose(-2, -1)
    yield _question("views", views, draw.tensor(3))
    yield _question("one_word", draw.tensor(10), draw.tensor(5))
    yield _question("one_head", draw.tensor(t, 8), draw.tensor(1))
    yield _question("one_feature_each", draw.tensor(1, few, 4), draw.tensor(4))
    yield _question("gradients", draw.tensor(few, t, 12), draw.tensor(3), upstream=draw.tensor(few, t, 12))


GATED = {"fields": ["gated"]}

LAWS = (
    Law("equals_by_hand", equals_reference, "by_hand", "two words with three heads on paper come out right", 0.25, GATED),
    Law("equals_plain", equals_reference, "plain", "gates of any size come out right", 0.25, GATED, also=("shut", "wide", "views")),
    Law("edges", equals_reference, "one_word", "one word, one head, and heads of one feature come out right", 0.25, GATED,
        also=("one_head", "one_feature_each")),
    Law("gradients", equals_reference, "gradients", "the gradients are right, those of the gates too", 0.25,
        {"fields": ["gradients/merged", "gradients/gates"]}),
    Law("inputs_unchanged", inputs_unchanged, "shut", "your inputs are left as they were", 0.0, needs="equals_plain"),
)  # fmt: skip

WIDTH = "width = merged.size(-1) // len(gates)"
RETURN = "return merged * gates.repeat_interleave(width)"

MISTAKES = (
    mistake(
        "gates_in_turn",
        "You give the gates to the features in turn: feature 0 gets gate 0, feature 1 gets gate 1, and so on. A head is a *block* of neighbouring features.",
        (
            "With six features and three heads, which features belong to head 0?",
            "`repeat` and `repeat_interleave` put their copies in different places.",
            "`gates.repeat_interleave(merged.size(-1) // len(gates))`.",
        ),
        (RETURN, "return merged * gates.repeat(width)"),
        group="which",
    ),
    mistake(
        "heads_backwards",
        "You give the gates to the heads from the other end: the last gate goes to the first head.",
        (
            "With gates (1, 0, 0), which features are left?",
            "Which block of features belongs to head 0?",
            "Leave the gates in their order.",
        ),
        (RETURN, "return merged * gates.flip(0).repeat_interleave(width)"),
        group="which",
    ),
    mistake(
        "open_or_shut_only",
        "You treat a gate as open or shut. A gate of 0.5 should let half through.",
        (
            "What is left of a feature of 4 behind a gate of 0.5?",
            "Where do you compare the gates with 0?",
            "Multiply by the gate itself.",
        ),
        (RETURN, "return merged * (gates != 0).to(merged.dtype).repeat_interleave(width)"),
        group="how",
    ),
    mistake(
        "gates_inverted",
        "You shut the heads whose gates are open, and open those that are shut.",
        (
            "What is left behind a gate of 1?",
            "Is your factor the gate, or one minus the gate?",
            "Multiply by the gate itself.",
        ),
        (RETURN, "return merged * (1 - gates).repeat_interleave(width)"),
        group="how",
    ),
    mistake(
        "gates_summed_to_one",
        "You make the gates sum to 1 first. A gate says what becomes of its own head, whatever the others are.",
        (
            "With all gates at 1, nothing should change. What does your code return?",
            "Which line divides?",
            "Multiply by the gates as they are.",
        ),
        (RETURN, "return merged * (gates / gates.sum()).repeat_interleave(width)"),
        group="how",
    ),
    mistake(
        "scaled_up_again",
        "You divide by the share of open gates, as dropout does. Here a head that is taken out is simply missing.",
        (
            "With gates (1, 0), what becomes of the features of head 0?",
            "Which line makes up for what was shut?",
            "Multiply by the gates, and by nothing else.",
        ),
        (RETURN, "return merged * gates.repeat_interleave(width) / gates.abs().mean()"),
        group="how",
    ),
    mistake(
        "gate_added",
        "You add the gates to the features. They should be multiplied.",
        (
            "What should be left behind a gate of 0?",
            "Which operation makes 0 of anything?",
            "`merged * …`.",
        ),
        (RETURN, "return merged + gates.repeat_interleave(width)"),
        group="how",
    ),
    mistake(
        "heads_summed",
        "You add up what the heads bring: the output has the width of one head.",
        (
            "What shape should come out?",
            "Where do the heads go after you have multiplied them?",
            "Lay them side by side again: `.flatten(-2)`.",
        ),
        (RETURN, "return (merged.reshape(*merged.shape[:-1], -1, width) * gates.unsqueeze(-1)).sum(dim=-2)"),
        group=ALONE,
    ),
    mistake(
        "heads_left_apart",
        "Your output still has an axis for the heads. They should lie side by side again, (..., D).",
        (
            "What shape comes out, and what shape went in?",
            "Which step undoes your `unflatten` or `reshape`?",
            "`.flatten(-2)` at the end.",
        ),
        (RETURN, "return merged.reshape(*merged.shape[:-1], -1, width) * gates.unsqueeze(-1)"),
        group=ALONE,
    ),
    mistake(
        "written_into_the_input",
        "You write into the tensor that you were given. Whoever needs it afterwards finds it changed.",
        (
            "Print `merged` before and after the call.",
            "Which operation changes a tensor in place?",
            "`merged * …` makes a new tensor; `merged *= …` does not.",
        ),
        (RETURN, "return merged.mul_(gates.repeat_interleave(width))"),
        group=ALONE,
    ),
    mistake(
        "gates_through_a_sigmoid",
        "You put the gates through a sigmoid, as an LSTM does with what its own weights compute. Here they are given as they should be: 1 lets through, 0 takes out.",
        (
            "What is left of a head whose gate is 0? And what should be?",
            "What is the sigmoid of 0, and of 1?",
            "Multiply by `gates` as they are.",
        ),
        (RETURN, "return merged * torch.sigmoid(gates).repeat_interleave(width)"),
        group="how",
    ),
    mistake(
        "gates_detached",
        "Your numbers are right, but no gradient reaches the gates. Section 5 asks for it, to find out which heads matter.",
        (
            "What is `gates.grad` after a backward pass through your code?",
            "Do you use `detach`, `.data`, `.item()` or `torch.tensor(…)` on the gates?",
            "`merged * gates.repeat_interleave(width)` keeps the graph.",
        ),
        (RETURN, "return merged * gates.detach().repeat_interleave(width)"),
        group="how",
    ),
)  # fmt: skip


def in_blocks(merged, gates):
    heads = merged.unflatten(-1, (len(gates), -1))
    return (heads * gates[:, None]).flatten(-2)


def head_by_head(merged, gates):
    parts = merged.chunk(len(gates), dim=-1)
    return torch.cat([part * gate for part, gate in zip(parts, gates, strict=True)], dim=-1)


def by_einsum(merged, gates):
    heads = merged.reshape(*merged.shape[:-1], gates.numel(), -1)
    return torch.einsum("...hd,h->...hd", heads, gates).reshape(merged.shape)


def by_index(merged, gates):
    owner = torch.arange(merged.size(-1)) * len(gates) // merged.size(-1)
    return gates[owner] * merged


def as_a_matrix(merged, gates):
    return merged @ torch.diag(torch.kron(gates, torch.ones(merged.size(-1) // len(gates), dtype=gates.dtype)))


def stub(merged, gates):
    raise NotImplementedError


def everything_through(merged, gates):
    return merged


def nothing_through(merged, gates):
    return torch.zeros_like(merged)


def noise(merged, gates):
    return torch.randn_like(merged)


GATE_HEADS = define(
    id="gate_heads",
    lesson="14_reading",
    place=3,
    module="course_lib.components.gate_heads",
    symbol="gate_heads",
    minutes=5,
    laws=LAWS,
    hints=(
        "With D = 6 and three heads: which features belong to head 0, which to head 1?",
        "Give the heads an axis of their own, as `split_heads` does, multiply, and lay them side by side again. Or repeat each gate for every feature of its head.",
        "`merged * gates.repeat_interleave(merged.size(-1) // len(gates))`.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(in_blocks, head_by_head, by_einsum, by_index, as_a_matrix),
    lazy=(stub, everything_through, nothing_through, noise),
    switches=("which", "how"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


@GATE_HEADS.second_version("gates_in_turn")
def interleaved(merged, gates):
    return (merged.reshape(*merged.shape[:-1], -1, len(gates)) * gates).flatten(-2)


@GATE_HEADS.second_version("gates_inverted")
def what_is_shut(merged, gates):
    return merged - (merged.unflatten(-1, (len(gates), -1)) * gates[:, None]).flatten(-2)


@GATE_HEADS.second_version("heads_summed")
def mixed_together(merged, gates):
    return torch.einsum("...hd,h->...d", merged.unflatten(-1, (len(gates), -1)), gates)


@GATE_HEADS.second_version("written_into_the_input")
def slice_by_slice(merged, gates):
    width = merged.size(-1) // len(gates)
    for head in range(len(gates)):
        merged[..., head * width : (head + 1) * width] *= gates[head]
    return merged


@GATE_HEADS.second_version("gates_detached")
def numbers_only(merged, gates):
    heads = merged.unflatten(-1, (len(gates), -1))
    return torch.stack([gate * heads[..., h, :] for h, gate in enumerate(gates.tolist())], dim=-2).flatten(-2)
