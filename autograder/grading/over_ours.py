"""Run a submission again with our version of a missing exercise, so that the student loses only that one's points.

A missing exercise, one without any answer, is not asked again, so no process that has seen our version answers for it.
From the exercises that build on it, keep only the answers to hidden questions. Discard the output of cells and the
answers to public questions, because they could carry our version to a page.

An exercise runs with our versions only of exercises that it builds on, because it could use others in place of its own
code. Exercises that lack the same ones therefore run together, and others run separately. All these runs together have
the time of one run.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from course_lib.checking.over_ours import over
from course_lib.running.cell import Cell
from course_lib.running.conversation import Questions
from course_lib.running.limits import Limits
from course_lib.running.outcome import PUBLIC, Outcome

#: a function that runs cells and asks questions
Run = Callable[[Sequence[Cell], Questions, Limits], Outcome]

#: the share of the time below which another run would not get far
_LEAST_SHARE = 0.1


@dataclass(frozen=True)
class Ours:
    """Our versions of a lesson's exercises.

    Attributes:
        sources: the source of each exercise's cell in the notebook with solutions, by exercise id.
        builds_on: the earlier exercises that each exercise builds on.
    """

    sources: Mapping[str, str] = field(default_factory=dict, repr=False)
    builds_on: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def over_ours(
    outcome: Outcome, cells: Sequence[Cell], questions: Questions, ours: Ours, run: Run, limits: Limits
) -> Outcome:
    """Add the answers of exercises that build on missing ones to an outcome, using our versions of the missing ones.

    Repeat this if one of these exercises turns out to be missing, too.

    Args:
        outcome: the outcome of a run without our versions.
        questions: the hidden questions.
        run: runs cells in the sandbox.
        limits: of one run. What all runs over ours may use together is the processor time of its cells.
    """
    symbols = {cell.exercise: cell.symbol for cell in cells if cell.kind == "grade" and cell.exercise in questions}
    symbols = {exercise: symbols[exercise] for exercise in questions if exercise in symbols}
    done: dict[str, set[str]] = {}
    used = 0.0
    while not outcome.broken:
        found = over(outcome.sheets, ours.builds_on, symbols, done)
        if not found or not set().union(*found.values()) <= ours.sources.keys():
            break
        for lacking in dict.fromkeys(map(frozenset, found.values())):
            asked = {name: found[name] for name in found if found[name] == lacking}
            if (left := 1 - used / limits.cells_seconds) < _LEAST_SHARE:
                return replace(_out_of_time(outcome, asked), over_ours=_names(done, symbols))
            with_ours = [*_with_ours(cells, lacking, asked, ours)]
            again = run(with_ours, {name: questions[name] for name in asked}, limits.shortened(left))
            used += again.processor_seconds or 0.0
            outcome = _taken_over(outcome, again, asked)
            done |= asked
    return replace(outcome, over_ours=_names(done, symbols))


def _names(done: Mapping[str, set[str]], symbols: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """For each exercise that was asked over ours, the names that ours had."""
    return {exercise: tuple(symbols[name] for name in symbols if name in done[exercise]) for exercise in done}


def _out_of_time(outcome: Outcome, asked: Collection[str]) -> Outcome:
    """The outcome, which says that the time was over before some exercises could be asked over ours."""
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


def _taken_over(outcome: Outcome, again: Outcome, found: Mapping[str, set[str]]) -> Outcome:
    """Take the second outcome's answers to hidden questions, and drop these exercises' answers to public questions."""
    sheets = {name: sheet for name, sheet in outcome.sheets.items() if name.removeprefix(PUBLIC) not in found}
    sheets |= {name: again.sheets.get(name, outcome.sheets.get(name, {})) for name in found}
    return replace(outcome.with_cost_of(again), sheets=sheets)
