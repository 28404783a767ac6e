"""What an exercise asks and promises: questions, laws and known mistakes, as data."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from course_lib.checking import probes
from course_lib.checking.laws import Rule
from course_lib.checking.probes import Probe
from course_lib.checking.sheet import Sheet
from course_lib.checking.values import Value

#: joins the names of two misconceptions that are made at once
TOGETHER = " + "


@dataclass(frozen=True)
class Question:
    """A probe and what it is given.

    Attributes:
        probe: the function that puts it to an implementation, as `course_lib.checking.probes.call`.
        default_dtype: torch's default number type while it is asked. Exercises are asked in float64, in which rounding
            differs least from processor to processor, unless number types are the subject.
    """

    name: str
    probe: Probe
    given: Mapping[str, Value]
    default_dtype: str = "float32"

    @property
    def watched(self) -> bool:
        """Whether it asks what is called on the way, not what comes out."""
        return self.probe is probes.watched


#: from the questions by name, a sheet and the right one: whether it shows a mistake whose answers cannot be compared
Recogniser = Callable[[Mapping[str, Question], Sheet, Sheet], bool]


@dataclass(frozen=True)
class Law:
    """A sentence that a right implementation makes true, and the points it earns.

    Attributes:
        name: short and unique within the exercise, as ``"rows_sum_to_one"``.
        rule: the function that decides, as `course_lib.checking.laws.equals_reference`.
        question: the name of the question whose answer it looks at.
        also: further questions on which it must hold; the finding is that of the first that breaks it.
        sentence: what the student reads, as ``"each query's weights sum to 1"``.
        points: what it earns when it holds.
        settings: further arguments of the rule, by name.
        needs: the law without which this one earns nothing: constants satisfy every invariance.
        gate: whether nothing of the exercise earns anything while this law is broken.
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
        """Raise a `TypeError` where the settings are not those that the rule takes."""
        try:
            inspect.signature(self.rule).bind(None, None, None, **self.settings)
        except TypeError as error:
            raise TypeError(f"law {self.name!r}: {self.rule.__name__}: {error}") from None

    @property
    def questions(self) -> tuple[str, ...]:
        """The questions whose answers it looks at."""
        return (self.question, *self.also)


@dataclass(frozen=True)
class Misconception:
    """A known mistake, as a student reads of it.

    Attributes:
        name: unique within the exercise, as ``"unscaled"``.
        sentence: what the implementation actually does.
        hints: nudge, locate, show.
        recogniser: the function of `course_lib.checking.recognisers` that recognises the mistake
            where its answers cannot be compared (random ones); None: by equal answers.
    """

    name: str
    sentence: str
    hints: tuple[str, str, str]
    recogniser: Recogniser | None = None


@dataclass(frozen=True)
class Exercise:
    """One graded component.

    Attributes:
        id: as ``"scaled_dot_product_attention"``; also nbgrader's ``grade_id``.
        lesson: as ``"03_self_attention"``.
        symbol: the name the student defines, as ``"SelfAttention"``.
        signature: as ``"(query, key, value, mask=None)"``.
        points: the sum of its laws' points.
        place: its place in the lesson, from 0.
        minutes: about how long it takes.
        laws: in the order in which the card shows them.
        misconceptions: the known mistakes.
        hints: nudge, locate, show, for a wrong answer that has no name.
        builds_on: earlier exercises whose *named* mistakes are not charged again here, and whose others may explain it.
    """

    id: str
    lesson: str
    symbol: str
    signature: str
    points: float
    place: int
    minutes: int
    laws: tuple[Law, ...]
    misconceptions: tuple[Misconception, ...]
    hints: tuple[str, str, str]
    builds_on: tuple[str, ...] = ()

    def law(self, name: str) -> Law:
        """The law of that name."""
        return next(law for law in self.laws if law.name == name)

    def names(self, misconception: str) -> bool:
        """Whether a misconception may be named: a course's policy may withhold all of them from students."""
        return set(misconception.split(TOGETHER)) <= {known.name for known in self.misconceptions}

    def misconception(self, name: str) -> Misconception:
        """The misconception of that name; of two at once (``"a + b"``), one made of both."""
        parts = [next(m for m in self.misconceptions if m.name == part) for part in name.split(TOGETHER)]
        if len(parts) == 1:
            return parts[0]
        sentence = f"Two things at once. First: {parts[0].sentence} Second: {parts[1].sentence}"
        return Misconception(name, sentence, parts[0].hints)
