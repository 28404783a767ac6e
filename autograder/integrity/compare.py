"""Compare all solutions of an exercise: how similar two are, and which fragments they share that few others have.

Any two short solutions of one task are similar, so similarity alone proves nothing. Pairs are ranked by the fragments
that they share and few others have. A fragment is a run of about one line of tokens, as in winnowing (Schleimer,
Wilkerson and Aiken 2003). Cells are short enough to keep all fragments instead of sampling them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Indel
from rapidfuzz.process import cdist

from autograder.integrity.tokens import Token, read_tokens

#: the number of tokens in a fragment, about a line of code
FRAGMENT = 12
#: the largest share of a class that may have a rare fragment. Two students may always have one
RARE = 0.25
#: the least weight of a pair that is shown, in fragments that only these two have
LEAST = 4.0


@dataclass(frozen=True)
class Solution:
    """Somebody's solution of an exercise.

    Attributes:
        owner: a student, or the name of a text of ours.
        source: the source as it was handed in.
        tokens: the source's tokens, without the released code.
        ours: whether it is our solution, a registered alternative or public code.
        whole: whether the tokens cover the whole source; False if it was too long.
        teams: the labels of the teams that the student belongs to.
    """

    owner: str
    source: str
    tokens: tuple[Token, ...]
    ours: bool = False
    whole: bool = True
    teams: frozenset[str] = frozenset()

    @classmethod
    def of(cls, owner: str, source: str, stub: str = "", ours: bool = False, teams: Iterable[str] = ()) -> Solution:
        """Make a solution without the released stub."""
        tokens, whole = read_tokens(source, stub)
        return cls(owner, source, tuple(tokens), ours, whole, frozenset(teams))

    def is_with(self, other: Solution) -> bool:
        """Return whether both belong to the same team, whose members hand in the same work."""
        return not self.teams.isdisjoint(other.teams)

    @property
    def unit(self) -> str:
        """Return the team, or the student without a team. Either counts once among the holders of a fragment."""
        return f"team {min(self.teams)}" if self.teams else f"student {self.owner}"

    @cached_property
    def fragments(self) -> list[tuple[str, ...]]:
        """Return each run of tokens, in order. A shorter solution is a single fragment."""
        texts = [token.text for token in self.tokens]
        return [tuple(texts[i : i + FRAGMENT]) for i in range(max(1, len(texts) - FRAGMENT + 1))] if texts else []

    def lines_of(self, fragments: set[tuple[str, ...]]) -> set[int]:
        """Return the lines that contain any part of these fragments."""
        return {
            token.line
            for i, fragment in enumerate(self.fragments)
            if fragment in fragments
            for token in self.tokens[i : i + FRAGMENT]
        }


@dataclass(frozen=True)
class Pair:
    """Two solutions that share something few others have.

    Attributes:
        weight: the weight of the shared fragments. One that only these two have weighs 1, and one that more have less.
        alike: the share of their tokens that both have in the same order, from 0 to 1.
        rare: the shared fragments that few have.
        common: the shared fragments that many have, or that are in a text of ours.
        holders: the largest and the smallest number of students who have one of their rare fragments.
    """

    exercise: str
    first: Solution
    second: Solution
    weight: float
    alike: float
    rare: frozenset[tuple[str, ...]]
    common: frozenset[tuple[str, ...]]
    holders: tuple[int, int]


@dataclass(frozen=True)
class Comparison:
    """The comparison of all solutions of an exercise.

    Attributes:
        students: the number of students who wrote something.
        usual: the quartiles and the 95th percentile of the similarity of two students.
        pairs: the pairs that share something rare, those with the largest weight first.
        near_ours: the students whose solution is nearly equal to a text of ours, by its name.
        groups: the students whose solutions are nearly equal and who are not in a pair.
        teams: the teammates whose solutions are nearly equal, which is expected.
    """

    exercise: str
    students: int
    usual: tuple[float, float, float]
    pairs: tuple[Pair, ...]
    near_ours: dict[str, list[str]]
    groups: tuple[tuple[Solution, ...], ...] = ()
    teams: tuple[tuple[Solution, ...], ...] = ()


#: the least similarity of solutions that count as nearly equal
NEARLY = 0.95
#: the fewest tokens of a solution in a group, because there are few ways to write shorter ones
LEAST_TOKENS = 60


def compare(exercise: str, solutions: Sequence[Solution]) -> Comparison:
    """Compare all solutions of an exercise, students' and ours. Leave out empty ones."""
    theirs = [solution for solution in solutions if solution.tokens and not solution.ours]
    ours = [solution for solution in solutions if solution.tokens and solution.ours]
    everyone = [*theirs, *ours]
    alike = _likeness(everyone)
    count = len(theirs)
    between = alike[:count, :count][np.triu_indices(count, 1)]
    usual = tuple(float(q) for q in np.quantile(between, (0.25, 0.75, 0.95))) if len(between) else (0.0, 0.0, 0.0)
    near = _near(theirs, ours, alike)
    pairs = _pairs(exercise, theirs, ours, alike)
    groups, teams = same_groups(theirs, alike[:count, :count], {one for owners in near.values() for one in owners})
    listed = {frozenset((pair.first.owner, pair.second.owner)) for pair in pairs}
    unlisted = tuple(
        group
        for group in groups
        if any(frozenset((a.owner, b.owner)) not in listed for a, b in combinations(group, 2) if not a.is_with(b))
    )
    return Comparison(exercise, count, usual, pairs, near, unlisted, teams)  # type: ignore[arg-type]


def _likeness(solutions: Sequence[Solution]) -> NDArray[Any]:
    """Compute all similarities. Turn tokens into letters, because the library compares 64 letters of a text at once."""
    letters: dict[str, str] = {}
    words = [
        "".join(letters.setdefault(token.text, chr(0x100 + len(letters))) for token in solution.tokens[:2000])
        for solution in solutions
    ]
    return cdist(words, words, scorer=Indel.normalized_similarity, dtype=np.float32)


def _near(theirs: Sequence[Solution], ours: Sequence[Solution], alike: NDArray[Any]) -> dict[str, list[str]]:
    if not ours:
        return {}
    near: dict[str, list[str]] = {solution.owner: [] for solution in ours}
    for i, solution in enumerate(theirs):
        likenesses = alike[i, len(theirs) :]
        if likenesses.max() >= NEARLY:
            near[ours[int(likenesses.argmax())].owner].append(solution.owner)
    return {name: owners for name, owners in near.items() if owners}


def same_groups(
    theirs: Sequence[Solution], alike: NDArray[Any], near_ours: Set[str]
) -> tuple[list[tuple[Solution, ...]], tuple[tuple[Solution, ...], ...]]:
    """Return groups with nearly equal solutions, the smallest first, and separately those within one team.

    Each member's solution is nearly equal to that of the group's first. Leave out solutions that are short or near one
    of ours, because many students write those.
    """
    open_ = [i for i, one in enumerate(theirs) if len(one.tokens) >= LEAST_TOKENS and one.owner not in near_ours]
    groups: list[tuple[Solution, ...]] = []
    while open_:
        same = [i for i in open_ if i == open_[0] or alike[open_[0], i] >= NEARLY]
        open_ = [i for i in open_ if i not in same]
        if len(same) > 1:
            groups.append(tuple(theirs[i] for i in same))
    of_team = tuple(group for group in groups if frozenset.intersection(*(one.teams for one in group)))
    return sorted((group for group in groups if group not in of_team), key=len), of_team


def _pairs(
    exercise: str, theirs: Sequence[Solution], ours: Sequence[Solution], alike: NDArray[Any]
) -> tuple[Pair, ...]:
    held = [set(solution.fragments) for solution in theirs]
    units: dict[tuple[str, ...], set[str]] = {}
    for solution, fragments in zip(theirs, held, strict=True):
        for fragment in fragments:
            units.setdefault(fragment, set()).add(solution.unit)
    holders = {fragment: len(who) for fragment, who in units.items()}
    known = {fragment for solution in ours for fragment in solution.fragments}
    most = max(2, int(RARE * len(theirs)))
    rare = {fragment: n for fragment, n in holders.items() if 2 <= n <= most and fragment not in known}
    place = {fragment: column for column, fragment in enumerate(rare)}
    has = np.zeros((len(theirs), len(place)), dtype=np.float32)
    for row, fragments in enumerate(held):
        has[row, [place[fragment] for fragment in fragments & place.keys()]] = 1
    counts = np.array(list(rare.values()), dtype=np.float32)
    weights = np.log((len(theirs) + 1) / counts) / np.log((len(theirs) + 1) / 2)
    together = np.triu((has * weights) @ has.T, 1)
    found = []
    for i, j in np.argwhere(together >= LEAST):
        if theirs[i].is_with(theirs[j]):
            continue
        shared = held[i] & held[j]
        few = frozenset(shared & rare.keys())
        numbers = [rare[fragment] for fragment in few]
        about = (float(together[i, j]), float(alike[i, j]), few, frozenset(shared - few), (max(numbers), min(numbers)))
        found.append(Pair(exercise, theirs[i], theirs[j], *about))
    return tuple(sorted(found, key=lambda pair: -pair.weight))
