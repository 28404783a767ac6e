"""Find pairs of solutions that share fragments which few others have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autograder.integrity.solution import Fragment, Solution

#: the largest share of a class that may have a rare fragment. Two students may always have one
RARE = 0.25
#: a pair is shown if it weighs more than this many fragments that only these two have. The limits were chosen with the
#: bank of independently written code in `benchmarks/wild`: pairs in it are there by chance
LEAST = 4.2
#: the same if the second student has the fragments outside the exercise, where more code could match by chance
LEAST_ELSEWHERE = 15.0


@dataclass(frozen=True)
class Pair:
    """Two solutions that share something few others have.

    Attributes:
        weight: the weight of the shared fragments. One that only these two have weighs 1, and one that more have less.
        alike: the share of their tokens that both have in the same order, from 0 to 1.
        rare: the shared fragments that few have.
        common: the shared fragments that many have, or that are in a text of ours.
        holders: the largest and the smallest number of students who have one of their rare fragments.
        elsewhere: whether the second student has the fragments outside this exercise. Then `second` is all their code.
    """

    exercise: str
    first: Solution
    second: Solution
    weight: float
    alike: float
    rare: frozenset[Fragment]
    common: frozenset[Fragment]
    holders: tuple[int, int]
    elsewhere: bool = False

    @property
    def owners(self) -> frozenset[str]:
        """Return both owners, in no order."""
        return frozenset((self.first.owner, self.second.owner))


@dataclass(frozen=True)
class Elsewhere:
    """Code in which parts of an exercise's solutions may be found, outside the exercise.

    Attributes:
        everything: all code of each student, and the lesson's mystery. Fragments are counted in it.
        places: those in which parts are looked for.
        ours: our solutions of all exercises.
    """

    everything: Sequence[Solution]
    places: Sequence[Solution]
    ours: Sequence[Solution]


class _Rare:
    """The fragments that at least two and few of these solutions have, with their weights.

    Args:
        solutions: the solutions in which fragments are counted, once for each team.
        ours: the solutions whose fragments weigh nothing.
    """

    def __init__(self, solutions: Sequence[Solution], ours: Iterable[Solution]) -> None:
        units: dict[Fragment, set[str]] = {}
        for solution in solutions:
            for fragment in solution.held:
                units.setdefault(fragment, set()).add(solution.unit)
        known = {fragment for solution in ours for fragment in solution.held}
        most = max(2, int(RARE * len(solutions)))
        counts = {fragment: len(who) for fragment, who in units.items()}
        self.holders = {fragment: n for fragment, n in counts.items() if 2 <= n <= most and fragment not in known}
        self._column = {fragment: column for column, fragment in enumerate(self.holders)}
        of_each = np.array(list(self.holders.values()), dtype=np.float32)
        self._weights = np.log((len(solutions) + 1) / of_each) / np.log((len(solutions) + 1) / 2)

    def together(self, first: Sequence[Set[Fragment]], second: Sequence[Set[Fragment]]) -> NDArray[np.float32]:
        """Return the weight of what each of the first shares with each of the second."""
        weighed: NDArray[np.float32] = (self._matrix(first) * self._weights) @ self._matrix(second).T
        return weighed

    def _matrix(self, held: Sequence[Set[Fragment]]) -> NDArray[np.float32]:
        has = np.zeros((len(held), len(self._column)), dtype=np.float32)
        for row, fragments in enumerate(held):
            has[row, [self._column[fragment] for fragment in fragments & self._column.keys()]] = 1
        return has


def pairs_of(
    exercise: str, theirs: Sequence[Solution], ours: Sequence[Solution], alike: NDArray[np.float32]
) -> Iterator[Pair]:
    """Yield the pairs of solutions of one exercise, in no order.

    Args:
        alike: the similarity of each two of `theirs`.
    """
    rare = _Rare(theirs, ours)
    held = [solution.held for solution in theirs]
    together = np.triu(rare.together(held, held), 1)
    for i, j in np.argwhere(together > LEAST):
        if not theirs[i].is_with(theirs[j]):
            shared = theirs[i].held & theirs[j].held
            yield _pair(exercise, theirs[i], theirs[j], float(together[i, j]), float(alike[i, j]), shared, rare)


def pairs_elsewhere(exercise: str, theirs: Sequence[Solution], elsewhere: Elsewhere) -> Iterator[Pair]:
    """Yield pairs in which code of one student's exercise is in another place of somebody else's code.

    Of two pairs with the same owners, yield only the one with the larger weight.
    """
    rare = _Rare(elsewhere.everything, elsewhere.ours)
    here = {solution.owner: solution.held for solution in theirs}
    apart = [solution.held - here.get(solution.owner, frozenset()) for solution in elsewhere.places]
    together = rare.together([solution.held for solution in theirs], apart)
    found: dict[frozenset[str], Pair] = {}
    for i, j in np.argwhere(together > LEAST_ELSEWHERE):
        first, second, weight = theirs[i], elsewhere.places[j], float(together[i, j])
        if first.owner == second.owner or first.is_with(second):
            continue
        shared = first.held & apart[j]
        alike = len(shared) / len(first.held)
        pair = _pair(exercise, first, second, weight, alike, shared, rare, elsewhere=True)
        found[pair.owners] = max(pair, found.get(pair.owners, pair), key=lambda one: one.weight)
    yield from found.values()


def _pair(
    exercise: str,
    first: Solution,
    second: Solution,
    weight: float,
    alike: float,
    shared: Set[Fragment],
    rare: _Rare,
    elsewhere: bool = False,
) -> Pair:
    few = frozenset(shared & rare.holders.keys())
    numbers = [rare.holders[fragment] for fragment in few]
    holders = (max(numbers), min(numbers))
    return Pair(exercise, first, second, weight, alike, few, frozenset(shared - few), holders, elsewhere)
