"""Making answer keys: every registered implementation answers the questions."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.exercises.by_hand import FINISHED
from autograder.exercises.definition import Definition
from autograder.exercises.draw import Draw
from course_lib.checking.ask import ask
from course_lib.checking.exercise import Question
from course_lib.checking.key import AnswerKey
from course_lib.checking.sheet import Sheet, same_answer


@dataclass(frozen=True)
class Answered:
    """What every registered implementation answers to the questions of one draw.

    Attributes:
        sheets: by the implementation's name, pairs of mistakes (``"a + b"``) included.
    """

    questions: tuple[Question, ...]
    sheets: Mapping[str, Sheet]


def answer_all(definition: Definition, draw: Draw) -> Answered:
    """Ask every registered implementation of an exercise, and every pair of mistakes."""
    with _without_warnings():
        questions = definition.questions(draw)
        implementations = (*definition.implementations, *definition.pairs.values())
        return Answered(questions, {i.name: ask(questions, definition.load(i)) for i in implementations})


def make_key(definition: Definition, answered: Answered, earlier: tuple[Definition, ...] = ()) -> AnswerKey:
    """The answer key of an exercise for the questions that were answered.

    Args:
        earlier: definitions of the exercises it builds on.
    """
    questions, sheets = answered.questions, answered.sheets
    reference = sheets["reference"]
    if failed := [name for name, answer in reference.items() if answer.error]:
        raise ValueError(f"{definition.id}: the reference itself fails on {failed}: {reference[failed[0]].error}")
    mistakes = {m.told.name: sheets[m.told.name] for m in definition.mistakes if not m.told.predicate}
    with _without_warnings():
        named = {
            name: sheets[name]
            for name in sheets
            if name in definition.named_pairs and not _answered_by_another(name, sheets)
        }
    carried = Carried(definition, questions, reference, earlier)
    return AnswerKey(definition.exercise, questions, reference, {**mistakes, **named}, carried)


class Carried(Mapping[tuple[str, str], tuple[Sheet, ...]]):
    """The answers of right implementations over each wrong earlier exercise, worked out when looked up.

    There are hundreds, and a class makes only a few of the mistakes. Several answers may be
    right over one mistake: implementations differ in how they use what they build on.
    """

    def __init__(
        self, definition: Definition, questions: tuple[Question, ...], reference: Sheet, earlier: tuple[Definition, ...]
    ) -> None:
        self._definition, self._questions, self._reference = definition, questions, reference
        self._between = earlier
        self._earlier = {
            (other.id, name): other
            for other in earlier
            for name in (*(m.told.name for m in other.mistakes), *other.named_pairs)
            if name != FINISHED  # what that returns is right
        }
        self._known: dict[tuple[str, str], tuple[Sheet, ...]] = {}

    def __getitem__(self, cause: tuple[str, str]) -> tuple[Sheet, ...]:
        if cause not in self._known:
            with _without_warnings():
                self._known[cause] = self._answers(self._earlier[cause], cause[1])
        return self._known[cause]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self._earlier)

    def __len__(self) -> int:
        return len(self._earlier)

    def _answers(self, other: Definition, mistake: str) -> tuple[Sheet, ...]:
        wrong = {other.exercise.symbol: other.load(other.implementation(mistake))}
        for between in self._between:  # what stands between the two calls the wrong one too
            if other.id in between.exercise.builds_on:
                wrong[between.exercise.symbol] = between.load(between.reference, wrong)
        sheets: list[Sheet] = [self._reference]
        for implementation in self._definition.implementations:
            if implementation.role in ("reference", "alternative"):
                sheet = ask(self._questions, self._definition.load(implementation, wrong))
                if not any(alike(sheet, known) for known in sheets):
                    sheets.append(sheet)
        return tuple(self._telling(sheets[1:], wrong))

    def _telling(self, sheets: list[Sheet], wrong: Mapping[str, Any]) -> list[Sheet]:
        """Those that no lazy implementation answers: where one does, the mistake has hidden all there is to see."""
        for implementation in self._definition.implementations:
            if implementation.role == "trivial" and sheets:
                lazy, same = self._definition.load(implementation, wrong), sheets
                for question in self._questions:
                    answer = ask([question], lazy)[question.name]
                    same = [sheet for sheet in same if same_answer(sheet[question.name], answer)]
                    if not same:
                        break
                sheets = [sheet for sheet in sheets if not any(sheet is one for one in same)]
        return sheets


@contextmanager
def _without_warnings() -> Iterator[None]:
    """Mistakes overflow and divide by zero; that is what they are here for."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def alike(a: Sheet, b: Sheet) -> bool:
    """Whether two sheets hold the same answers."""
    return a.keys() == b.keys() and all(same_answer(a[name], b[name]) for name in a)


def _answered_by_another(name: str, sheets: Mapping[str, Sheet]) -> bool:
    """Whether something else answers just like this pair, so that its answers do not tell which it is."""
    return any(alike(sheets[name], sheet) for other, sheet in sheets.items() if other != name)
