"""Exercise `attention_rollout`: follow the weights of all layers down to the words."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from autograder.exercises.definition import Outline
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Question, calling
from course_lib.checking.rules import equals_reference, inputs_unchanged, sums_to_one

_question = calling("weights", returns=["shares"])


def _weights(sampler: Sampler, *shape: int) -> Tensor:
    return torch.softmax(2 * sampler.tensor(*shape), dim=-1)


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about two layers by hand, one and more layers, one head, causal and copying layers, and a long sentence."""
    rows = ([1.0, 0.0, 0.0], [0.0, 0.5, 0.5], [0.25, 0.75, 0.0])
    paper = [[[sampler.shuffled(row) for row in rows]] for _ in range(2)]
    yield _question("by_hand", torch.tensor(paper, dtype=torch.float64))
    layers, heads, t = sorted(sampler.sizes(3))
    yield _question("one_layer", _weights(sampler, 1, heads, t, t))
    yield _question("plain", _weights(sampler, layers, heads, t, t))
    yield _question("more_layers", _weights(sampler, t, layers, heads, heads))
    yield _question("one_head", _weights(sampler, heads, 1, t, t))
    causal = 2 * sampler.tensor(layers, heads, t, t)
    causal = causal.masked_fill(~torch.ones(t, t, dtype=torch.bool).tril(), -torch.inf).softmax(dim=-1)
    yield _question("causal", causal)
    yield _question("copies", torch.eye(t).double().expand(layers, heads, t, t).clone())
    yield _question("long", _weights(sampler, layers, 2, 40, 40))


SHARES = {"fields": ["shares"]}


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "two layers on paper come out right", 0.5, SHARES),
    Check("one_layer", equals_reference, "one_layer", "a single layer comes out right", 0.25, SHARES),
    Check("equals_plain", equals_reference, "plain", "other numbers of layers and heads come out right", 0.75, SHARES,
        also=("more_layers", "one_head")),
    Check("long", equals_reference, "long", "a long sentence comes out right", 0.25, SHARES),
    Check("causal", equals_reference, "causal", "the shares are right if nobody sees the future: none of it arrives", 0.25, SHARES),
    Check("copies", equals_reference, "copies", "the shares are right where every word looks at itself alone: each position is its own word", 0.25, SHARES),
    Check("rows_sum_to_one", sums_to_one, "plain", "the shares of each position sum to 1", 0.5, {"field": "shares"},
        needs="equals_plain"),
    Check("inputs_unchanged", inputs_unchanged, "plain", "the weights are left as they were", 0.25, needs="equals_plain"),
)  # fmt: skip


EXERCISE = Outline(
    minutes=15,
    checks=CHECKS,
    hints=(
        "Do the two layers of the table on paper. What is at position t after the first layer, and what does the second layer make of it?",
        "Start with the identity: before the first layer, each position is its own word. For each layer, take the mean of its heads, add the identity, halve.",
        "In the loop: `came_from = (layer + identity) / 2 @ came_from`, with `layer` one of `weights.mean(dim=1)`.",
    ),
    ask=ask,
)
