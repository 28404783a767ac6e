"""Exercise `additive_scores`: a small network compares query and key."""

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


def _weights(sampler: Sampler, d_query: int, d_key: int, d_hidden: int) -> dict[str, Tensor]:
    """Return weights so small that no tanh saturates."""
    return {
        "w_1.weight": sampler.tensor(d_hidden, d_key, scale=0.3),
        "w_2.weight": sampler.tensor(d_hidden, d_query, scale=0.3),
        "v.weight": sampler.tensor(1, d_hidden),
    }


def _question(name: str, weights: dict[str, Tensor], *calls: dict[str, Tensor], **more: Value) -> Question:
    d_hidden, d_key = weights["w_1.weight"].shape
    build = {"d_query": weights["w_2.weight"].size(1), "d_key": d_key, "d_hidden": d_hidden}
    return Module(name, build, weights, calls, returns=["scores"], **more)


def _on_paper(sampler: Sampler) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Return four keys of width 3 and a query of width 2. Each of five hidden units adds one or two of the numbers."""
    weights = {
        "w_1.weight": torch.tensor([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0], [0, 0, 0]]).double(),
        "w_2.weight": torch.tensor([[1, 0], [0, 1], [0, 0], [0, -1], [1, 0]]).double(),
        "v.weight": torch.tensor([[1, 2, -1, 1, 1]]).double(),
    }
    query = torch.tensor([[1.0, -1.0]]) + sampler.tensor(1, 2, scale=0.4).round(decimals=1)
    keys = torch.tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [-1.0, 1.0, 0.0]]])
    return weights, {"query": query, "keys": keys}


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about small numbers, distinct sizes, another sentence, one key, and equal sizes to name what crashes."""
    b, s = sampler.sizes(2)
    sizes = sampler.widths(3)
    yield _question("by_hand", *_on_paper(sampler))
    weights, first, other = _weights(sampler, *sizes), *(_inputs(sampler, b, s, *sizes[:2]) for _ in range(2))
    other = {name: torch.cat([first[name][:1], other[name][1:]]) for name in first}
    yield _question("plain", weights, first, other, first)
    yield _question("one_of_each", weights, _inputs(sampler, 1, s, *sizes[:2]), _inputs(sampler, b, 1, *sizes[:2]))
    upstream, turned = {"scores": sampler.tensor(s, b)}, sizes[::-1]
    yield _question("gradients", _weights(sampler, *turned), _inputs(sampler, s, b, *turned[:2]), upstream=upstream)
    yield _question("cube", _weights(sampler, 3, 3, 3), _inputs(sampler, 3, 3, 3, 3))


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "a sentence of four keys comes out right", 0.75,
        {"fields": ["calls/0/scores"]}),
    Check("equals_plain", equals_reference, "plain", "batches of other sizes come out right", 0.5,
        {"fields": ["calls/0/scores"]}, also=("cube",)),
    Check("next_batch", equals_reference, "plain", "the next batches come out right, too", 0.25,
        {"fields": ["calls/1/scores", "calls/2/scores"]}),
    Check("one_of_each", equals_reference, "one_of_each", "one sentence, (1, S), and one key, (B, 1), come out right", 0.25,
        {"fields": ["calls/0/scores", "calls/1/scores"]}),
    Check("gradients", equals_reference, "gradients", "the gradients of query, keys and all three layers are right", 0.5,
        {"fields": [f"gradients/{name}" for name in ("query", "keys", "w_1.weight", "w_2.weight", "v.weight")]}),
    Check("sentences_apart", unmoved, "plain", "other sentences in the batch leave the first one's scores as they are", 0.25,
        {"before": "calls/0/scores", "after": "calls/1/scores", "index": [0]}, needs="equals_plain"),
    Check("every_layer_learns", every_gradient_flows, "gradients", "each of the three layers receives a gradient", 0.25,
        needs="equals_plain"),
    Check("inputs_unchanged", inputs_unchanged, "by_hand", "query and keys are left as they were", 0.25, needs="equals_by_hand"),
)  # fmt: skip


EXERCISE = Outline(
    minutes=12,
    checks=CHECKS,
    hints=(
        "Write down the shape of each term inside the tanh. Which axis does one of them lack?",
        "Four steps: a layer for the keys, a layer for the query, the tanh of their sum, a layer to one number.",
        "`self.w_1(keys)` is (B, S, Da), `self.w_2(query).unsqueeze(1)` is (B, 1, Da); add, `torch.tanh`, `self.v`, and squeeze the last axis.",
    ),
    ask=ask,
    write=("forward",),
)
