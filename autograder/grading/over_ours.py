"""Run a submission again with our version of a missing exercise, so that the student loses only that one's points.

A missing exercise, one without any answer, is not asked again, so no process that has seen our version answers for it.
From the exercises that build on it, keep only the answers to hidden questions. Discard the output of cells and the
answers to public questions, because they could carry our version to a page.

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
from course_lib.checking.over_ours import over
from course_lib.running.cell import Cell
from course_lib.running.outcome import LATER, PUBLIC, Outcome

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


#: yields steps, receives the outcome of each, and returns the outcome of all
Steps = Generator[Step, Outcome, Outcome]


def over_ours(outcome: Outcome, own: Task, questions: Collection[str], ours: Ours) -> Steps:
    """Add the answers of exercises that build on missing ones to an outcome, using our versions of the missing ones.

    Repeat this if one of these exercises turns out to be missing, too. Do it for both versions of an exercise that is
    defined twice.

    Args:
        outcome: the outcome of the submission's own run.
        own: the task of that run. All steps of one version have the time of one run together.
        questions: the exercises with hidden questions, in the lesson's order.
    """
    versions = [_Version("", own.cells, questions), _Version(LATER, own.later, questions)]
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
            outcome = _out_of_time(outcome, asked)
            continue
        cells = (*_with_ours(version.cells, lacking, asked, ours),)
        again = yield Step(position, Task(cells, own.limits.shortened(left), over_ours=(*asked,)))
        version.used += again.share_of(own.limits)
        version.done |= {key: set(lacking) for key in asked}
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
        self.done, self.used = dict[str, set[str]](), 0.0
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


def _out_of_time(outcome: Outcome, asked: Collection[str]) -> Outcome:
    """Return the outcome as stopped, with the reason that no time was left to ask some exercises over ours."""
    reason = f"the time was over before {', '.join(asked)} could be asked over our version of what is missing"
    return replace(outcome, status="stopped", reason=outcome.reason or reason)


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
