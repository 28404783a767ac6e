"""Render the page that shows the common parts of solutions, for a person to judge."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from autograder.integrity.compare import LEAST_TOKENS, NEARLY, Comparison
from autograder.integrity.gather import File, Partly
from autograder.integrity.pairs import LEAST, LEAST_ELSEWHERE, RARE, Pair
from autograder.integrity.solution import FRAGMENT, Solution
from autograder.integrity.tokens import LONGEST_LINE, lines_of
from course_lib.checking.formatting import printable
from course_lib.checking.html import render

#: the most pairs of an exercise that are shown, and the most lines of a solution
MOST_PAIRS, MOST_LINES = 12, 200
#: the lines of a long solution that are shown before the first one that few have
LEAD = 10


@dataclass(frozen=True)
class Line:
    """A line of a solution. Its kind is ``rare`` or ``common`` if both students have it, and empty otherwise."""

    text: str
    kind: str


@dataclass(frozen=True)
class Shown:
    """A pair on the page, shown once for all students with the same two texts.

    Attributes:
        also: the other students with one of the two texts, token by token.
    """

    pair: Pair
    also: tuple[str, ...]


@dataclass(frozen=True)
class Together:
    """Two students' pairs over all exercises of a lesson."""

    first: str
    second: str
    weight: float
    exercises: tuple[str, ...]


def integrity_page(
    lesson: str,
    comparisons: Sequence[Comparison],
    unread: Sequence[str],
    files: Sequence[File] = (),
    partly: Sequence[Partly] = (),
) -> str:
    """Render the page of one lesson, without scripts and without any other file.

    Args:
        unread: the students whose submissions could not be read.
        files: the files that were compared.
        partly: the solutions that could not be compared as usual.
    """
    return render(
        Path(__file__).with_name("page.html"),
        lesson=lesson,
        comparisons=comparisons,
        together=_over_the_lesson(comparisons),
        most=MOST_PAIRS,
        shown=shown,
        lines=lines,
        plain_lines=plain_lines,
        unread=[printable(student) for student in unread],
        files=files,
        partly=partly,
        least_tokens=LEAST_TOKENS,
        printable=printable,
        fragment=FRAGMENT,
        rare=RARE,
        least=LEAST,
        least_elsewhere=LEAST_ELSEWHERE,
        nearly=NEARLY,
        made=date.today().isoformat(),
    )


def _over_the_lesson(comparisons: Sequence[Comparison]) -> list[Together]:
    """Return pairs of students who share something in several exercises, those with the largest weight first."""
    found: dict[tuple[str, str], list[Pair]] = defaultdict(list)
    for comparison in comparisons:
        for pair in comparison.pairs:
            found[pair.first.owner, pair.second.owner].append(pair)
    together = (
        Together(*owners, sum(pair.weight for pair in pairs), tuple(pair.exercise for pair in pairs))
        for owners, pairs in found.items()
        if len(pairs) > 1
    )
    return sorted(together, key=lambda one: -one.weight)[: 2 * MOST_PAIRS]


def shown(pairs: Sequence[Pair]) -> list[Shown]:
    """Return the pairs, with a group that shares one text shown only once."""
    groups: dict[frozenset[tuple[str, ...]], list[Pair]] = {}
    for pair in pairs:
        groups.setdefault(frozenset((_texts(pair.first), _texts(pair.second))), []).append(pair)
    return [Shown(first, _others(group)) for group in groups.values() for first in group[:1]]


def _texts(solution: Solution) -> tuple[str, ...]:
    return tuple(token.text for token in solution.tokens)


def _others(group: Sequence[Pair]) -> tuple[str, ...]:
    owners = {solution.owner for pair in group for solution in (pair.first, pair.second)}
    return tuple(sorted(owners - {group[0].first.owner, group[0].second.owner}))


def plain_lines(solution: Solution) -> Iterator[str]:
    """Yield a solution's lines without marks."""
    for text in lines_of(solution.source)[:MOST_LINES]:
        yield printable(text[:LONGEST_LINE].expandtabs(4).rstrip())


def lines(pair: Pair, solution: Solution) -> Iterator[Line]:
    """Yield a solution's lines, marked as rare or common. Of a long solution, begin shortly before the first mark."""
    rare, common = solution.lines_of(pair.rare), solution.lines_of(pair.common)
    texts = lines_of(solution.source)
    begin = max(0, min(rare) - LEAD) if len(texts) > MOST_LINES else 0
    for number, text in enumerate(texts[begin : begin + MOST_LINES], begin):
        kind = "rare" if number in rare else "common" if number in common else ""
        yield Line(printable(text[:LONGEST_LINE].expandtabs(4).rstrip()), kind)
