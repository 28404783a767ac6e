"""Run `course integrity` in the terminal."""

from __future__ import annotations

from pathlib import Path

from rich.markup import escape
from rich.table import Table

from autograder.class_folder.writing import write_whole
from autograder.collecting.labels import NO_LABELS, read_labels
from autograder.collecting.roster import roster_or
from autograder.integrity.compare import Comparison, compare
from autograder.integrity.gather import Gathered
from autograder.integrity.page import integrity_page
from autograder.records.archive import Archive
from autograder.submissions.submission import find_submissions
from autograder.terminal import out
from autograder.terminal_progress import progress_bar
from course_lib.course import Course


def write_integrity(course: Course, lesson: str, submissions: Path, archive: Archive) -> None:
    """Compare the solutions of a lesson with a progress bar, write the page, and show its number of pairs."""
    found = find_submissions(submissions, lesson)
    labels = read_labels(archive.labels, roster_or(archive.roster, None)) if archive.labels.is_file() else NO_LABELS
    comparisons: list[Comparison] = []
    with progress_bar() as progress:
        gathered = Gathered(course, lesson, labels)
        reading = progress.add_task(f"Reading {lesson}", total=len(found))
        for submission in found:
            gathered.add(submission, archive.history(submission.student))
            progress.advance(reading)
        comparing = progress.add_task("Comparing", total=len(gathered.solutions))
        for exercise, solutions in gathered.solutions.items():
            comparisons.append(compare(exercise, solutions, gathered.elsewhere(exercise)))
            progress.advance(comparing)
    path = archive.report(f"{lesson}_integrity")
    write_whole(path, integrity_page(lesson, comparisons, gathered.unread, gathered.files, gathered.partly))
    table = Table(
        "Exercise", "Written", "Two are alike, usually", "Groups", "Pairs to look at", box=None, header_style="bold"
    )
    for one in comparisons:
        usual = f"{one.usual[0]:.0%} to {one.usual[1]:.0%}" if one.students > 1 else ""
        table.add_row(one.exercise, str(one.students), usual, str(len(one.groups) or ""), str(len(one.pairs) or ""))
    out.print(table)
    out.print(f"For you to judge: {escape(str(path))}", soft_wrap=True)
