"""Define an exercise on paper: a value that a student works out by hand and types in."""

from __future__ import annotations

from collections.abc import Iterator

from autograder.exercises.definition import Outline
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import OnPaper, Question
from course_lib.checking.rules import equals_reference
from course_lib.checking.values import Value


def on_paper(
    sentence: str,
    like: Value,
    hints: tuple[str, str, str],
    minutes: int = 4,
    decimals: int | None = 2,
    points: float = 1.0,
) -> Outline:
    """Return the outline of an exercise with one question and one check.

    The component is a function without parameters that works out the value. Everyone gets the same question, and the
    hidden one is the public one.

    Args:
        sentence: what the card says of a right answer.
        like: see `OnPaper`.
        hints: nudge, locate, show, for a wrong answer that has no name. A card never shows the right value.
        decimals: see `OnPaper`.
    """

    def ask(sampler: Sampler) -> Iterator[Question]:
        yield OnPaper("typed", like, decimals=decimals)

    check = Check("equals", equals_reference, "typed", sentence, points, {"fields": ["answer"]})
    return Outline(minutes, (check,), hints, ask)
