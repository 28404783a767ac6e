"""Exercise `bilinear_scores`: a matrix between query and key."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from autograder.exercises.definition import Outline
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Module, Question
from course_lib.checking.rules import equals_reference, every_gradient_flows, inputs_unchanged, unmoved
from course_lib.checking.values import Value


def _inputs(sampler: Sampler, b: int, s: int, d_query: int, d_key: int) -> dict[str, Tensor]:
    """Return a query (B, Dq) and keys (B, S, Dk)."""
    return {"query": sampler.tensor(b, d_query), "keys": sampler.tensor(b, s, d_key)}


def _weight(sampler: Sampler, d_query: int, d_key: int) -> Tensor:
    return sampler.tensor(d_key, d_query, scale=0.4)


def _question(name: str, weight: Tensor, *calls: dict[str, Tensor], **more: Value) -> Question:
    build = {"d_query": weight.size(1), "d_key": weight.size(0)}
    return Module(name, build, {"w.weight": weight}, calls, returns=["scores"], **more)


def _on_paper(sampler: Sampler) -> tuple[Tensor, dict[str, Tensor]]:
    """Return four keys of width 3 and a query of width 2. W computes a sum, a copy and a difference of its numbers."""
    weight = torch.tensor([[1.0, 1.0], [0.0, 2.0], [1.0, -1.0]])
    query = torch.tensor([[2.0, 1.0]]) + sampler.tensor(1, 2, scale=0.4).round(decimals=1)
    keys = torch.tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 2.0]]])
    return weight, {"query": query, "keys": keys}


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about small numbers, distinct sizes, another sentence, one key, and a square W to name what crashes."""
    b, s = sampler.sizes(2)
    d_query, d_key = sampler.widths(2)
    weight, given = _on_paper(sampler)
    yield _question("by_hand", weight, given)
    weight, first, other = _weight(sampler, d_query, d_key), *(_inputs(sampler, b, s, d_query, d_key) for _ in range(2))
    other = {name: torch.cat([first[name][:1], other[name][1:]]) for name in first}
    yield _question("plain", weight, first, other, first)
    ones = _inputs(sampler, 1, s, d_query, d_key), _inputs(sampler, b, 1, d_query, d_key)
    yield _question("one_of_each", weight, *ones)
    b, s, d_query, d_key = sampler.sizes(4)  # small, because an answer contains a gradient for each input
    upstream, given = {"scores": sampler.tensor(b, s)}, _inputs(sampler, b, s, d_query, d_key)
    yield _question("gradients", _weight(sampler, d_query, d_key), given, upstream=upstream)
    yield _question("square", _weight(sampler, 4, 4), _inputs(sampler, 2, 3, 4, 4))


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "a sentence of four keys comes out right", 0.5,
        {"fields": ["calls/0/scores"]}),
    Check("equals_plain", equals_reference, "plain", "batches of other sizes come out right, with query and keys of one width too", 0.5,
        {"fields": ["calls/0/scores"]}, also=("square",)),
    Check("one_of_each", equals_reference, "one_of_each", "one sentence, (1, S), and one key, (B, 1), come out right", 0.2,
        {"fields": ["calls/0/scores", "calls/1/scores"]}),
    Check("gradients", equals_reference, "gradients", "the gradients of query, keys and W are right", 0.3,
        {"fields": ["gradients/query", "gradients/keys", "gradients/w.weight"]}),
    Check("sentences_apart", unmoved, "plain", "other sentences in the batch leave the first one's scores as they are", 0.25,
        {"before": "calls/0/scores", "after": "calls/1/scores", "index": [0]}, needs="equals_plain"),
    Check("w_learns", every_gradient_flows, "gradients", "W receives a gradient, and so do query and keys", 0.15,
        needs="equals_plain"),
    Check("inputs_unchanged", inputs_unchanged, "by_hand", "query and keys are left as they were", 0.1, needs="equals_by_hand"),
)  # fmt: skip


EXERCISE = Outline(
    minutes=8,
    checks=CHECKS,
    hints=(
        "How wide is a query, how wide a key? And which of the two does `self.w` change?",
        "Two steps: bring the query to the keys' width, then score as before. Print the shape after each.",
        "`self.w(query)` is (B, Dk), as wide as a key; its dot product with every key is what `dot_scores` returns.",
    ),
    ask=ask,
    write=("forward",),
    builds_on=("dot_scores",),
)
