"""What an exercise asks and promises: questions, checks and known mistakes, as data."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from course_lib.checking.answers import Answers
from course_lib.checking.questions import Question
from course_lib.checking.rules import Rule

#: joins the names of two misconceptions that are made at once
TOGETHER = " + "


#: from the questions by name, the answers and the right ones, decides whether they show a mistake whose answers cannot
#: be compared
Matcher = Callable[[Mapping[str, Question], Answers, Answers], bool]


@dataclass(frozen=True)
class Check:
    """A sentence that is true of a correct implementation, and the points it earns.

    Attributes:
        name: short and unique within the exercise, such as ``"rows_sum_to_one"``.
        rule: the function that decides, such as `course_lib.checking.rules.equals_reference`.
        question: the name of the question whose answer it examines.
        also: further questions on which it must hold; the finding is that of the first that breaks it.
        sentence: what the student reads, such as ``"each query's weights sum to 1"``.
        points: what it earns when it holds.
        settings: further arguments of the rule, by name.
        needs: the check without which this one earns nothing, because constants satisfy every invariance.
        gate: whether the whole exercise earns nothing while this check is broken.
    """

    name: str
    rule: Rule
    question: str
    sentence: str
    points: float = 0.0
    settings: Mapping[str, Any] = field(default_factory=dict)
    needs: str | None = None
    gate: bool = False
    also: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Raise a `TypeError` if the rule doesn't take these settings."""
        try:
            inspect.signature(self.rule).bind(None, None, None, **self.settings)
        except TypeError as error:
            raise TypeError(f"check {self.name!r}: {self.rule.__name__}: {error}") from None

    @property
    def questions(self) -> tuple[str, ...]:
        """The questions whose answers it examines."""
        return (self.question, *self.also)


@dataclass(frozen=True)
class Misconception:
    """A known mistake, as the student reads about it.

    Attributes:
        name: unique within the exercise, such as ``"unscaled"``.
        sentence: what the implementation actually does.
        hints: nudge, locate, show.
        matcher: the function of `course_lib.checking.matchers` that recognises the mistake if its answers cannot
            be compared because they are random; None if equal answers are enough.
    """

    name: str
    sentence: str
    hints: tuple[str, str, str]
    matcher: Matcher | None = None


@dataclass(frozen=True)
class Exercise:
    """One graded component.

    Attributes:
        id: such as ``"scaled_dot_product_attention"``; also nbgrader's ``grade_id``.
        lesson: such as ``"03_self_attention"``.
        symbol: the name that the student defines, such as ``"SelfAttention"``.
        signature: such as ``"(query, key, value, mask=None)"``; empty if the answer is a value, worked out on paper.
        points: the sum of its checks' points.
        place: its position in the lesson, from 0.
        minutes: about how long it takes.
        checks: in the order in which the card shows them.
        misconceptions: the known mistakes.
        hints: nudge, locate, show, for a wrong answer that has no name.
        builds_on: earlier exercises. Their *named* mistakes don't cost points again here; their other mistakes may
            explain the answers.
    """

    id: str
    lesson: str
    symbol: str
    signature: str
    points: float
    place: int
    minutes: int
    checks: tuple[Check, ...]
    misconceptions: tuple[Misconception, ...]
    hints: tuple[str, str, str]
    builds_on: tuple[str, ...] = ()

    @property
    def on_paper(self) -> bool:
        """Whether the answer is a value that a student works out on paper, not a function or class."""
        return not self.signature

    def check(self, name: str) -> Check:
        """Return the check of that name."""
        return next(check for check in self.checks if check.name == name)

    def names(self, misconception: str) -> bool:
        """Return whether a misconception may be named. A course's policy may withhold all of them from students."""
        return set(misconception.split(TOGETHER)) <= {known.name for known in self.misconceptions}

    def misconception(self, name: str) -> Misconception:
        """Return the misconception of that name, or a combination of both for two at once (``"a + b"``)."""
        parts = [next(m for m in self.misconceptions if m.name == part) for part in name.split(TOGETHER)]
        if len(parts) == 1:
            return parts[0]
        sentence = f"Two things at once. First: {parts[0].sentence} Second: {parts[1].sentence}"
        return Misconception(name, sentence, parts[0].hints)
