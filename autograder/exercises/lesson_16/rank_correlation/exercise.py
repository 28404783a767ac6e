"""Exercise `rank_correlation`: whether two lists of numbers have the same order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from autograder.exercises.definition import Outline
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Call, Calls, Question
from course_lib.checking.rules import equals_reference, inputs_unchanged

RETURNS = ["correlation"]


def _pair(x: Tensor | Sequence[float], y: Tensor | Sequence[float]) -> dict[str, Tensor]:
    return {"x": torch.as_tensor(x, dtype=torch.float64), "y": torch.as_tensor(y, dtype=torch.float64)}


def _question(name: str, x: Tensor | Sequence[float], y: Tensor | Sequence[float]) -> Question:
    return Call(name, _pair(x, y), returns=RETURNS)


def _in_an_order_that_tells(sampler: Sampler, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """Return both lists in a common order in which `argsort` differs from ranks, which not every order of four does.

    If x is ascending, as the reversed x is here, `argsort` is as good as ranks.
    """
    while True:
        order = torch.tensor(sampler.shuffled(range(len(x))))
        if abs(one_sort_for_ranks(x[order], y[order]) - one_sort_for_ranks(x.flip(0), y.flip(0))) > 0.1:
            return x[order], y[order]


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about four words, numbers of very different sizes, ties in one and both lists, equal and opposite orders."""
    nearly = ([0.3, 2.0, 0.1, 0.0], [0.1, 0.3, 2.0, 0.0], [0.3, 0.1, 2.0, 0.0], [0.1, 2.0, 0.3, 0.0])
    falls = torch.tensor(sampler.shuffled(nearly)[0])
    yield _question("by_hand", *_in_an_order_that_tells(sampler, torch.tensor([0.6, 0.25, 0.1, 0.05]), falls))
    number = sampler.shuffled((9, 10, 11))[0]
    x = sampler.tensor(number)
    yield _question("plain", x, x + sampler.tensor(number) / 2)
    y = sampler.tensor(number)
    yield _question("far_apart", (3 * y + sampler.tensor(number)).exp(), -(y**3))
    few, other = torch.tensor([0.0, 0.0, 1.0, 1.0, 1.0, 2.0, 3.0]), torch.tensor([3.0, 3.0, 1.0, 2.0, 1.0, 0.0, 0.0])
    order = sampler.order(7)
    yield _question("ties", few[order], few[order] + sampler.tensor(7) / 4)
    order = sampler.order(7)
    yield _question("ties_on_both_sides", few[order], other[order])
    y = sampler.tensor(number)
    alike = [_pair(y, 5 * y - 3), _pair(y, y.exp()), _pair(y, -y), _pair(y, -(y**3))]
    yield Calls("alike_and_opposite", alike, returns=RETURNS)
    flat = torch.full((number,), 0.25)
    constant = [_pair(flat, y), _pair(y, flat), _pair(flat, flat)]
    yield Calls("constant", constant, returns=RETURNS)
    x = sampler.tensor(200)
    # without ties, because the order in which a sort returns equal numbers differs between machines
    yield _question("many", x + sampler.order(200) / 1e5, x + sampler.tensor(200) + sampler.order(200) / 1e5)


CORRELATION = {"fields": RETURNS}


CALLS = [f"calls/{i}/correlation" for i in range(4)]


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "four words on paper come out right", 0.5, CORRELATION),
    Check("equals_plain", equals_reference, "plain", "random numbers come out right", 0.5, CORRELATION, also=("many",)),
    Check("far_apart", equals_reference, "far_apart", "numbers of very different sizes come out right", 0.25, CORRELATION),
    Check("ties", equals_reference, "ties", "equal numbers come out right: they share their ranks", 0.75, CORRELATION,
        also=("ties_on_both_sides",)),
    Check("alike_and_opposite", equals_reference, "alike_and_opposite", "the same order and the opposite one come out right: 1 and −1", 0.5, {"fields": CALLS},
        needs="equals_plain"),
    Check("constant", equals_reference, "constant", "a list of equal numbers comes out right: 0", 0.25, {"fields": CALLS[:3]}),
    Check("inputs_unchanged", inputs_unchanged, "plain", "your inputs are left as they were", 0.25, needs="equals_plain"),
)  # fmt: skip


def one_sort_for_ranks(x: Tensor, y: Tensor) -> float:
    """Correlate ranks that depend on how ties happen to be sorted."""
    a, b = (numbers.argsort().double() - (len(numbers) - 1) / 2 for numbers in (x, y))
    return float(a @ b / (a.norm() * b.norm()))


EXERCISE = Outline(
    minutes=15,
    checks=CHECKS,
    hints=(
        "Write the ranks of both lists of the table on paper, from 0. What do two equal numbers get?",
        "The rank of a number is how many are smaller, plus half of how many others are equal. Comparing all with all, `numbers[None] < numbers[:, None]`, counts at once.",
        "Subtract (n − 1) / 2 from both lists of ranks. Then `a @ b / (a.norm() * b.norm())`, and 0 where a norm is 0.",
    ),
    ask=ask,
)
