"""Exercise `who_sees_whom`: which output of a model depends on which token."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import torch
from torch import Tensor

from autograder.exercises.definition import Outline
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Question, Reading
from course_lib.checking.rules import equals_reference, inputs_unchanged


def _asked(sampler: Sampler, name: str, weights: Tensor) -> Reading:
    """Return a question about a model with these weights (T, T, V)."""
    ids = torch.tensor(sampler.shuffled(range(1, 21))[: len(weights)])
    return Reading(name, {"model": weights, "ids": ids, "other": 0}, returns=["seen"])


def _weights(sampler: Sampler, seen: Tensor, numbers: int) -> Tensor:
    """Return whole weights (T, T, V). They are 0 if an output doesn't depend on a token.

    All V numbers of an output grow with a token, or all of them shrink. Both occur.
    """
    size = sampler.tensor(*seen.shape, numbers).abs().round().clamp(1, 3)  # (T, T, V)
    sign = sampler.tensor(*seen.shape).sign()  # (T, T)
    first, *_, last = map(tuple, seen.nonzero().tolist())
    sign[first], sign[last] = 1, -1
    return size * (sign * seen).unsqueeze(-1) + 0.0  # no −0


def _any_pairs(sampler: Sampler, length: int) -> Tensor:
    """Return pairs (T, T) with both values in each row and column and on the diagonal, which are not symmetric."""
    while True:
        seen = sampler.tensor(length, length) > 0
        lines = (*seen, *seen.T, seen.diagonal())
        if all(line.any() and not line.all() for line in lines) and (seen != seen.T).any():
            return seen


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about few tokens, any pairs, changes in one number, cancelling changes, small changes, and one token."""
    yield _asked(sampler, "by_hand", _weights(sampler, _any_pairs(sampler, 3), 1))
    length, numbers = sampler.sizes(2)
    length, numbers = max(length, 5), max(numbers, 3)
    yield _asked(sampler, "plain", _weights(sampler, _any_pairs(sampler, length), numbers))

    single = _weights(sampler, _any_pairs(sampler, 4), 3)
    kept = [sampler.shuffled(range(3)) for _ in range(6)]  # each of the three numbers is the only one somewhere
    for (row, column), number in zip(single[..., 0].nonzero().tolist(), chain.from_iterable(kept), strict=False):
        single[row, column] *= torch.arange(3) == number
    yield _asked(sampler, "one_number", single)
    half = _weights(sampler, _any_pairs(sampler, 4), 1)
    yield _asked(sampler, "cancelling", torch.cat([half, -half], dim=-1))

    seen = _any_pairs(sampler, 4)
    seen[:, 0] = False
    small = 1e-5 * _weights(sampler, seen, 2) + 5e-12 * _weights(sampler, ~seen, 2)
    small[:, 0] = 100.0  # next to large numbers, small changes are small also as a share
    yield _asked(sampler, "small", small)
    yield _asked(sampler, "one_token", torch.ones(1, 1, 2))


SEEN = {"fields": ["seen"]}

CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "the grid of three tokens comes out right", 0.5, SEEN),
    Check("equals_plain", equals_reference, "plain", "larger grids come out right, whatever depends on what", 1.0, SEEN, also=("one_token",)),
    Check("any_number", equals_reference, "one_number", "outputs in which a single number moves, or two in opposite directions, come out right", 0.75, SEEN, also=("cancelling",)),
    Check("small_changes", equals_reference, "small", "models with small changes come out right: more than 1e-9 counts, and rounding doesn't", 0.5, SEEN),
    Check("inputs_unchanged", inputs_unchanged, "plain", "the sentence is left as it was", 0.25, needs="equals_by_hand"),
)  # fmt: skip


def _allows(question: Question) -> bool:
    """Return whether the other number isn't in the sentence."""
    return all(call["other"] not in call["ids"] for call in question.inputs)


EXERCISE = Outline(
    minutes=12,
    checks=CHECKS,
    hints=(
        "Do it on paper for three tokens: write down the sentence, and the three sentences in which one token is another. Which of the four does the model read, and what do you compare?",
        "Put the T changed sentences into one batch (T, T), let the model read it, and subtract its outputs for the sentence itself. A difference (T, T, V) says by its first axis which token was replaced, and by its second which output moved.",
        "`changed = ids.repeat(T, 1)`, `changed.fill_diagonal_(other)`, and `((model(changed) - model(ids[None])).abs().amax(dim=-1) > 1e-9).T`.",
    ),
    ask=ask,
    allows=_allows,
)
