"""Show results in the terminal, in tables and sentences."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from autograder.collecting.outcomes import COLLECTED, FileOutcome
from autograder.first_few import first_few
from autograder.records.archive import Archive
from autograder.records.decisions import needs_decision
from autograder.records.record import EARNS_LESS, ExerciseRecord, Record, has_all_points, lateness, points, waits
from autograder.records.report import Cell
from course_lib.checking.failure import Failure
from course_lib.checking.formatting import many, printable
from course_lib.course import CourseError

out = Console(highlight=False, soft_wrap=False, emoji=False)


def fates_table(outcomes: Sequence[FileOutcome]) -> Table:
    """Make a table with a row for each file, its owner and its outcome."""
    table = Table("File", "Student", "What became of it", box=None, header_style="bold", padding=(0, 1))
    for column in table.columns:
        column.overflow = "fold"  # a name may be longer than the column and must not be cut
    for outcome in outcomes:
        colour = "red" if outcome.needs_a_look else "green" if outcome.became in COLLECTED else "dim"
        said = f"[{colour}]{outcome.in_words}[/]" + (f" ({escape(printable(outcome.note))})" if outcome.note else "")
        table.add_row(escape(printable(str(outcome.path))), escape(outcome.student or "–"), said)
    return table


def results_table(graded: Sequence[Record]) -> Table:
    """Make a table with a row for each student: the points, and the points lost and the mistake by exercise."""
    table = Table("Student", "Points", "What was found", box=None, header_style="bold", padding=(0, 1))
    table.columns[0].overflow, table.columns[1].no_wrap = "fold", True
    for g in graded:
        full = has_all_points(g)
        colour = "red" if g["status"] != "graded" else "green" if full else "yellow"
        found = escape("\n".join(map(printable, _found(g))))
        table.add_row(escape(g["student"]), f"[{colour}]{points(g['score'], g['max_score'])}[/]", found)
    return table


def _found(g: Record) -> list[str]:
    """List why a submission failed, its mistakes with the points, and what still waits for a person."""
    found = [said for said in (g["reason"], g["decision"]) if said]
    if g["kept"]:
        found.append(f"the grade of an earlier file; the last one could not be graded: {g['kept']}")
    if g["time_note"]:
        found.append(g["time_note"])
    look = [f"NEEDS A LOOK: {said}" for said in (*g["doubts"], *g["look"] * (not has_all_points(g)))]
    if late := lateness(g["late"]):
        found.append(late)
    elif g["exercises"] and not g["score"] and found:
        return found + look
    kinds = {Cell.of(exercise).kind for exercise in g["exercises"].values()}
    if kinds == {"blank"} and not g["score"]:
        return [*found, "nothing is written"]
    for name, exercise in g["exercises"].items():
        earned, carried = points(exercise["score"], exercise["max_score"]), exercise["carried"]
        whole = exercise["score"] >= exercise["max_score"]
        if carried and whole:
            found.append(f"{name}: right, but for {carried[0]}")
        elif carried:
            found.append(f"{name} {earned}: right as far as it can be seen, but for {carried[0]}")
        elif exercise["misconception"] or not whole:
            found.append(f"{name} {earned}: {exercise['misconception'] or _without_name(exercise)}")
    found += look
    if waiting := waits([g]):
        found.append(waiting)
    return found


def _without_name(exercise: ExerciseRecord) -> str:
    """Say why points are missing where no mistake is named: an error, a failed check, or a grader's decision."""
    if exercise["error"] == "NotImplementedError":
        return "not written, or `raise NotImplementedError()` is still in it"
    if exercise["error"] == Failure.OTHER_FORM:
        return Failure.OTHER_FORM.sentence
    if exercise["error"]:
        return exercise["error"]
    return "a mistake without a name" if exercise["broken_laws"] else "right, but a grader gave these points"


def summarise(graded: Sequence[Record], archive: Archive) -> None:
    """Say in one sentence how many were graded, stopped and not gradable, and which need a decision."""
    done = [g for g in graded if g["status"] == "graded"]
    full = sum(map(has_all_points, done))
    out.print(
        f"{many(len(graded), 'submission')}: {len(done)} graded ({full} with full points), "
        f"{sum(g['status'] == 'stopped' for g in graded)} stopped at a limit, "
        f"{sum(g['status'] == 'failed' for g in graded)} not gradable."
    )
    if waiting := waits(graded):
        out.print(f"{waiting}.")
    say_undecided(graded, archive)


def say_undecided(records: Sequence[Record], archive: Archive) -> None:
    """Name the submissions that need a decision or a look.

    They cannot be graded, right code may have lost points, or it is unclear when or whether they were handed in.
    """
    if unsure := [g for g in records if g["look"] and not has_all_points(g)]:
        command = archive.options.command(f"decide STUDENT {unsure[0]['lesson']} --accept")
        names = escape(printable(first_few(g["student"] for g in unsure)))
        out.print(
            f"{many(len(unsure), 'submission')} to look at, because right code may have lost points: {names}. "
            "Read the code, and give the points in formgrader.",
            soft_wrap=True,
        )
        out.print(f"If the points are right, run: {escape(command)}", soft_wrap=True)
    undecided = [g for g in records if needs_decision(g) and not g["decision"]]
    how = (
        "decision",
        "Exports leave the cell empty until then.",
        "--points N",
        "or --not-handed-in in place of --points",
    )
    _ask(undecided, *how, archive)
    doubtful = [g for g in records if g["doubts"] and not needs_decision(g)]
    less = [g for g in doubtful if any(doubt.startswith(EARNS_LESS) for doubt in g["doubts"])]
    why = "A file that was handed in late replaced one that earned more, and counts until you decide."
    _ask(less, "look", why, "--earlier", "or --accept", archive)
    doubtful = [g for g in doubtful if g not in less]
    doubts = "There are doubts about when or whether the work was handed in, and it counts in full until you decide."
    _ask(doubtful, "look", doubts, "--accept", "or, for a draft, --not-handed-in", archive)


def _ask(records: Sequence[Record], need: str, why: str, option: str, other: str, archive: Archive) -> None:
    if records:
        names = first_few(g["student"] for g in records)
        needs = f"{many(len(records), 'submission')} {'needs' if len(records) == 1 else 'need'} a {need}"
        command = archive.options.command(f"decide STUDENT {records[0]['lesson']} {option}")
        out.print(f"{needs}: {escape(printable(names))}. {why} Run: {escape(command)} ({other})", soft_wrap=True)


def recorded(archive: Archive, lesson: str) -> list[Record]:
    """Return all records of a lesson.

    Raises:
        CourseError: there are none.
    """
    records = list(archive.records(lesson))
    if not records:
        command = archive.options.command(f"grade {lesson}")
        raise CourseError(f"Nothing of {lesson} has been graded in {archive.folder}. Run: {command}")
    return records
