"""Run a submission again with our version of an exercise, so that the student loses only that one's points.

The exercise is missing, which means that it gave no answer, or it is wrong. It is not asked again, so no process that
has seen our version answers for it. From the exercises that build on it, keep only the answers to hidden questions.
Discard the output of cells and the answers to public questions, because they could carry our version to a page.

Over a missing exercise, the new answers replace the old ones. Over a wrong one, both are judged, and the better counts.

An exercise runs with our versions only of exercises that it builds on, because it could use others in place of its own
code. Exercises that lack the same ones therefore run together, and others run separately. All these runs together have
the time of one run.

A run that sees our version could also leave it where a later submission finds it: the kernel's caches are shared, and
which files are cached can be measured. So nothing asks for an exercise after any submission has run with our version
of it. Every submission's own run comes first, and then these steps in the order of their positions.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from autograder.grading.task import Task
from course_lib.checking.judge import Verdict
from course_lib.checking.over_ours import all_behind, over
from course_lib.running.cell import Cell
from course_lib.running.outcome import LATER, OVER_OURS, PUBLIC, Outcome

#: the share of the time below which another run would not get far
_LEAST_SHARE = 0.1


@dataclass(frozen=True)
class Ours:
    """Our versions of a lesson's exercises.

    Attributes:
        sources: the source of each exercise's cell in the notebook with solutions, by exercise id.
        builds_on: the earlier exercises that each exercise builds on, in the lesson's order.
    """

    sources: Mapping[str, str] = field(default_factory=dict, repr=False)
    builds_on: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


class Step(NamedTuple):
    """One more run of a submission.

    Attributes:
        position: the position in the lesson of the last exercise that ours replaces. It asks only later
            exercises. If all steps of a class run in this order, no step contains what another one asks afterwards.
    """

    position: int
    task: Task


#: returns the verdict on each exercise, given an outcome
Judge = Callable[[Outcome], Mapping[str, Verdict]]
#: yields steps, receives the outcome of each, and returns the outcome of all
Steps = Generator[Step, Outcome, Outcome]


def over_ours(outcome: Outcome, own: Task, questions: Collection[str], ours: Ours, judge: Judge) -> Steps:
    """Add the answers of exercises that build on missing or wrong ones to an outcome, using our versions of those.

    Repeat this if one of these exercises turns out to be missing, too. Replace missing exercises for both versions of
    an exercise that is defined twice.

    Args:
        outcome: the outcome of the submission's own run.
        own: the task of that run. All steps of one version have the time of one run together.
        questions: the exercises with hidden questions, in the lesson's order.
        judge: returns the verdict on each exercise.
    """
    versions = [
        _Version("", own.cells, questions),
        _Version(LATER, own.later, questions),
        _OverWrong(own.cells, questions, judge),
    ]
    order = {name: place for place, name in enumerate(questions)}
    while outcome.final:
        found = [
            (max(order[name] for name in lacking), version, lacking, asked)
            for version in versions
            for lacking, asked in version.groups(outcome, ours)
        ]
        if not found:
            break
        position, version, lacking, asked = min(found, key=lambda one: one[0])
        if (left := 1 - version.used) < _LEAST_SHARE:
            versions.remove(version)
            outcome = version.out_of_time(outcome, asked)
            continue
        cells = (*_with_ours(version.cells, lacking, asked, ours),)
        again = yield Step(position, Task(cells, own.limits.shortened(left), over_ours=(*asked,)))
        version.used += again.share_of(own.limits)
        version.done |= dict.fromkeys(asked, lacking)
        outcome = _taken_over(outcome, again, {version.prefix + name: name for name in asked})
        names = {version.prefix + name: version.names(lacking) for name in asked}
        outcome = replace(outcome, over_ours={**outcome.over_ours, **names})
    return outcome


def at_once(steps: Steps, run: Callable[[Task], Outcome]) -> Outcome:
    """Run all steps of one submission without waiting for others."""
    try:
        step = next(steps)
        while True:
            step = steps.send(run(step.task))
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]


class _Version:
    """One version of a submission's exercises.

    Args:
        prefix: of the names of its answers, see `Outcome`.

    Attributes:
        done: the exercises that were asked over ours, with the earlier ones that ours replaced.
        used: the share of one run's time that its steps have used.
    """

    def __init__(self, prefix: str, cells: Sequence[Cell], questions: Collection[str]) -> None:
        self.prefix, self.cells = prefix, cells
        self.done, self.used = dict[str, frozenset[str]](), 0.0
        symbols = {cell.exercise: cell.symbol for cell in cells if cell.kind == "grade"}
        self._symbols = {name: symbols[name] for name in questions if name in symbols}

    def groups(self, outcome: Outcome, ours: Ours) -> Iterator[tuple[frozenset[str], tuple[str, ...]]]:
        """Yield sets of exercises to replace by ours, each with the exercises to ask."""
        own = [name for name in self._symbols if self.prefix + name in outcome.all_answers]
        all_answers = {name: outcome.all_answers[self.prefix + name] for name in own}
        found = over(all_answers, ours.builds_on, self._symbols, self.done)
        if set().union(*found.values()) <= ours.sources.keys():
            for lacking in dict.fromkeys(map(frozenset, found.values())):
                yield lacking, tuple(name for name in found if found[name] == lacking)

    def names(self, lacking: Collection[str]) -> tuple[str, ...]:
        """Return the names that exercises ask for, in the lesson's order."""
        return tuple(symbol for name, symbol in self._symbols.items() if name in lacking)

    def out_of_time(self, outcome: Outcome, asked: Collection[str]) -> Outcome:
        """Return the outcome as stopped, with the reason that no time was left to ask some exercises over ours."""
        reason = f"the time was over before {', '.join(asked)} could be asked over our version of what is missing"
        return replace(outcome, status="stopped", reason=outcome.reason or reason)


class _OverWrong(_Version):
    """The exercises that lost points and build on wrong ones. Their own code may be right.

    Args:
        judge: returns the verdict on each exercise.
    """

    def __init__(self, cells: Sequence[Cell], questions: Collection[str], judge: Judge) -> None:
        super().__init__(OVER_OURS, cells, questions)
        self._judge = judge

    def groups(self, outcome: Outcome, ours: Ours) -> Iterator[tuple[frozenset[str], tuple[str, ...]]]:
        """Yield sets of wrong exercises to replace by ours, each with the exercises to ask."""
        behind = all_behind(self._symbols, ours.builds_on)
        verdicts = self._judge(outcome) if any(behind.values()) else {}
        wrong = {name for name, verdict in verdicts.items() if not verdict.passed} & ours.sources.keys()
        found = {
            name: frozenset(behind[name] & wrong)
            for name in self._symbols
            if name in wrong and behind[name] & wrong and not _is_unwritten(verdicts[name])
        }
        new = {name: lacking for name, lacking in found.items() if self.done.get(name) != lacking}
        for lacking in dict.fromkeys(new.values()):
            yield lacking, tuple(name for name in new if new[name] == lacking)

    def out_of_time(self, outcome: Outcome, asked: Collection[str]) -> Outcome:
        """Return the outcome as it is, because these exercises have answers."""
        return outcome


def _is_unwritten(verdict: Verdict) -> bool:
    return verdict.error is not None and verdict.error.unwritten


def _with_ours(cells: Sequence[Cell], lacking: Collection[str], asked: Collection[str], ours: Ours) -> Iterator[Cell]:
    """Insert our version of each missing exercise, at its own question and again before each exercise asked now."""
    inserted = 0
    for cell in cells:
        if cell.kind != "grade":
            yield cell
            continue
        wanted = cell.exercise in asked
        for exercise in sorted(lacking) if wanted else [cell.exercise] if cell.exercise in lacking else []:
            inserted += 1
            yield Cell(f"over-ours-{inserted}", "own", ours.sources[exercise])
        if wanted:
            yield cell


def _taken_over(outcome: Outcome, again: Outcome, found: Mapping[str, str]) -> Outcome:
    """Take another run's answers to hidden questions, and drop these exercises' answers to public questions.

    Args:
        found: the names of these exercises in the other run, by the names of their answers in the outcome.
    """
    all_answers = {
        name: answers for name, answers in outcome.all_answers.items() if name.removeprefix(PUBLIC) not in found
    }
    all_answers |= {key: again.all_answers.get(name, outcome.all_answers.get(key, {})) for key, name in found.items()}
    return replace(outcome.with_cost_of(again), all_answers=all_answers)
