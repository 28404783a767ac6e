"""Exercise `padding_mask`, the lesson's first: which tokens are real."""

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


def _sentence(sampler: Sampler, length: int, pad_id: int) -> Tensor:
    """Return different real tokens in random order, including one below and one above ``pad_id`` if possible."""
    some = [i for i in sampler.shuffled(range(12)) if i != pad_id]
    below, above = [i for i in some if i < pad_id][:1], [i for i in some if i > pad_id]
    return torch.tensor(sampler.shuffled((below + above)[:length]))


def _padded(sampler: Sampler, pad_id: int, *rows: str) -> Tensor:
    """Return sentences, given as ``"x"`` for a real token and ``"."`` for padding."""
    ids = torch.stack([_sentence(sampler, len(row), pad_id) for row in rows])
    return ids.masked_fill(torch.tensor([[place == "." for place in row] for row in rows]), pad_id)


_call = calling("ids", "pad_id", returns=["mask"])


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about padding with the id 0 and another, at the end and elsewhere, in all of a sentence and in none of it.

    Equal sizes are not needed, because no mistake in a single comparison crashes, and a wrong shape is an answer.
    """
    yield _call("by_hand", _padded(sampler, 0, "xxxx", "xx.."), 0)
    pad_id, another = (int(i) + 3 for i in sampler.order(4)[:2])
    long = sampler.shuffled((["xxxxx", "xxx..", "x...."], ["xxxxxx", "xx....", "xxxx.."]))[0]
    ids = _padded(sampler, pad_id, *long)
    other = torch.cat([ids[:1], _padded(sampler, pad_id, *sampler.shuffled(long)[:2])])
    calls: list[dict[str, Any]] = [{"ids": ids, "pad_id": pad_id}, {"ids": other, "pad_id": pad_id}]
    yield Calls("plain", calls, returns=["mask"])
    yield _call("anywhere", _padded(sampler, another, *sampler.shuffled(("..xxx", "xx.xx", ".xx.."))), another)
    yield _call("all_and_none", _padded(sampler, pad_id, *sampler.shuffled(("xxx", "..."))), pad_id)


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "two sentences, padded with 0, come out right", 0.25,
        {"fields": ["mask"]}),
    Check("equals_plain", equals_reference, "plain", "the mask is right for another `pad_id`, where 0 is a token like any other", 0.25,
        {"fields": ["calls/0/mask"]}),
    Check("anywhere", equals_reference, "anywhere", "the mask is right for padding at the front and in the middle", 0.13,
        {"fields": ["mask"]}),
    Check("all_and_none", equals_reference, "all_and_none", "the mask is right for a sentence without padding, all True, and for one of nothing else, all False", 0.12,
        {"fields": ["mask"]}),
    Check("sentences_apart", unmoved, "plain", "other sentences in the batch leave the first one's mask as it is", 0.13,
        {"before": "calls/0/mask", "after": "calls/1/mask", "index": [0]}, needs="equals_plain"),
    Check("inputs_unchanged", inputs_unchanged, "by_hand", "the ids are left as they were", 0.12,
        needs="equals_by_hand"),
)  # fmt: skip


EXERCISE = Outline(
    minutes=5,
    checks=CHECKS,
    hints=(
        "Write down the mask of a small example, True and False, before you write code.",
        "Two things: a comparison of every id with one number, and an axis for the queries.",
        "Compare `ids` with `pad_id`, True where they differ; then add an axis of length 1 between batch and keys.",
    ),
    ask=ask,
)
