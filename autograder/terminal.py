"""Grading, feedback and the report as a person at a terminal sees them: progress bars and tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from autograder.grading.run import grade_class, make_grader
from autograder.grading.submission import Graded
from autograder.grading.submissions import find_submissions
from autograder.records.archive import Archive, points, write_whole
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
) -> list[Graded]:
    """Grade a folder of submissions with a progress bar; the results by student."""
    found = find_submissions(submissions, lesson)
    archive.require()
    grader = make_grader(course, lesson, archive.folder, unsandboxed)
    results = []
    with Records(gradebook or archive.gradebook, lesson, course.written) as records, progress_bar() as progress:
        records.register(grader.released)
        bar = progress.add_task(f"Grading {lesson}", total=len(found))
        for graded, notebook in grade_class(grader, found, min(workers, len(found))):
            if notebook is not None:
                records.save(graded.student, notebook)
            archive.save(graded, notebook)
            results.append(graded)
            progress.advance(bar)
    return sorted(results, key=lambda g: g.student)


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


def results_table(graded: Sequence[Graded]) -> Table:
    """One row a student: the points, and for each exercise that lost some, how many and what was recognised."""
    table = Table("Student", "Points", "What was found", box=None, header_style="bold", padding=(0, 1))
    table.columns[0].no_wrap = table.columns[1].no_wrap = True
    for g in graded:
        colour = "red" if g.status != "graded" else "green" if g.score >= g.max_score else "yellow"
        score = points(g.score if g.status != "failed" else None, g.max_score)
        table.add_row(escape(g.student), f"[{colour}]{score}[/]", escape("\n".join(map(_printable, _found(g)))))
    return table


def _printable(text: str) -> str:
    """The text without what a terminal would obey: an error may be called anything."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def _found(g: Graded) -> list[str]:
    """The reason where it did not end as it should, lost points with the mistake's name, carried errors."""
    found = [g.reason] if g.reason else []
    if g.verdicts and not g.score:
        return found or ["nothing is written"]
    for name, verdict in g.verdicts.items():
        if verdict.carried:
            found.append(f"{name}: right, but for {verdict.carried[0]}")
        elif not verdict.passed:
            what = verdict.misconception or (verdict.error.type if verdict.error else "no known mistake")
            found.append(f"{name} {points(verdict.score, verdict.max_score)}: {what}")
    return found


def summarise(graded: Sequence[Graded]) -> None:
    """Say in one sentence how many were graded, stopped and not gradable."""
    done = [g for g in graded if g.status == "graded"]
    full = sum(g.score >= g.max_score for g in done)
    out.print(
        f"{len(graded)} submissions: {len(done)} graded ({full} with full points), "
        f"{sum(g.status == 'stopped' for g in graded)} stopped at a limit, "
        f"{sum(g.status == 'failed' for g in graded)} not gradable."
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
