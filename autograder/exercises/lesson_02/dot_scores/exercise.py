"""Exercise `dot_scores`: how well one state agrees with many."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from autograder.exercises.definition import Outline
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Call, Calls, Question
from course_lib.checking.rules import equals_reference, inputs_unchanged, keeps_dtype, unmoved


def _inputs(sampler: Sampler, b: int, s: int, d: int) -> dict[str, Tensor]:
    """Return a query (B, D) and keys (B, S, D)."""
    return {"query": sampler.tensor(b, d), "keys": sampler.tensor(b, s, d)}


def _on_paper(sampler: Sampler) -> dict[str, Tensor]:
    """Return two sentences of four keys of width 3, with numbers that are easy to multiply."""
    query = torch.tensor([[2.0, 0.0, 1.0], [-1.0, 3.0, 0.0]])
    keys = torch.tensor([[1.0, 0.0, 0.0], [0.0, 1.0, 1.0], [1.0, 0.0, -2.0], [2.0, 1.0, 0.0]])
    keys = torch.stack([keys, keys.flip(0)])
    return {"query": query, "keys": keys + sampler.tensor(2, 4, 3, scale=0.4).round(decimals=1)}


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about small numbers, distinct sizes, another sentence, one key, and equal sizes to name what crashes."""
    b, s = sampler.sizes(2)
    d, wide = sampler.widths(2)
    returns = ["scores"]
    yield Call("by_hand", _on_paper(sampler), returns=returns)
    first, other = _inputs(sampler, b, s, d), _inputs(sampler, b, s, d)
    other = {name: torch.cat([first[name][:1], other[name][1:]]) for name in first}
    yield Calls("plain", [first, other, first], returns=returns)
    ones = [_inputs(sampler, 1, s, d), _inputs(sampler, b, 1, d)]
    yield Calls("one_of_each", ones, returns=returns)
    upstream = {"scores": sampler.tensor(s, b)}
    yield Call("gradients", _inputs(sampler, s, b, wide), returns=returns, upstream=upstream)
    cube = {"query": sampler.tensor(3, 3), "keys": sampler.tensor(3, 3, 3)}
    yield Call("cube", cube, returns=returns)


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "two sentences of four keys come out right", 0.5,
        {"fields": ["scores"]}),
    Check("equals_plain", equals_reference, "plain", "a batch of wider states comes out right, and so does the next one", 0.5,
        {"fields": ["calls/0/scores", "calls/1/scores", "calls/2/scores"]}),
    Check("one_of_each", equals_reference, "one_of_each", "one sentence, (1, S), and one key, (B, 1), come out right", 0.25,
        {"fields": ["calls/0/scores", "calls/1/scores"]}),
    Check("gradients", equals_reference, "gradients", "the gradients of query and keys are right", 0.25,
        {"fields": ["gradients/query", "gradients/keys"]}),
    Check("sentences_apart", unmoved, "plain", "other sentences in the batch leave the first one's scores as they are", 0.25,
        {"before": "calls/0/scores", "after": "calls/1/scores", "index": [0]}, needs="equals_plain"),
    Check("inputs_unchanged", inputs_unchanged, "by_hand", "query and keys are left as they were", 0.15,
        needs="equals_by_hand"),
    Check("keeps_dtype", keeps_dtype, "cube", "float64 in, float64 out", 0.1,
        {"fields": ["scores"]}, needs="equals_plain"),
)  # fmt: skip


def _allows(question: Question) -> bool:
    """Return whether each call has keys (B, S, D) for a query (B, D)."""
    return all(call["keys"].ndim == 3 and call["query"].ndim == 2 for call in question.inputs)


EXERCISE = Outline(
    minutes=8,
    checks=CHECKS,
    hints=(
        "Take one sentence first: one query, four keys. How many numbers come out?",
        "Each key is multiplied entry by entry with its own sentence's query, and summed over the features. Print the shape after each step.",
        "Make each query a column, `query.unsqueeze(-1)`, (B, D, 1); `keys @` that column is (B, S, 1); take the last axis away again.",
    ),
    ask=ask,
    allows=_allows,
)
