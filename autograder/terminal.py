"""Grading, feedback and the report as a person at a terminal sees them: progress bars and tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from autograder.grading.submissions import find_submissions
from autograder.records.archive import Archive, write_whole
from autograder.records.record import Record, has_all_points, points, waits
from autograder.records.report import class_report, report_page
from autograder.records.results import results
from autograder.terminal_progress import progress_bar
from course_lib.checking.formatting import printable
from course_lib.course import Course, CourseError

out = Console(highlight=False, soft_wrap=False, emoji=False)


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

    What was graded before and would be graded just so again is not run again, unless by ``force``.
    """
    from autograder.building.missing_keys import make_answer_keys, up_to
    from autograder.grading.grader import make_grader
    from autograder.records.gradebook import Records
    from autograder.records.regrading import Regrading

    found = find_submissions(submissions, lesson)
    archive.require()
    make_answer_keys(up_to(lesson), workers)
    grader = make_grader(course, lesson, archive.folder, unsandboxed)
    with Records(gradebook or archive.gradebook, lesson, course.written) as records, progress_bar() as progress:
        records.register(grader.released)
        regrading = Regrading(grader, archive, records, course.unreadable)
        left = list(found) if force else regrading.left(found)
        if len(left) < len(found):
            kept = f"{len(found) - len(left)} of {len(found)}"
            out.print(f"{kept} are as they were graded before. With --force they are run again.")
        if reason := regrading.graded_once_more(left):
            regrading = replace(regrading, grader=grader.drawn_anew(reason))
            out.print(f"{reason}. Their hidden questions are drawn anew.")
        bar = progress.add_task(f"Grading {lesson}", total=len(found), completed=len(found) - len(left))
        done = 0
        try:
            for graded in regrading.grade(left, workers):
                done += not graded.courses_fault
                progress.advance(bar)
        except (CourseError, KeyboardInterrupt) as error:
            progress.stop()
            rest = f"{done} of {len(left)} were graded and are kept. Run it again to grade the others."
            if isinstance(error, CourseError):
                raise CourseError(f"{error} {rest}") from None
            out.print(f"Stopped. {rest}")
            raise
        students = {submission.student for submission in found}
        return [record for record in results(archive, records, lesson) if record["student"] in students]


def feedback_pages(lesson: str, archive: Archive, gradebook: str | None) -> int:
    """Write the feedback pages with a progress bar; how many there are."""
    from autograder.records.feedback import write_feedback
    from autograder.records.gradebook import Records

    total = len(_recorded(archive, lesson))
    with Records(gradebook or archive.gradebook, lesson) as records, progress_bar() as progress:
        bar = progress.add_task(f"Feedback for {lesson}", total=total)
        for _ in write_feedback(archive, records, lesson):
            progress.advance(bar)
    return total


def write_report(lesson: str, archive: Archive, gradebook: str | None) -> None:
    """Write the class report, and show its misconceptions in the terminal."""
    from autograder.records.gradebook import Records

    _recorded(archive, lesson)
    with Records(gradebook or archive.gradebook, lesson) as book:
        records, absent = results(archive, book, lesson), book.absent()
    path = archive.report(lesson)
    write_whole(path, report_page(lesson, records, absent))
    table = Table("Exercise", "Misconception", "Students", box=None, header_style="bold")
    for exercise in class_report(records):
        for name, _, students in exercise.misconceptions:
            table.add_row(exercise.exercise_id, name, str(len(students)))
    if table.row_count:
        out.print(table)
    if waiting := waits(records):
        out.print(f"{waiting}.")
    out.print(f"Class report: {escape(str(path))}", soft_wrap=True)


def results_table(graded: Sequence[Record]) -> Table:
    """One row a student: the points, and for each exercise that lost some, how many and what was recognised."""
    table = Table("Student", "Points", "What was found", box=None, header_style="bold", padding=(0, 1))
    table.columns[0].no_wrap = table.columns[1].no_wrap = True
    for g in graded:
        full = has_all_points(g)
        colour = "red" if g["status"] != "graded" else "green" if full else "yellow"
        found = escape("\n".join(map(printable, _found(g))))
        table.add_row(escape(g["student"]), f"[{colour}]{points(g['score'], g['max_score'])}[/]", found)
    return table


def _found(g: Record) -> list[str]:
    """The reason where it did not end as it should, mistakes by their names with the points lost, what still waits."""
    found = [g["reason"]] if g["reason"] else []
    if g["kept"]:
        found.append(f"the grade of an earlier file; the last one could not be graded: {g['kept']}")
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
    if waiting := waits([g]):
        found.append(waiting)
    return found


def summarise(graded: Sequence[Record]) -> None:
    """Say in one sentence how many were graded, stopped and not gradable."""
    done = [g for g in graded if g["status"] == "graded"]
    full = sum(map(has_all_points, done))
    out.print(
        f"{len(graded)} submissions: {len(done)} graded ({full} with full points), "
        f"{sum(g['status'] == 'stopped' for g in graded)} stopped at a limit, "
        f"{sum(g['status'] == 'failed' for g in graded)} not gradable."
    )
    if waiting := waits(graded):
        out.print(f"{waiting}.")


def _recorded(archive: Archive, lesson: str) -> list[Record]:
    """What is recorded of a lesson.

    Raises:
        CourseError: nothing is.
    """
    records = list(archive.records(lesson))
    if not records:
        raise CourseError(
            f"Nothing of {lesson} has been graded in {archive.folder}. Run: course grade {lesson} --submissions DIR"
        )
    return records
