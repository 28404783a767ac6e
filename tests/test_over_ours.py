"""A missing exercise costs only its own points: later ones are asked with our version of it, which never leaks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from keys import answers_of, key_of

from autograder.grading.hidden_keys import LessonKeys
from autograder.grading.judging import judged
from autograder.grading.over_ours import Judge, Ours, Steps, at_once, over_ours
from autograder.grading.task import Task
from course_lib.checking.answers import Answer, Answers, Error
from course_lib.checking.failure import Failure
from course_lib.checking.judge import Verdict
from course_lib.checking.over_ours import over
from course_lib.running.cell import Cell
from course_lib.running.limits import Limits
from course_lib.running.outcome import OVER_OURS, PUBLIC, Outcome

RIGHT = {"q": Answer({"x": 1})}
NAMES = {"first": "First", "second": "Second", "third": "third"}
BUILDS_ON = {"second": ("first",), "third": ("second",)}
CELLS = [
    Cell("a", "exercise", "first of theirs"),
    Cell("check-a", "grade", "", "first", "First"),
    Cell("b", "exercise", "second of theirs"),
    Cell("check-b", "grade", "", "second", "Second"),
    Cell("c", "exercise", "third of theirs"),
    Cell("check-c", "grade", "", "third", "third"),
]
OURS = Ours({name: f"{name} of ours" for name in NAMES}, BUILDS_ON)


def no_verdicts(outcome: Outcome) -> Mapping[str, Verdict]:
    return {}


def verdicts(outcome: Outcome) -> Mapping[str, Verdict]:
    """Give a point for right answers only."""
    return {
        name: Verdict(name, float(outcome.all_answers[name] == RIGHT), 1.0, (), error=_first_error(outcome, name))
        for name in NAMES
    }


def _first_error(outcome: Outcome, name: str) -> Error | None:
    return next((answer.error for answer in outcome.all_answers[name].values() if answer.error), None)


def stub(symbol: str) -> Answers:
    """Return answers that are all errors from an unwritten function."""
    return {"q": Answer(error=Error("NotImplementedError", "", f"line 3 of {symbol}: raise NotImplementedError()"))}


def of(first: Answers, second: Answers, third: Answers) -> Mapping[str, Answers]:
    return {"first": first, "second": second, "third": third}


def test_an_exercise_that_fails_in_a_missing_one_is_asked_with_ours() -> None:
    found = over(of(stub("First"), stub("First"), stub("First")), BUILDS_ON, NAMES, {})
    assert found == {"second": {"first"}, "third": {"first"}}


def test_an_unwritten_exercise_is_not_asked_again() -> None:
    assert over(of(stub("First"), stub("Second.forward"), stub("third")), BUILDS_ON, NAMES, {}) == {}
    undefined = {"q": Answer(error=Error("NameError", "name 'Second' is not defined"))}
    assert over(of(stub("First"), undefined, RIGHT), BUILDS_ON, NAMES, {}) == {}


@pytest.mark.parametrize("failure", [Failure.TIME_LIMIT, Failure.WAITED, Failure.DIED])
def test_what_builds_on_an_exercise_that_never_ends_is_asked_with_ours(failure: Failure) -> None:
    endless = {"q": failure.answer()}
    assert over(of(endless, endless, endless), BUILDS_ON, NAMES, {}) == {"second": {"first"}, "third": {"first"}}
    outcome, runs = run([of(endless, endless, endless), of({}, RIGHT, RIGHT)])
    assert len(runs) == 1
    assert (
        outcome.all_answers["first"] == endless
        and outcome.all_answers["second"] == outcome.all_answers["third"] == RIGHT
    )


def test_a_busy_machine_makes_no_exercise_missing() -> None:
    late = {"q": Failure.UNFINISHED.answer()}
    assert over(of(late, late, late), BUILDS_ON, NAMES, {}) == {}


def test_what_stops_everywhere_is_missing_even_if_it_is_to_refuse_something() -> None:
    stops = {"q": Answer(error=Error("NameError", "name 'rearrange' is not defined", "line 2 of First: ..."))}
    stops_when_it_should = {**stops, "refuses": Answer({"raised": "NameError"})}
    assert over(of(stops_when_it_should, stops, RIGHT), BUILDS_ON, NAMES, {}) == {"second": {"first"}}
    refuses = {"refuses": Answer({"raised": "ValueError"}), "q": Answer({"x": 1})}
    assert over(of(refuses, stops, RIGHT), BUILDS_ON, NAMES, {}) == {}


def test_an_exercise_that_answers_is_not_missing() -> None:
    wrong = {"q": Answer({"x": 2}), "r": Answer(error=Error("ValueError", "", "line 1 of First: x"))}
    assert over(of(wrong, {"q": wrong["r"]}, RIGHT), BUILDS_ON, NAMES, {}) == {}


def run(all_answers: Sequence[Mapping[str, Answers]], judge: Judge = no_verdicts) -> tuple[Outcome, list[list[str]]]:
    """Return the outcome of a submission, and the cells of each further run."""
    runs: list[list[str]] = []

    def again(task: Task) -> Outcome:
        runs.append([cell.exercise or cell.source for cell in task.cells])
        assert {cell.exercise for cell in task.cells if cell.kind == "grade"} == set(task.over_ours)
        answered = all_answers[len(runs)]
        return Outcome(
            "graded", outputs={"a": [{"text": "ours"}]}, all_answers={n: answered[n] for n in task.over_ours}
        )

    public = {PUBLIC + name: answers for name, answers in all_answers[0].items()}
    first = Outcome("graded", all_answers={**all_answers[0], **public}, outputs={"a": [{"text": "theirs"}]})
    return at_once(over_ours(first, Task(CELLS, Limits()), NAMES, OURS, judge), again), runs


WRONG = {"q": Answer({"x": 2})}


def test_what_loses_points_over_a_wrong_exercise_is_also_asked_with_ours() -> None:
    outcome, runs = run([of(WRONG, WRONG, RIGHT), of({}, RIGHT, {})], verdicts)
    assert runs == [
        ["first of theirs", "first of ours", "second of theirs", "first of ours", "second", "third of theirs"]
    ]
    assert outcome.all_answers[OVER_OURS + "second"] == RIGHT
    assert outcome.all_answers["second"] == WRONG, "the better one is chosen when both are judged"
    assert outcome.over_ours == {OVER_OURS + "second": ("First",)}
    assert outcome.outputs == {"a": [{"text": "theirs"}]}


def test_every_wrong_exercise_behind_one_is_replaced_and_no_right_one() -> None:
    outcome, runs = run([of(WRONG, WRONG, WRONG), of({}, WRONG, {}), of({}, {}, RIGHT)], verdicts)
    assert outcome.over_ours == {OVER_OURS + "second": ("First",), OVER_OURS + "third": ("First", "Second")}
    assert len(runs) == 2
    outcome, runs = run([of(RIGHT, RIGHT, WRONG)], verdicts)
    assert runs == [] and outcome.over_ours == {}


def test_an_unwritten_exercise_is_not_asked_with_ours_of_a_wrong_one() -> None:
    outcome, runs = run([of(WRONG, stub("Second"), RIGHT)], verdicts)
    assert runs == [] and OVER_OURS + "second" not in outcome.all_answers


def test_over_a_missing_and_a_wrong_exercise_both_are_replaced() -> None:
    outcome, _ = run([of(WRONG, stub("Second"), stub("Second")), of({}, {}, WRONG), of({}, {}, RIGHT)], verdicts)
    assert outcome.over_ours == {"third": ("Second",), OVER_OURS + "third": ("First", "Second")}
    assert outcome.all_answers[OVER_OURS + "third"] == RIGHT


def test_no_process_that_has_seen_ours_answers_for_it_and_nothing_it_shows_is_kept() -> None:
    outcome, runs = run([of(stub("First"), stub("First"), RIGHT), of({}, RIGHT, {})])
    theirs = ["first of theirs", "first of ours", "second of theirs", "first of ours", "second", "third of theirs"]
    assert runs == [theirs]
    assert outcome.all_answers["first"] == stub("First")
    assert outcome.all_answers["second"] == outcome.all_answers["third"] == RIGHT
    assert PUBLIC + "second" not in outcome.all_answers and PUBLIC + "first" in outcome.all_answers
    assert outcome.outputs == {"a": [{"text": "theirs"}]}
    assert outcome.over_ours == {"second": ("First",)}


def test_an_exercise_that_gives_no_answer_with_ours_is_missing_in_turn() -> None:
    broken = {"q": Answer(error=Error("TypeError", "", "line 2 of Second: x"))}
    outcome, runs = run([of(stub("First"), stub("First"), stub("First")), of({}, broken, broken), of({}, {}, RIGHT)])
    assert len(runs) == 2
    assert outcome.all_answers == {
        PUBLIC + "first": stub("First"), "first": stub("First"), "second": broken, "third": RIGHT,
    }  # fmt: skip
    assert outcome.over_ours["third"] == ("First", "Second")


def test_an_exercise_is_asked_only_with_ours_of_those_that_it_builds_on() -> None:
    builds_on = {"second": ("first",), "fourth": ("third",)}
    names = {**NAMES, "fourth": "fourth"}
    cells = [
        *CELLS,
        Cell("d", "exercise", "fourth of theirs"),
        Cell("check-d", "grade", "", "fourth", "fourth"),
    ]
    ours = Ours({name: f"{name} of ours" for name in names}, builds_on)
    all_answers = {"first": stub("First"), "second": stub("First"), "third": stub("third"), "fourth": stub("third")}
    runs = []

    def again(task: Task) -> Outcome:
        runs.append([*task.over_ours, *(cell.source for cell in task.cells if cell.source.endswith("of ours"))])
        return Outcome("graded", all_answers=dict.fromkeys(task.over_ours, RIGHT))

    outcome = at_once(
        over_ours(Outcome("graded", all_answers=all_answers), Task(cells, Limits()), names, ours, no_verdicts), again
    )
    assert runs == [["second", "first of ours", "first of ours"], ["fourth", "third of ours", "third of ours"]]
    assert outcome.all_answers == {**all_answers, "second": RIGHT, "fourth": RIGHT}
    assert outcome.over_ours == {"second": ("First",), "fourth": ("third",)}


def test_a_right_submission_runs_once() -> None:
    assert run([of(RIGHT, RIGHT, RIGHT)])[1] == []


def test_all_runs_over_ours_share_the_time_of_one() -> None:
    """Each of eight exercises builds on another missing one, so each would be run by itself."""
    pairs = {f"builds_{n}": (f"missing_{n}",) for n in range(8)}
    names = {name: name for pair in pairs.items() for name in (*pair[1], pair[0])}
    cells = [Cell(f"check-{name}", "grade", "", name, name) for name in names]
    all_answers = {name: stub(pairs.get(name, (name,))[0]) for name in names}
    limits, given = Limits(total_seconds=60, exercise_seconds=60), []

    def again(task: Task) -> Outcome:
        seconds = task.limits.cells_seconds
        given.append(seconds)
        return Outcome("graded", all_answers=dict.fromkeys(task.over_ours, RIGHT), processor_seconds=seconds / 2)

    ours = Ours({name: f"{name} of ours" for name in names}, pairs)
    first = Outcome("graded", all_answers=all_answers, processor_seconds=100.0)
    outcome = at_once(over_ours(first, Task(cells, limits), names, ours, no_verdicts), again)
    assert given == [120.0, 60.0, 30.0, 15.0]
    assert outcome.processor_seconds and outcome.processor_seconds <= 100 + limits.cells_seconds
    assert set(outcome.over_ours) == {f"builds_{n}" for n in range(4)}
    assert outcome.all_answers["builds_3"] == RIGHT and outcome.all_answers["builds_4"] == all_answers["builds_4"]
    assert outcome.status == "stopped" and "the time was over before builds_4" in outcome.reason


def test_a_slow_notebook_that_lacks_one_exercise_has_all_its_time_once_more() -> None:
    given = []

    def again(task: Task) -> Outcome:
        given.append(task.limits)
        return Outcome("graded", all_answers=dict.fromkeys(task.over_ours, RIGHT), processor_seconds=110.0)

    first = Outcome("graded", all_answers=of(stub("First"), stub("First"), RIGHT), processor_seconds=115.0)
    outcome = at_once(over_ours(first, Task(CELLS, Limits()), NAMES, OURS, no_verdicts), again)
    assert given == [Limits()]
    assert (outcome.status, outcome.all_answers["second"]) == ("graded", RIGHT)


def positions(steps: Steps, all_answers: Mapping[str, Answers]) -> list[tuple[int, set[str], set[str]]]:
    """Return each step's position, the exercises that ours replace in it, and those that it asks."""
    found, outcome = [], None
    while True:
        try:
            step = next(steps) if outcome is None else steps.send(outcome)
        except StopIteration:
            return found
        replaced = {cell.source.partition(" ")[0] for cell in step.task.cells if cell.source.endswith("of ours")}
        found.append((step.position, replaced, set(step.task.over_ours)))
        outcome = Outcome("graded", all_answers={name: all_answers[name] for name in step.task.over_ours})


def test_no_step_contains_what_a_step_of_the_same_or_a_later_position_asks() -> None:
    """A run with our version of an exercise may pass it on to the next submission, which must not be asked for it."""
    builds_on = {"b": ("a",), "c": ("b",), "e": ("d",), "f": ("b", "e")}
    names = {name: name for name in "abcdef"}
    cells = [Cell(f"check-{name}", "grade", "", name, name) for name in names]
    ours = Ours({name: f"{name} of ours" for name in names}, builds_on)
    wrong = {"q": Answer(error=Error("TypeError", "", "line 2: x"))}
    lacks_first = {**dict.fromkeys(names, RIGHT), "a": stub("a"), "b": stub("a"), "d": stub("d"), "e": stub("d")}
    lacks_second = {**dict.fromkeys(names, RIGHT), "b": stub("b"), "c": stub("b"), "f": stub("b")}
    found = []
    for all_answers in (lacks_first, lacks_second):
        for answered in (dict.fromkeys(names, RIGHT), {**dict.fromkeys(names, RIGHT), "b": wrong}):
            outcome = Outcome("graded", all_answers=all_answers)
            steps = over_ours(outcome, Task(cells, Limits()), names, ours, no_verdicts)
            own = positions(steps, answered)
            assert [step[0] for step in own] == sorted(step[0] for step in own)
            found += own
    assert len(found) > 5
    for position, replaced, _ in found:
        assert not any(replaced & asked for other, _, asked in found if other >= position)


def test_the_better_of_both_results_counts() -> None:
    earlier, later = "scaled_dot_product_attention", "self_attention"
    keys = LessonKeys("03_self_attention", {name: key_of(name, "hidden") for name in (earlier, later)}, {})
    wrong, right = answers_of(later, "hidden").all_answers["softmax_over_queries"], keys.hidden[later].reference
    for own, again, passed in ((wrong, right, True), (right, wrong, True), (wrong, wrong, False)):
        all_answers = {
            earlier: answers_of(earlier, "hidden").all_answers["unscaled"],
            **{later: own, PUBLIC + later: own, OVER_OURS + later: again},
        }
        found = judged(keys, Outcome("graded", all_answers=all_answers, over_ours={OVER_OURS + later: (earlier,)}))
        assert found.verdicts[later].passed == passed and not found.verdicts[earlier].passed
        assert found.outcome.over_ours == ({later: (earlier,)} if again is right else {})
        assert found.outcome.all_answers[later] == (right if passed else wrong)
        assert PUBLIC + later not in found.outcome.all_answers or not passed, "ours could be seen in it"
