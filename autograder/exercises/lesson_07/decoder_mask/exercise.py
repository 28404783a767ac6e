"""Exercise `decoder_mask`: hide the future and padding."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from autograder.exercises.definition import Outline
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Calls, Question, calling
from course_lib.checking.rules import equals_reference, inputs_unchanged, unmoved


def _padded(sampler: Sampler, pad_id: int, *rows: str) -> Tensor:
    """Return sentences, given as ``"x"`` for a real token, which may be 0, and ``"."`` for padding."""
    real = [i for i in range(9) if i != pad_id]
    ids = torch.tensor([sampler.shuffled(real)[: len(row)] for row in rows])
    if pad_id:
        ids[:, 0] = 0
    return ids.masked_fill(torch.tensor([[place == "." for place in row] for row in rows]), pad_id)


_call = calling("ids", "pad_id", returns=["mask"])


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about padding on all sides, everywhere and nowhere, one sentence, and a square to name what crashes."""
    yield _call("by_hand", _padded(sampler, 0, "xxxx", "xx.."), 0)
    pad_id, another = (int(i) + 3 for i in sampler.order(4)[:2])
    rows = sampler.shuffled((["xxxxx", "xxx..", "xx..."], ["xxxxxx", "xx....", "xxxx.."]))[0]
    ids = _padded(sampler, pad_id, *rows)
    other = torch.cat([ids[:1], _padded(sampler, pad_id, *sampler.shuffled(rows)[:2])])
    calls: list[dict[str, Any]] = [{"ids": ids, "pad_id": pad_id}, {"ids": other, "pad_id": pad_id}]
    yield Calls("plain", calls, returns=["mask"])
    yield _call("anywhere", _padded(sampler, another, *sampler.shuffled(("..xxx", "xx.xx", ".xx..", "x.x.x"))), another)
    yield _call("all_and_none", _padded(sampler, pad_id, *sampler.shuffled(("xxx", "..."))), pad_id)
    yield _call("one_sentence", _padded(sampler, pad_id, sampler.shuffled(("xxx.", "xx.."))[0]), pad_id)
    yield _call("square", _padded(sampler, pad_id, *sampler.shuffled(("xxx", "xx.", "x.."))), pad_id)


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "small padded batches come out right", 0.6,
        {"fields": ["mask"]}, also=("square",)),
    Check("equals_plain", equals_reference, "plain", "a larger batch, with another `pad_id`, comes out right", 0.5,
        {"fields": ["calls/0/mask"]}),
    Check("anywhere", equals_reference, "anywhere", "padding on the left and in the middle comes out right: it is hidden, too", 0.25,
        {"fields": ["mask"]}),
    Check("all_and_none", equals_reference, "all_and_none", "a sentence of nothing but padding comes out right: nobody sees anything", 0.25,
        {"fields": ["mask"]}),
    Check("one_sentence", equals_reference, "one_sentence", "a batch of one sentence comes out right, with its three axes", 0.15,
        {"fields": ["mask"]}),
    Check("sentences_apart", unmoved, "plain", "other sentences in the batch leave the first one's mask as it is", 0.15,
        {"before": "calls/0/mask", "after": "calls/1/mask", "index": [0]}, needs="equals_plain"),
    Check("inputs_unchanged", inputs_unchanged, "by_hand", "the ids are left as they were", 0.1,
        needs="equals_by_hand", also=("anywhere",)),
)  # fmt: skip


BOTH = "`padding_mask(ids, pad_id) & causal_mask(ids.size(1))`: (B, 1, T) and (T, T) make (B, T, T)."


EXERCISE = Outline(
    minutes=8,
    checks=CHECKS,
    hints=(
        "Draw the mask of the sentence `a b . .` on paper, where a dot is padding. Which of the sixteen are True?",
        "You have a padding mask, (B, 1, T), and a causal mask, (T, T). A key may be seen if *both* allow it.",
        BOTH,
    ),
    ask=ask,
    builds_on=("causal_mask",),
)
