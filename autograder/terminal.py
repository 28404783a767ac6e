"""Grading, feedback and the report as a person at a terminal sees them: progress bars and tables."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from autograder.grading.rebuild import UnreadableError
from autograder.grading.run import Grader, grade_class, make_grader
from autograder.grading.submissions import Submission, find_submissions
from autograder.records.archive import Archive, Record, points, write_whole
from autograder.records.feedback import write_feedback
from autograder.records.gradebook import Records
from autograder.records.report import class_report, report_page
from course_lib.course import Course, CourseError

out = Console(highlight=False, soft_wrap=False)


def grade_all(
    course: Course,
    lesson: str,
    submissions: Path,
    archive: Archive,
    gradebook: str | None,
    workers: int,
    unsandboxed: bool,
    force: bool = False,
) -> list[Record]:
    """Grade a folder of submissions with a progress bar; the results by student.

    What was graded before and would be graded just so again is not run again, unless by ``force``. So grading that was
    stopped in the middle, however hard, goes on where it was.
    """
    found = find_submissions(submissions, lesson)
    archive.require()
    grader = make_grader(course, lesson, archive.folder, unsandboxed)
    with Records(gradebook or archive.gradebook, lesson, course.written) as records, progress_bar() as progress:
        records.register(grader.released)
        done = {} if force else dict(_unchanged(grader, found, archive, records))
        left = [submission for submission in found if submission.student not in done]
        if done:
            out.print(f"{len(done)} of {len(found)} are as they were graded before. With --force they are run again.")
        if reason := _graded_once_more(left, archive, lesson):
            grader = grader.drawn_anew(archive.folder, reason)
            out.print(f"{reason}. Their hidden questions are drawn anew.")
        bar = progress.add_task(f"Grading {lesson}", total=len(found), completed=len(done))
        for graded, notebook in grade_class(grader, left, min(workers, len(left))) if left else ():
            if notebook is not None:
                records.save(graded.student, notebook)
            done[graded.student] = archive.save(graded, notebook)  # last: what has a record is complete
            progress.advance(bar)
    return [done[student] for student in sorted(done)]


def _graded_once_more(left: Sequence[Submission], archive: Archive, lesson: str) -> str:
    """Which of those that are to be graded were graded before; nothing where none was.

    Whoever was graded could have learned the hidden questions, see `autograder.grading.secret`.
    """
    before = {record["student"] for record in archive.records(lesson) if record["status"] != "failed"}
    again = sum(submission.student in before for submission in left)
    return f"{again} of the {len(left)} to be graded were graded before" if again else ""


def _unchanged(
    grader: Grader, found: Sequence[Submission], archive: Archive, records: Records
) -> Iterator[tuple[str, Record]]:
    """The records, by student, of submissions whose grade is known and stands in this gradebook."""
    known = {record["student"]: record for record in archive.records(grader.keys.lesson) if record.get("digest")}
    known = {student: known[student] for student in known.keys() & records.students()} if known else {}
    for submission in found:
        with contextlib.suppress(UnreadableError):
            record = known.get(submission.student)
            if record and record["digest"] == grader.digest(grader.read(submission)):
                yield submission.student, record


def feedback_pages(lesson: str, archive: Archive, gradebook: str | None) -> int:
    """Write the feedback pages with a progress bar; how many there are."""
    total = len(_records(archive, lesson))
    with Records(gradebook or archive.gradebook, lesson) as records, progress_bar() as progress:
        bar = progress.add_task(f"Feedback for {lesson}", total=total)
        for _ in write_feedback(archive, records, lesson):
            progress.advance(bar)
    return total


def write_report(lesson: str, archive: Archive) -> None:
    """Write the class report, and show its misconceptions in the terminal."""
    records = _records(archive, lesson)
    path = archive.report(lesson)
    write_whole(path, report_page(lesson, records))
    table = Table("Exercise", "Misconception", "Students", box=None, header_style="bold")
    for exercise in class_report(records):
        for name, _, students in exercise.misconceptions:
            table.add_row(exercise.exercise_id, name, str(len(students)))
    if table.row_count:
        out.print(table)
    out.print(f"Class report: {escape(str(path))}", soft_wrap=True)


def results_table(graded: Sequence[Record]) -> Table:
    """One row a student: the points, and for each exercise that lost some, how many and what was recognised."""
    table = Table("Student", "Points", "What was found", box=None, header_style="bold", padding=(0, 1))
    table.columns[0].no_wrap = table.columns[1].no_wrap = True
    for g in graded:
        full = g["score"] is not None and g["score"] >= g["max_score"]
        colour = "red" if g["status"] != "graded" else "green" if full else "yellow"
        found = escape("\n".join(map(printable, _found(g))))
        table.add_row(escape(g["student"]), f"[{colour}]{points(g['score'], g['max_score'])}[/]", found)
    return table


def printable(text: str) -> str:
    """The text without what a terminal would obey: an error may be called anything."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def _found(g: Record) -> list[str]:
    """The reason where it did not end as it should, mistakes by their names with the points lost, carried errors."""
    found = [g["reason"]] if g["reason"] else []
    if g["exercises"] and not g["score"]:
        return found or ["nothing is written"]
    for name, exercise in g["exercises"].items():
        earned, carried = points(exercise["score"], exercise["max_score"]), exercise["carried"]
        whole = exercise["score"] >= exercise["max_score"]
        if carried and whole:
            found.append(f"{name}: right, but for {carried[0]}")
        elif carried:
            found.append(f"{name} {earned}: right as far as it can be seen, but for {carried[0]}")
        elif exercise["misconception"] or not whole:
            found.append(f"{name} {earned}: {exercise['misconception'] or exercise['error'] or 'no known mistake'}")
    return found


def summarise(graded: Sequence[Record]) -> None:
    """Say in one sentence how many were graded, stopped and not gradable."""
    done = [g for g in graded if g["status"] == "graded"]
    full = sum(g["score"] >= g["max_score"] for g in done)
    out.print(
        f"{len(graded)} submissions: {len(done)} graded ({full} with full points), "
        f"{sum(g['status'] == 'stopped' for g in graded)} stopped at a limit, "
        f"{sum(g['status'] == 'failed' for g in graded)} not gradable."
    )


def _records(archive: Archive, lesson: str) -> list[dict[str, object]]:
    records = list(archive.records(lesson))
    if not records:
        raise CourseError(
            f"Nothing of {lesson} has been graded in {archive.folder}. Run: course grade {lesson} --submissions DIR"
        )
    return records


def progress_bar() -> Progress:
    """A bar with how many are done and how long the others may take; on stderr, so that stdout can be kept."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True))
