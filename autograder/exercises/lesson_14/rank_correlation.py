"""Exercise `rank_correlation`: whether two lists of numbers have the same order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, inputs_unchanged

RETURNS = ["correlation"]


def _pair(x: Tensor | Sequence[float], y: Tensor | Sequence[float]) -> dict[str, Tensor]:
    return {"x": torch.as_tensor(x, dtype=torch.float64), "y": torch.as_tensor(y, dtype=torch.float64)}


def _question(name: str, x: Tensor | Sequence[float], y: Tensor | Sequence[float]) -> Question:
    return Question(name, probes.call, {"arguments": _pair(x, y), "returns": RETURNS})


def _in_an_order_that_tells(draw: Draw, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """Both lists in one order, in which it matters that `argsort` has no ranks: of four numbers, that is luck.

    Where x is ascending, as from its end on here, `argsort` is as good as ranks.
    """
    while True:
        order = torch.tensor(draw.shuffled(range(len(x))))
        if abs(one_sort_for_ranks(x[order], y[order]) - one_sort_for_ranks(x.flip(0), y.flip(0))) > 0.1:
            return x[order], y[order]


def ask(draw: Draw) -> Iterator[Question]:
    """Four words on paper, numbers of very different sizes, ties on either side and on both, orders alike and opposite."""
    nearly = ([0.3, 2.0, 0.1, 0.0], [0.1, 0.3, 2.0, 0.0], [0.3, 0.1, 2.0, 0.0], [0.1, 2.0, 0.3, 0.0])
    falls = torch.tensor(draw.shuffled(nearly)[0])
    yield _question("by_hand", *_in_an_order_that_tells(draw, torch.tensor([0.6, 0.25, 0.1, 0.05]), falls))
    number = draw.shuffled((9, 10, 11))[0]
    x = draw.tensor(number)
    yield _question("plain", x, x + draw.tensor(number) / 2)
    y = draw.tensor(number)
    yield _question("far_apart", (3 * y + draw.tensor(number)).exp(), -(y**3))
    few, other = torch.tensor([0.0, 0.0, 1.0, 1.0, 1.0, 2.0, 3.0]), torch.tensor([3.0, 3.0, 1.0, 2.0, 1.0, 0.0, 0.0])
    order = draw.order(7)
    yield _question("ties", few[order], few[order] + draw.tensor(7) / 4)
    order = draw.order(7)
    yield _question("ties_on_both_sides", few[order], other[order])
    y = draw.tensor(number)
    alike = [_pair(y, 5 * y - 3), _pair(y, y.exp()), _pair(y, -y), _pair(y, -(y**3))]
    yield Question("alike_and_opposite", probes.call_each, {"calls": alike, "returns": RETURNS})
    flat = torch.full((number,), 0.25)
    constant = [_pair(flat, y), _pair(y, flat), _pair(flat, flat)]
    yield Question("constant", probes.call_each, {"calls": constant, "returns": RETURNS})
    x = draw.tensor(200)
    # without ties: of many equal numbers, which one a sort puts first differs from machine to machine
    yield _question("many", x + draw.order(200) / 1e5, x + draw.tensor(200) + draw.order(200) / 1e5)


CORRELATION = {"fields": RETURNS}
CALLS = [f"calls/{i}/correlation" for i in range(4)]

LAWS = (
    Law("equals_by_hand", equals_reference, "by_hand", "four words on paper come out right", 0.5, CORRELATION),
    Law("equals_plain", equals_reference, "plain", "random numbers come out right", 0.5, CORRELATION, also=("many",)),
    Law("far_apart", equals_reference, "far_apart", "numbers of very different sizes come out right", 0.25, CORRELATION),
    Law("ties", equals_reference, "ties", "equal numbers share their ranks", 0.75, CORRELATION,
        also=("ties_on_both_sides",)),
    Law("alike_and_opposite", equals_reference, "alike_and_opposite", "the same order gives 1, the opposite −1", 0.5, {"fields": CALLS},
        needs="equals_plain"),
    Law("constant", equals_reference, "constant", "where all numbers of a list are equal, 0 comes out", 0.25, {"fields": CALLS[:3]}),
    Law("inputs_unchanged", inputs_unchanged, "plain", "your inputs are left as they were", 0.25, needs="equals_plain"),
)  # fmt: skip


def ranks_by_sorting(x: Tensor, y: Tensor) -> float:
    ranks = [numbers.argsort().argsort().double() for numbers in (x, y)]
    a, b = (r - r.mean() for r in ranks)
    flat = bool((x == x[0]).all()) or bool((y == y[0]).all())
    return 0.0 if flat else float(a @ b / (a.norm() * b.norm()))


def ranks_by_sorting_unguarded(x: Tensor, y: Tensor) -> float:
    a, b = (numbers.argsort().argsort().double() - (len(numbers) - 1) / 2 for numbers in (x, y))
    return float(a @ b / (a.norm() * b.norm()))


def one_sort_for_ranks(x: Tensor, y: Tensor) -> float:
    a, b = (numbers.argsort().double() - (len(numbers) - 1) / 2 for numbers in (x, y))
    return float(a @ b / (a.norm() * b.norm()))


def one_sort_for_ranks_guarded(x: Tensor, y: Tensor) -> float:
    a, b = (numbers.argsort().double() - (len(numbers) - 1) / 2 for numbers in (x, y))
    flat = bool((x == x[0]).all()) or bool((y == y[0]).all())
    return 0.0 if flat else float(a @ b / (a.norm() * b.norm()))


def of_the_numbers(x: Tensor, y: Tensor) -> float:
    a, b = (numbers.double() - numbers.double().mean() for numbers in (x, y))
    size = a.norm() * b.norm()
    return float(a @ b / size) if size > 1e-12 else 0.0


def by_squared_differences(x: Tensor, y: Tensor) -> float:
    def ranks(numbers: Tensor) -> Tensor:
        smaller = (numbers[None] < numbers[:, None]).sum(dim=1)
        return smaller.double() + ((numbers[None] == numbers[:, None]).sum(dim=1) - 1).double() / 2

    n = len(x)
    return 1 - 6 * float((ranks(x) - ranks(y)).square().sum()) / (n * (n * n - 1))


def by_squared_differences_guarded(x: Tensor, y: Tensor) -> float:
    def ranks(numbers: Tensor) -> Tensor:
        smaller = (numbers[None] < numbers[:, None]).sum(dim=1)
        return smaller.double() + ((numbers[None] == numbers[:, None]).sum(dim=1) - 1).double() / 2

    if bool((x == x[0]).all()) or bool((y == y[0]).all()):
        return 0.0
    n = len(x)
    return 1 - 6 * float((ranks(x) - ranks(y)).square().sum()) / (n * (n * n - 1))


def cosine_of_ranks(x: Tensor, y: Tensor) -> float:
    a, b = ((numbers[None] < numbers[:, None]).sum(dim=1).double() for numbers in (x, y))
    a, b = (r + ((n[None] == n[:, None]).sum(dim=1) - 1).double() / 2 for r, n in ((a, x), (b, y)))
    flat = bool((x == x[0]).all()) or bool((y == y[0]).all())
    return 0.0 if flat else float(a @ b / (a.norm() * b.norm()))


def share_of_pairs(x: Tensor, y: Tensor) -> float:
    signs = torch.sign(x[:, None] - x) * torch.sign(y[:, None] - y)
    pairs = len(x) * (len(x) - 1)
    return float(signs.sum()) / pairs


RANKS = "ranks = smaller.double() + (equal - 1).double() / 2"
CENTRED = "centred.append(ranks - (len(numbers) - 1) / 2)"
RETURN = "return float(centred[0] @ centred[1] / size) if size > 0 else 0.0"

MISTAKES = (
    mistake(
        "ties_in_the_order_they_come",
        "Equal numbers get different ranks, in the order in which they happen to stand. They should share the mean of their ranks.",
        (
            "Which ranks do the two smallest numbers of (0, 0, 1) get?",
            "Sorting puts one of two equal numbers first. Is there a reason for that one?",
            "The rank of a number is how many are smaller, plus half of how many *others* are equal.",
        ),
        source=ranks_by_sorting,
        group=ALONE,
    ),
    mistake(
        "ties_in_the_order_they_come_even_if_all_are_equal",
        "Equal numbers get different ranks, in the order in which they happen to stand; even a list of nothing but equal numbers has an order then. They should share the mean of their ranks.",
        (
            "Which ranks do the two smallest numbers of (0, 0, 1) get?",
            "Sorting puts one of two equal numbers first. Is there a reason for that one?",
            "The rank of a number is how many are smaller, plus half of how many *others* are equal.",
        ),
        source=ranks_by_sorting_unguarded,
        group=ALONE,
    ),
    mistake(
        "positions_for_ranks",
        "You correlate `argsort`, which says *where* the smallest number stands, the second smallest, and so on. That isn't the rank of each number.",
        (
            "What is `argsort` of (30, 10, 20)? And what are the ranks?",
            "One more step turns the one into the other.",
            "`argsort().argsort()` gives ranks, up to ties. Counting the smaller ones gives them with ties.",
        ),
        source=one_sort_for_ranks_guarded,
        group=ALONE,
    ),
    mistake(
        "positions_for_ranks_of_equal_numbers_too",
        "You correlate `argsort`, which says *where* the smallest number stands, the second smallest, and so on. That isn't the rank of each number. And where all numbers of a list are equal, you don't return 0.",
        (
            "What is `argsort` of (30, 10, 20)? And what are the ranks?",
            "One more step turns the one into the other.",
            "`argsort().argsort()` gives ranks, up to ties. Counting the smaller ones gives them with ties.",
        ),
        source=one_sort_for_ranks,
        group=ALONE,
    ),
    mistake(
        "numbers_for_ranks",
        "You correlate the numbers themselves. One number that is far from the rest then decides everything.",
        (
            "Replace the largest number by one a hundred times larger. Does your result change?",
            "What is left of a number when only the order counts?",
            "Replace each number by its rank first.",
        ),
        source=of_the_numbers,
        group=ALONE,
    ),
    mistake(
        "formula_without_ties",
        "You use 1 − 6Σd²/(n(n² − 1)). That is a shortcut for lists without equal numbers; with them it is off.",
        (
            "Is yours right on lists without equal numbers, and wrong on others?",
            "The shortcut assumes that the ranks are 0, 1, …, n − 1, each once.",
            "Correlate the ranks: subtract their means, multiply, divide by both norms.",
        ),
        source=by_squared_differences_guarded,
        group=ALONE,
    ),
    mistake(
        "formula_without_ties_for_equal_numbers_too",
        "You use 1 − 6Σd²/(n(n² − 1)). That is a shortcut for lists without equal numbers; with them it is off, and furthest where all are equal.",
        (
            "Is yours right on lists without equal numbers, and wrong on others?",
            "The shortcut assumes that the ranks are 0, 1, …, n − 1, each once.",
            "Correlate the ranks: subtract their means, multiply, divide by both norms. Return 0 where a norm is 0.",
        ),
        source=by_squared_differences,
        group=ALONE,
    ),
    mistake(
        "pairs_counted",
        "You count pairs that are in the same order, less those in the opposite one. That is Kendall's correlation; Spearman's correlates ranks.",
        (
            "Compare yours with the number on paper.",
            "Spearman's measure looks at how *far* apart two ranks are.",
            "Rank both lists, and correlate the ranks.",
        ),
        source=share_of_pairs,
        group=ALONE,
    ),
    mistake(
        "ties_take_the_lowest",
        "Equal numbers all get the lowest of their ranks. They should share the mean.",
        (
            "Which ranks do the two smallest numbers of (0, 0, 1) get?",
            "Half of the others that are equal are missing.",
            "How many are smaller, plus half of how many *others* are equal.",
        ),
        (RANKS, "ranks = smaller.double()"),
        (CENTRED, "centred.append(ranks - ranks.mean())"),
        group="ranks",
    ),
    mistake(
        "distinct_numbers_counted",
        "Equal numbers share a rank, but the next number gets the very next one, as if the group were a single number.",
        (
            "Which rank has the 1 in (0, 0, 1)? It should be 2.",
            "How many numbers are smaller than it?",
            "Count numbers, not different values.",
        ),
        (RANKS, "ranks = torch.unique(numbers, return_inverse=True)[1].double()"),
        (CENTRED, "centred.append(ranks - ranks.mean())"),
        group="ranks",
    ),
    mistake(
        "not_centred",
        "You multiply the ranks without subtracting their mean, so the result is never negative.",
        (
            "What do two opposite orders give?",
            "A correlation measures deviations from the mean.",
            "Subtract the mean rank, (n − 1) / 2, from both lists.",
        ),
        (CENTRED, "centred.append(ranks)"),
        group="ranks",
    ),
    mistake(
        "cosine_of_the_ranks",
        "You divide by both norms, but never subtract the mean rank: a cosine of two lists without negative numbers is never negative.",
        (
            "What do two opposite orders give? It should be −1.",
            "A correlation measures deviations from the mean.",
            "Subtract the mean rank, (n − 1) / 2, from both lists.",
        ),
        source=cosine_of_ranks,
        group=ALONE,
    ),
    mistake(
        "not_divided_by_the_norms",
        "You return the covariance of the ranks. It isn't between −1 and 1, and grows with the number of words.",
        (
            "What do two equal orders give? It should be 1.",
            "By what is a covariance divided to become a correlation?",
            "Divide by both norms.",
        ),
        (RETURN, "return float(centred[0] @ centred[1] / len(x))"),
        group="divided",
    ),
    mistake(
        "squared",
        "You return the square of the correlation, and with it you lose the sign.",
        (
            "What do two opposite orders give? It should be −1.",
            "Which step makes it positive?",
            "Return the correlation itself.",
        ),
        (RETURN, "return float(centred[0] @ centred[1] / size) ** 2 if size > 0 else 0.0"),
        group="divided",
    ),
    mistake(
        "sign_lost",
        "You return the size of the correlation. An opposite order gives 1, where it should give −1.",
        (
            "What do two opposite orders give?",
            "Which step makes it positive?",
            "Leave out `abs`.",
        ),
        (RETURN, "return abs(float(centred[0] @ centred[1] / size)) if size > 0 else 0.0"),
        group="divided",
    ),
    mistake(
        "nan_where_all_are_equal",
        "Where all numbers of a list are equal, you divide 0 by 0.",
        (
            "What is the norm of ranks that are all the same?",
            "What should come out? The exercise says it.",
            "Return 0 where one of the norms is 0.",
        ),
        (RETURN, "return float(centred[0] @ centred[1] / size)"),
        group="divided",
    ),
    mistake(
        "means_and_deviations_by_other_counts",
        "Your covariance is a mean over N, and your standard deviations are over N − 1, as `std()` has it: the same order gives (N − 1) / N.",
        (
            "What do two equal orders give? It should be 1.",
            "By what does `std()` divide, unless you say otherwise?",
            "Divide by both norms, or say `std(correction=0)`.",
        ),
        (RETURN, "return float(centred[0] @ centred[1] / len(x) / (centred[0].std() * centred[1].std())) if size > 0 else 0.0"),
        group="divided",
    ),
    mistake(
        "one_list_the_other_way_round",
        "One of your lists is ranked from the largest number, and the other from the smallest: the sign is turned.",
        (
            "What do two equal orders give? It should be 1.",
            "Which rank has the largest number of each list?",
            "Rank both in the same direction.",
        ),
        (RETURN, "return -float(centred[0] @ centred[1] / size) if size > 0 else 0.0"),
        group="divided",
    ),
)  # fmt: skip


def with_numpy(x, y):
    def ranks(numbers):
        _, inverse, counts = np.unique(numbers.numpy(), return_inverse=True, return_counts=True)
        last = np.cumsum(counts)
        return (last - (counts + 1) / 2)[inverse.ravel()]

    a, b = ranks(x), ranks(y)
    if a.std() == 0 or b.std() == 0:
        return 0.0
    return float(np.corrcoef(a, b)[0, 1])


def in_plain_python(x, y):
    def ranks(numbers):
        return [sum(b < a for b in numbers) + (sum(b == a for b in numbers) - 1) / 2 for a in numbers]

    a, b = ranks(x.tolist()), ranks(y.tolist())
    middle = (len(a) - 1) / 2
    top = sum((p - middle) * (q - middle) for p, q in zip(a, b, strict=True))
    bottom = (sum((p - middle) ** 2 for p in a) * sum((q - middle) ** 2 for q in b)) ** 0.5
    return top / bottom if bottom else 0.0


def by_signs(x, y):
    """The sum of the signs of a number's differences is twice its centred rank."""
    a = torch.sign(x[:, None] - x[None]).sum(1)
    b = torch.sign(y[:, None] - y[None]).sum(1)
    size = torch.sqrt((a * a).sum() * (b * b).sum())
    return (a @ b / size).item() if size.item() > 0 else 0.0


def by_corrcoef(x, y):
    def ranks(numbers):
        ordered, place = torch.sort(numbers, stable=True)
        result = torch.empty(len(numbers), dtype=torch.float64)
        start = 0
        while start < len(ordered):
            stop = start
            while stop < len(ordered) and ordered[stop] == ordered[start]:
                stop += 1
            result[place[start:stop]] = (start + stop - 1) / 2
            start = stop
        return result

    if torch.all(x == x[0]) or torch.all(y == y[0]):
        return 0.0
    return torch.corrcoef(torch.stack([ranks(x), ranks(y)]))[0, 1].item()


def stub(x, y):
    raise NotImplementedError


def always_one(x, y):
    return 1.0


def always_zero(x, y):
    return 0.0


def noise(x, y):
    return float(torch.rand(())) * 2 - 1


RANK_CORRELATION = define(
    id="rank_correlation",
    lesson="14_reading",
    place=1,
    module="course_lib.components.rank_correlation",
    symbol="rank_correlation",
    minutes=15,
    laws=LAWS,
    hints=(
        "Write the ranks of both lists of the table on paper, from 0. What do two equal numbers get?",
        "The rank of a number is how many are smaller, plus half of how many others are equal. Comparing all with all, `numbers[None] < numbers[:, None]`, counts at once.",
        "Subtract (n − 1) / 2 from both lists of ranks. Then `a @ b / (a.norm() * b.norm())`, and 0 where a norm is 0.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(with_numpy, in_plain_python, by_signs, by_corrcoef),
    lazy=(stub, always_one, always_zero, noise),
    switches=("divided",),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


@RANK_CORRELATION.second_version("numbers_for_ranks")
def pearsons(x, y):
    if x.std() == 0 or y.std() == 0:
        return 0.0
    return torch.corrcoef(torch.stack([x, y]))[0, 1].item()


@RANK_CORRELATION.second_version("ties_take_the_lowest")
def searched(x, y):
    a, b = (torch.searchsorted(n.sort().values, n).double() for n in (x, y))
    a, b = a - a.mean(), b - b.mean()
    size = a.norm() * b.norm()
    return float(a @ b / size) if size > 0 else 0.0


@RANK_CORRELATION.second_version("sign_lost")
def without_a_sign(x, y):
    a, b = (torch.sign(n[:, None] - n[None]).sum(1) for n in (x, y))
    size = a.norm() * b.norm()
    return (a @ b).abs().item() / size.item() if size > 0 else 0.0


@RANK_CORRELATION.second_version("nan_where_all_are_equal")
def unguarded(x, y):
    a, b = (torch.sign(n[:, None] - n[None]).sum(1) for n in (x, y))
    return (a @ b / (a.norm() * b.norm())).item()


@RANK_CORRELATION.second_version("means_and_deviations_by_other_counts")
def with_std(x, y):
    a, b = (torch.sign(n[:, None] - n[None]).sum(1) for n in (x, y))
    return ((a * b).mean() / (a.std() * b.std())).item() if a.std() * b.std() > 0 else 0.0


@RANK_CORRELATION.second_version("ties_in_the_order_they_come_even_if_all_are_equal")
def places_in_a_sorted_list(x, y):
    a, b = (torch.empty(len(n)).double().scatter(0, n.argsort(), torch.arange(len(n)).double()) for n in (x, y))
    return torch.corrcoef(torch.stack([a, b]))[0, 1].item()
