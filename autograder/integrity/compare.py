"""Compare all solutions of an exercise: how similar two are, and which fragments they share that few others have.

Any two short solutions of one task are similar, so similarity alone proves nothing. Pairs are ranked by the fragments
that they share and few others have. A fragment is a run of about one line of tokens, as in winnowing (Schleimer,
Wilkerson and Aiken 2003). Cells are short enough to keep all fragments instead of sampling them.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Indel
from rapidfuzz.process import cdist

from autograder.integrity.pairs import Elsewhere, Pair, pairs_elsewhere, pairs_of
from autograder.integrity.solution import Solution


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


def compare(exercise: str, solutions: Sequence[Solution], elsewhere: Elsewhere | None = None) -> Comparison:
    """Compare all solutions of an exercise, students' and ours. Leave out empty ones.

    Args:
        elsewhere: the code in which parts of these solutions are looked for, too.
    """
    theirs = [solution for solution in solutions if solution.tokens and not solution.ours]
    ours = [solution for solution in solutions if solution.tokens and solution.ours]
    everyone = [*theirs, *ours]
    alike = _likeness(everyone)
    count = len(theirs)
    between = alike[:count, :count][np.triu_indices(count, 1)]
    usual = tuple(float(q) for q in np.quantile(between, (0.25, 0.75, 0.95))) if len(between) else (0.0, 0.0, 0.0)
    near = _near(theirs, ours, alike)
    pairs = list(pairs_of(exercise, theirs, ours, alike[:count, :count]))
    found = {pair.owners for pair in pairs}
    if elsewhere:
        pairs += [pair for pair in pairs_elsewhere(exercise, theirs, elsewhere) if pair.owners not in found]
    pairs.sort(key=lambda pair: -pair.weight)
    groups, teams = same_groups(theirs, alike[:count, :count], {one for owners in near.values() for one in owners})
    listed = {pair.owners for pair in pairs}
    unlisted = tuple(
        group
        for group in groups
        if any(frozenset((a.owner, b.owner)) not in listed for a, b in combinations(group, 2) if not a.is_with(b))
    )
    return Comparison(exercise, count, usual, tuple(pairs), near, unlisted, teams)  # type: ignore[arg-type]


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
