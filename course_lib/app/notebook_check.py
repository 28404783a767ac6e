"""`course check`: run one's own notebook as the grader will, on the public questions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from course_lib.checking.answer_key import public_key
from course_lib.checking.card import Card, make_card
from course_lib.checking.judge import NOT_REACHED, Verdict, complete, judge_better
from course_lib.course import CourseError
from course_lib.journey.points import remember
from course_lib.own_parts.use import own_before
from course_lib.rebuilding.at_home import rebuilt_notebook
from course_lib.rebuilding.exercises import left_over_sentences
from course_lib.running.outcome import Status
from course_lib.running.runner import CannotStart, Runner

#: what else can be had
_NEXT = '`hint("{0}")` gives the next hint'
_EXAMPLE = '`example("{0}")` gives you the inputs on which it goes wrong'


@dataclass(frozen=True)
class Checked:
    """A notebook's verdicts and cards, by exercise."""

    lesson: str
    status: Status
    reason: str
    verdicts: Mapping[str, tuple[Verdict, Card]]

    @property
    def score(self) -> float:
        """The points of all exercises."""
        return sum(verdict.score for verdict, _ in self.verdicts.values())

    @property
    def max_score(self) -> float:
        """The most points that the exercises can give."""
        return sum(verdict.max_score for verdict, _ in self.verdicts.values())

    def as_json(self) -> dict[str, Any]:
        """Return the result for `--json`."""
        exercises = {
            name: {
                "score": verdict.score,
                "max_score": verdict.max_score,
                "misconception": verdict.misconception,
                "broken_laws": list(verdict.broken_checks),
            }
            for name, (verdict, _) in self.verdicts.items()
        }
        about = {"lesson": self.lesson, "status": self.status, "reason": self.reason}
        return {**about, "score": self.score, "max_score": self.max_score, "exercises": exercises}


def check_notebook(path: Path) -> Checked:
    """Run a notebook and judge its exercises. Store their points next to it.

    Raises:
        CourseError: the notebook doesn't exist or belongs to no lesson, or its lesson's keys are missing.
    """
    found = rebuilt_notebook(path)
    lesson, rebuilt = found.lesson, found.rebuilt
    try:
        keys = {name: public_key(name) for name in rebuilt.symbols}
    except KeyError as error:
        raise CourseError(f"{path}: {error.args[0]}. Install the package that came with this lesson.") from None
    before = own_before(path.resolve().parent, lesson)
    try:
        with Runner(folder=path.resolve().parent) as runner:
            questions = {name: (*key.questions, *key.examples) for name, key in keys.items()}
            outcome = runner.run([*before, *rebuilt.cells], questions)
            asked = {cell.exercise: questions[cell.exercise] for cell in rebuilt.later if cell.kind == "grade"}
            later = runner.run([*before, *rebuilt.later], asked).all_answers if asked else {}
    except CannotStart as error:
        raise CourseError(str(error)) from None
    all_answers = complete(keys, outcome.all_answers, outcome.reason or NOT_REACHED)
    verdicts, better = judge_better(keys, all_answers, later)
    all_answers |= {name: later[name] for name in better}
    cards, left_overs = {}, left_over_sentences(rebuilt)
    for name, verdict in verdicts.items():
        left = left_overs.get(name, "") if verdict.error and verdict.error.unwritten else ""
        card = make_card(
            verdict, keys[name], all_answers[name], hint=None if verdict.passed or left else 0, observed=left
        )
        card = replace(card, hint=None) if card.unwritten else card
        offers = [_NEXT.format(name)] if card.hints > 1 else []
        offers += [] if keys[name].exercise.on_paper else [_EXAMPLE.format(name)]
        more = f"In the notebook, {', and '.join(offers)}." if card.hint and offers else ""
        cards[name] = verdict, replace(card, more=more)
        remember(name, verdict.score, path.parent)
    return Checked(lesson, outcome.status, outcome.reason, cards)
