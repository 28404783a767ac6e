"""An exercise that is defined again below its check is asked twice, in two runs, and the better version counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from keys import answers_of, key_of

from autograder.grading.hidden_keys import LessonKeys
from autograder.grading.judging import judged
from autograder.grading.over_ours import Ours, at_once, over_ours
from autograder.grading.set_up import run_task
from autograder.grading.task import Task
from course_lib.checking.answers import Answer, Error
from course_lib.checking.questions import Question
from course_lib.running.cell import Cell
from course_lib.running.limits import Limits
from course_lib.running.outcome import LATER, PUBLIC, Outcome

QUESTIONS: Mapping[str, tuple[Question, ...]] = {"softmax": (), "attention_numpy": ()}
FIRST = (
    Cell("a", "exercise", "first try"),
    Cell("check-a", "grade", "", "softmax", "softmax"),
    Cell("b", "exercise", "numpy"),
    Cell("check-b", "grade", "", "attention_numpy", "attention_numpy"),
    Cell("c", "own", "corrected"),
)
SECOND = (FIRST[0], FIRST[2], FIRST[4], FIRST[1])


class Sandbox:
    """Runs nothing: it notes the questions, and answers with the number of the run."""

    limits = Limits()

    def __init__(self, *endings: Mapping[str, Any]) -> None:
        self.endings, self.asked = [*endings], list[tuple[set[str], set[str]]]()
        self.cells, self.given = list[Sequence[Cell]](), list[Limits]()

    def run(
        self,
        cells: Sequence[Cell],
        questions: Mapping[str, Any],
        limits: Limits | None = None,
        public: Mapping[str, Any] | None = None,
    ) -> Outcome:
        self.asked.append((set(questions), set(public or {})))
        self.cells.append(cells)
        self.given.append(limits or self.limits)
        names = [*questions, *(PUBLIC + name for name in public or {})]
        all_answers = {name: {"q": Answer({"run": len(self.asked)})} for name in names}
        ending = self.endings.pop(0) if self.endings else {}
        plain = {"all_answers": all_answers, "seconds": 1.0, "processor_seconds": 2.0, "asked": True}
        return Outcome("graded", **{**plain, **ending})


def run(sandbox: Sandbox, later: Sequence[Cell]) -> Outcome:
    return run_task(sandbox, Task(FIRST, Limits(), later), QUESTIONS, QUESTIONS)  # type: ignore[arg-type]


def test_a_second_run_asks_only_what_is_defined_again() -> None:
    outcome = run(sandbox := Sandbox(), SECOND)
    assert sandbox.asked == [
        ({"softmax", "attention_numpy"}, {"softmax", "attention_numpy"}),
        ({"softmax"}, {"softmax"}),
    ]
    assert outcome.all_answers["softmax"]["q"].values == {"run": 1}
    assert (
        LATER + PUBLIC + "softmax" not in outcome.all_answers
    )  # it was answered after the first run's hidden questions
    assert outcome.all_answers[LATER + "softmax"]["q"].values == {"run": 2}
    assert (outcome.seconds, outcome.processor_seconds) == (2.0, 4.0)


def test_there_is_no_second_run_where_nothing_is_defined_again() -> None:
    outcome = run(sandbox := Sandbox(), ())
    assert len(sandbox.asked) == 1
    assert not any(name.startswith(LATER) for name in outcome.all_answers)


def test_a_second_run_that_is_cut_off_by_a_busy_machine_is_not_final() -> None:
    assert run(Sandbox(), SECOND).final
    assert not run(Sandbox({}, {"unfinished": True}), SECOND).final


def test_a_second_run_has_the_time_that_the_first_one_left_but_at_least_a_fifth() -> None:
    run(sandbox := Sandbox(), SECOND)
    assert sandbox.given[1].cells_seconds == pytest.approx(Limits().cells_seconds - 2.0)
    run(sandbox := Sandbox({"processor_seconds": 10 * Limits().cells_seconds}), SECOND)
    assert sandbox.given[1].cells_seconds == pytest.approx(Limits().cells_seconds / 5)


def test_none_of_a_submissions_own_versions_is_asked_after_a_run_that_contains_ours() -> None:
    """Whatever a run writes where a later run could read it, such as the kernel's caches, may be our version."""
    undefined = {"q": Answer(error=Error("NameError", "name 'softmax' is not defined"))}
    nothing = {"all_answers": {"softmax": undefined, "attention_numpy": undefined}}
    ours = Ours({"softmax": "def softmax(): ..."}, {"attention_numpy": ("softmax",)})
    sandbox = Sandbox(nothing)
    own = Task(FIRST, Limits(), SECOND)

    def run(task: Task) -> Outcome:
        return run_task(sandbox, task, QUESTIONS, QUESTIONS)  # type: ignore[arg-type]

    at_once(over_ours(run(own), own, QUESTIONS, ours, lambda outcome: {}), run)
    with_ours = [any(cell.id.startswith("over-ours") for cell in cells) for cells in sandbox.cells]
    assert with_ours == [False, False, True]


def keys() -> LessonKeys:
    found = {name: key_of(name, "public") for name in QUESTIONS}
    return LessonKeys("03_self_attention", found, found)


def verdict_on(first: str, second: str) -> tuple[float, tuple[str, ...], Outcome]:
    """The points for two versions of softmax, the exercises whose later version counts, and what is shown of them.

    Args:
        first: the name of a registered implementation, at the check.
        second: of another one below.
    """
    all_answers = answers_of("softmax", "public").all_answers
    found = {
        "softmax": all_answers[first],
        PUBLIC + "softmax": all_answers[first],
        LATER + "softmax": all_answers[second],
    }
    over = {LATER + "softmax": ("other",)}
    one = judged(keys(), Outcome("graded", all_answers=found, over_ours=over))
    return one.verdicts["softmax"].score, one.later, one.outcome


def test_the_better_version_counts_wherever_it_is() -> None:
    most = keys().hidden["softmax"].exercise.points
    wrong = "sum_of_everything"
    assert verdict_on(wrong, "reference")[:2] == (most, ("softmax",))
    assert verdict_on("reference", wrong)[:2] == (most, ())
    assert verdict_on("reference", "reference")[:2] == (most, ())
    assert verdict_on(wrong, wrong)[0] < most


def test_only_the_version_that_counts_is_shown() -> None:
    all_answers = answers_of("softmax", "public").all_answers
    better, worse = "no_max_subtraction", "sum_of_everything"
    _, later, outcome = verdict_on(worse, better)
    assert later == ("softmax",)
    assert outcome.all_answers == {"softmax": all_answers[better]}
    assert outcome.over_ours == {"softmax": ("other",)}
    _, later, outcome = verdict_on(better, worse)
    assert later == ()
    assert outcome.all_answers == {"softmax": all_answers[better], PUBLIC + "softmax": all_answers[better]}
    assert outcome.over_ours == {}
