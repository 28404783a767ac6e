"""Exercise `mask_tokens`: which tokens a masked language model predicts, and what it reads instead of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from autograder.exercises.definition import Outline
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Call, Calls, Question
from course_lib.checking.rules import equals_reference, inputs_unchanged

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


def _chances(sampler: Sampler, rate: float, *shape: int) -> Tensor:
    """Return uniform numbers, none of them on a border, from all parts of the range if there is room."""
    count = torch.Size(shape).numel()
    parts = [PARTS[i % len(PARTS)] for i in range(count)]
    return torch.tensor(sampler.shuffled(parts), dtype=torch.float64).reshape(shape) * rate / 1000


def _tokens(sampler: Sampler, special: int, vocab: int, *shape: int) -> Tensor:
    """Return ids that are neither special nor the first id after the special ones."""
    count = torch.Size(shape).numel()
    words = sampler.shuffled(range(special + 1, vocab))
    return torch.tensor([words[i % len(words)] for i in range(count)]).reshape(shape)


def _question(
    sampler: Sampler, name: str, shape: tuple[int, int], rate: float = 0.15, num_special: int = 4, specials: bool = True
) -> Call:
    vocab = 40
    ids, replacements = (_tokens(sampler, num_special, vocab, *shape) for _ in range(2))
    # no token is replaced by itself
    replacements = torch.where(
        replacements == ids, (replacements - num_special + 1) % (vocab - num_special) + num_special, replacements
    )
    if specials:
        ids[:, 0], ids[:, -1] = 1, 2
        ids[-1, -2:] = torch.tensor([2, 0])
        ids[0, 2] = num_special - 1
        ids[0, 3] = num_special
    uniform = _chances(sampler, rate, *shape)
    if specials:
        uniform[0, [0, 2, 3, -1]] = torch.tensor([0.1, 0.85, 0.5, 0.95], dtype=torch.float64) * rate
    given = _given(ids, uniform, replacements, vocab, rate, num_special)
    return Call(name, given, returns=RETURNS)


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about six words, special tokens, another rate, other special ids, nothing chosen, and a large batch."""
    words = torch.tensor([sampler.shuffled(range(5, 12))[:6]])
    line = torch.tensor([sampler.shuffled([0.05, 0.13, 0.14, 0.3, 0.6, 0.9])], dtype=torch.float64)
    others = torch.tensor([sampler.shuffled(range(12, 20))[:6]])
    yield Call("by_hand", _given(words, line, others, 20, 0.15, 4), returns=RETURNS)
    b, _ = sampler.sizes(2)
    (t,) = sampler.widths(1)
    yield _question(sampler, "no_specials", (b, t), specials=False)
    yield _question(sampler, "plain", (b, t))
    yield _question(sampler, "other_rate", (b, t), rate=sampler.shuffled([0.3, 0.4])[0])
    yield _question(sampler, "other_specials", (b, t), num_special=sampler.shuffled([6, 7])[0])
    nothing = _given(words, line + 0.2, others, 20, 0.15, 4)
    everything = _given(words, line, others, 20, 1.0, 4)
    calls = [nothing, everything]
    yield Calls("none_and_all", calls, returns=RETURNS)
    yield _question(sampler, "large", (9, 30), rate=0.2)
    again = _question(sampler, "asked_twice", (2, 12), rate=0.5, specials=False).arguments
    yield Calls("asked_twice", [again, again], returns=RETURNS)


INPUTS, LABELS = {"fields": ["inputs"]}, {"fields": ["labels"]}


BOTH = {"fields": ["inputs", "labels"]}


CALLS = [f"calls/{i}/{field}" for i in range(2) for field in RETURNS]


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "six words on paper come out right", 0.5, BOTH),
    Check("inputs", equals_reference, "no_specials", "what the model reads is right: masks, random tokens, tokens as they were", 0.75, INPUTS),
    Check("labels", equals_reference, "no_specials", "the labels are right: every chosen token, and −100 elsewhere", 0.75, LABELS),
    Check("specials", equals_reference, "plain", "batches with beginnings, ends, padding and unknown words come out right", 0.5, BOTH, also=("large",)),
    Check("other_rate", equals_reference, "other_rate", "another rate comes out right: the shares are shares of it", 0.5, BOTH),
    Check("other_specials", equals_reference, "other_specials", "another number of special ids comes out right", 0.25, BOTH),
    Check("none_and_all", equals_reference, "none_and_all", "rates at which nothing or everything is chosen come out right, and so does the same batch twice", 0.5, {"fields": CALLS},
        also=("asked_twice",)),
    Check("inputs_unchanged", inputs_unchanged, "plain", "the ids that you were given are left as they were", 0.25, needs="inputs"),
)  # fmt: skip


EXERCISE = Outline(
    minutes=15,
    checks=CHECKS,
    hints=(
        "Do the table of the lesson for one more word: u = 0.124, rate = 0.15. Is it chosen? Which part of the line is it in?",
        "Make three boolean masks: `chosen`, `masked` and `random`. The last two are parts of the first, and don't overlap.",
        "`inputs`: `ids`, filled with `mask_id` where masked, and `replacements` where random. `labels`: `ids` where chosen, −100 elsewhere.",
    ),
    ask=ask,
)
