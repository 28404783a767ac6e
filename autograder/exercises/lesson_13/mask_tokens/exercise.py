"""Exercise `mask_tokens`: which tokens a masked language model predicts, and what it reads instead of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from autograder.exercises.definition import Outline
from autograder.exercises.draw import Draw
from course_lib.checking.exercise import Law
from course_lib.checking.laws import equals_reference, inputs_unchanged
from course_lib.checking.questions import Call, Calls, Question

RETURNS = ["inputs", "labels"]


#: thousandths of the rate, one inside each part of the range and on both sides of each border. The rest is not chosen
PARTS = (100, 500, 790, 810, 850, 890, 910, 950, 990, 1010, 1500, 3000)


def _given(
    ids: Tensor, uniform: Tensor, replacements: Tensor, mask_id: int, rate: float, num_special: int
) -> dict[str, Any]:
    return {
        "ids": ids, "uniform": uniform, "replacements": replacements, "mask_id": mask_id, "rate": rate,
        "num_special": num_special,
    }  # fmt: skip


def _chances(draw: Draw, rate: float, *shape: int) -> Tensor:
    """Return uniform numbers, none of them on a border, from all parts of the range if there is room."""
    count = torch.Size(shape).numel()
    parts = [PARTS[i % len(PARTS)] for i in range(count)]
    return torch.tensor(draw.shuffled(parts), dtype=torch.float64).reshape(shape) * rate / 1000


def _tokens(draw: Draw, special: int, vocab: int, *shape: int) -> Tensor:
    """Return ids that are neither special nor the first id after the special ones."""
    count = torch.Size(shape).numel()
    words = draw.shuffled(range(special + 1, vocab))
    return torch.tensor([words[i % len(words)] for i in range(count)]).reshape(shape)


def _question(
    draw: Draw, name: str, shape: tuple[int, int], rate: float = 0.15, num_special: int = 4, specials: bool = True
) -> Call:
    vocab = 40
    ids, replacements = (_tokens(draw, num_special, vocab, *shape) for _ in range(2))
    # no token is replaced by itself
    replacements = torch.where(
        replacements == ids, (replacements - num_special + 1) % (vocab - num_special) + num_special, replacements
    )
    if specials:
        ids[:, 0], ids[:, -1] = 1, 2
        ids[-1, -2:] = torch.tensor([2, 0])
        ids[0, 2] = num_special - 1
        ids[0, 3] = num_special
    uniform = _chances(draw, rate, *shape)
    if specials:
        uniform[0, [0, 2, 3, -1]] = torch.tensor([0.1, 0.85, 0.5, 0.95], dtype=torch.float64) * rate
    given = _given(ids, uniform, replacements, vocab, rate, num_special)
    return Call(name, given, returns=RETURNS)


def ask(draw: Draw) -> Iterator[Question]:
    """Ask about six words, special tokens, another rate, other special ids, nothing chosen, and a large batch."""
    words = torch.tensor([draw.shuffled(range(5, 12))[:6]])
    line = torch.tensor([draw.shuffled([0.05, 0.13, 0.14, 0.3, 0.6, 0.9])], dtype=torch.float64)
    others = torch.tensor([draw.shuffled(range(12, 20))[:6]])
    yield Call("by_hand", _given(words, line, others, 20, 0.15, 4), returns=RETURNS)
    b, _ = draw.sizes(2)
    (t,) = draw.widths(1)
    yield _question(draw, "no_specials", (b, t), specials=False)
    yield _question(draw, "plain", (b, t))
    yield _question(draw, "other_rate", (b, t), rate=draw.shuffled([0.3, 0.4])[0])
    yield _question(draw, "other_specials", (b, t), num_special=draw.shuffled([6, 7])[0])
    nothing = _given(words, line + 0.2, others, 20, 0.15, 4)
    everything = _given(words, line, others, 20, 1.0, 4)
    calls = [nothing, everything]
    yield Calls("none_and_all", calls, returns=RETURNS)
    yield _question(draw, "large", (9, 30), rate=0.2)
    again = _question(draw, "asked_twice", (2, 12), rate=0.5, specials=False).arguments
    yield Calls("asked_twice", [again, again], returns=RETURNS)


INPUTS, LABELS = {"fields": ["inputs"]}, {"fields": ["labels"]}


BOTH = {"fields": ["inputs", "labels"]}


CALLS = [f"calls/{i}/{field}" for i in range(2) for field in RETURNS]


LAWS = (
    Law("equals_by_hand", equals_reference, "by_hand", "six words on paper come out right", 0.5, BOTH),
    Law("inputs", equals_reference, "no_specials", "what the model reads is right: masks, random tokens, tokens as they were", 0.75, INPUTS),
    Law("labels", equals_reference, "no_specials", "what it has to predict is right: every chosen token, and −100 elsewhere", 0.75, LABELS),
    Law("specials", equals_reference, "plain", "beginnings, ends, padding and unknown words are never chosen", 0.5, BOTH, also=("large",)),
    Law("other_rate", equals_reference, "other_rate", "another rate comes out right, and the shares are shares of it", 0.5, BOTH),
    Law("other_specials", equals_reference, "other_specials", "so does another number of special ids", 0.25, BOTH),
    Law("none_and_all", equals_reference, "none_and_all", "so do the rates at which nothing is chosen, and everything; and what is asked twice is answered alike", 0.5, {"fields": CALLS},
        also=("asked_twice",)),
    Law("inputs_unchanged", inputs_unchanged, "plain", "the ids that you were given are left as they were", 0.25, needs="inputs"),
)  # fmt: skip


EXERCISE = Outline(
    minutes=15,
    laws=LAWS,
    hints=(
        "Do the table of the lesson for one more word: u = 0.124, rate = 0.15. Is it chosen? Which part of the line is it in?",
        "Make three boolean masks: `chosen`, `masked` and `random`. The last two are parts of the first, and don't overlap.",
        "`inputs`: `ids`, filled with `mask_id` where masked, and `replacements` where random. `labels`: `ids` where chosen, −100 elsewhere.",
    ),
    ask=ask,
)
