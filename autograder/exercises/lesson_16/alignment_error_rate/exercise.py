"""Exercise `alignment_error_rate`: how far an alignment is from the right one."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from autograder.exercises.definition import Outline
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Calls, Question, calling
from course_lib.checking.rules import equals_reference, inputs_unchanged

RETURNS = ["rate"]


def _pair(predicted: Tensor, gold: Tensor) -> dict[str, Tensor]:
    return {"predicted": predicted, "gold": gold}


_question = calling("predicted", "gold", returns=RETURNS)


def _some(sampler: Sampler, t: int, s: int, share: float) -> Tensor:
    return torch.from_numpy(sampler.array(t, s) > share)


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about five words by hand, too many and too few links, equal links, no common links, and no links at all."""
    gold, predicted = torch.eye(5, dtype=torch.bool), torch.eye(5, dtype=torch.bool)
    gold[3, 4] = predicted[4, 0] = True
    lost, wrong = sampler.shuffled((1, 2)), sampler.shuffled((0, 1, 3))
    predicted[lost[0], lost[0]], predicted[lost[1], 4], predicted[0, wrong[0] + 1] = False, True, True
    yield _question("by_hand", predicted, gold)
    t, s = sampler.sizes(2)
    t, s = t + 4, s + 6
    right = _some(sampler, t, s, 0.9)
    right[0, 0] = True
    more = right | _some(sampler, t, s, 0.4)
    yield _question("more", more, right & _some(sampler, t, s, -1.5) | torch.eye(t, s, dtype=torch.bool))
    yield _question("fewer", right & _some(sampler, t, s, 0.0) | torch.eye(t, s, dtype=torch.bool), more)
    yield _question("view", _some(sampler, s, t, 0.5).T, _some(sampler, t, s, 0.5))
    edges = [_pair(right, right), _pair(right, ~right), _pair(torch.zeros_like(right), right)]
    edges.append(_pair(right, torch.zeros_like(right)))
    yield Calls("edges", edges, returns=RETURNS)
    yield _question("no_links", torch.zeros(t, s, dtype=torch.bool), torch.zeros(t, s, dtype=torch.bool))
    yield _question("long", _some(sampler, 60, 50, 1.2), _some(sampler, 60, 50, 0.8))


RATE = {"fields": RETURNS}


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "five words on paper come out right", 0.5, RATE),
    Check("equals_plain", equals_reference, "more", "too many links, and too few, come out right", 0.5, RATE, also=("fewer", "view", "long")),
    Check("same_and_none", equals_reference, "edges", "the rate is right for the same links, 0, and for none in common or none on one side, 1", 0.5,
        {"fields": [f"calls/{i}/rate" for i in range(4)]}, needs="equals_plain"),
    Check("no_links", equals_reference, "no_links", "where neither side has a link, the rate is right: 0", 0.25, RATE),
    Check("inputs_unchanged", inputs_unchanged, "more", "your inputs are left as they were", 0.25, needs="equals_plain"),
)  # fmt: skip


EXERCISE = Outline(
    minutes=10,
    checks=CHECKS,
    hints=(
        "Count on paper: how many links has each side, and how many have both?",
        "`predicted & gold` is True where both have a link. `sum()` counts.",
        "`1 - 2 * (predicted & gold).sum() / (predicted.sum() + gold.sum())`, and 0 where there are no links at all.",
    ),
    ask=ask,
)
