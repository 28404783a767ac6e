"""Write the class report with its tables, and show a summary of the exercises in the terminal."""

from __future__ import annotations

from collections.abc import Container
from importlib.metadata import version
from pathlib import Path
from statistics import fmean

from rich.markup import escape
from rich.table import Table

from autograder.class_folder.writing import write_json, write_whole
from autograder.collecting.roster import enrolled
from autograder.records.archive import Archive
from autograder.records.decisions import decided
from autograder.records.overall import marks, open_lessons, weighting_of
from autograder.records.record import waits
from autograder.records.report import class_report
from autograder.records.report_page import ClassOfLesson, LessonTrend
from autograder.records.results import results
from autograder.terminal import out, recorded, say_undecided
from autograder.terminal_lateness import update_penalties
from course_lib.checking.formatting import many, number
from course_lib.course import Course
from course_lib.running.cells import grade_id, kind_of


def write_report(
    course: Course,
    lesson: str,
    archive: Archive,
    anonymous: bool = False,
    json_file: Path | None = None,
    csv_file: Path | None = None,
) -> None:
    """Write the class report, and show the exercises in the terminal.

    Args:
        anonymous: whether to replace names with numbers, in a separate page next to the one with names.
    """
    from autograder.gradebook.gradebook import Records
    from autograder.records.deadlines import with_deadlines
    from autograder.records.late_policy import lateness_of

    recorded(archive, lesson)
    with Records(archive.gradebook, lesson, lateness=lateness_of(course, archive)) as book:
        update_penalties(book)
        every_lesson = book.lesson_grades()
        trend = [LessonTrend(name, len(found), fmean(found)) for name, found in every_lesson.shares().items()]
        members = {member.id: member for member in enrolled(archive.roster, None, book.members)}
        weighting, grades = weighting_of(course), with_deadlines(decided(every_lesson, archive, book), book, archive)
        several = sum(map(bool, grades.grades.values())) > 1
        too_early = open_lessons(grades, weighting) if several else ""
        found = ClassOfLesson(
            lesson,
            results(archive, book, lesson),
            sorted(members.keys() - book.students()),
            trend,
            _graded_by(course),
            parts=(parts := book.parts()),
            written=_written_in_order(course, lesson, {name for theirs in parts.values() for name in theirs}),
            names={student: member.name for student, member in members.items() if member.name},
            marks=marks(grades, sorted(members or book.students()), weighting, absent_is_zero=False) if several else {},
            marks_by=" ".join(filter(None, (weighting.in_words, too_early))),
            options=archive.options,
        )
    path = archive.report(lesson)
    if anonymous:
        found, path = found.without_names(), path.with_stem(f"{path.stem}_anonymous")
    write_whole(path, found.page(archive.feedback_link(lesson)))
    out.print(_exercises_table(found))
    if waiting := waits(found.records):
        out.print(f"{waiting}.")
    say_undecided(found.records, archive)
    if too_early:
        out.print(escape(too_early), soft_wrap=True)
    if json_file:
        write_json(json_file, found.as_json())
    if csv_file:
        write_whole(csv_file, found.as_csv())
    for kind, file in (("JSON", json_file), ("CSV", csv_file)):
        if file:
            out.print(f"{kind}: {escape(str(file))}", soft_wrap=True)
    out.print(f"Class report: {escape(str(path))}", soft_wrap=True)


def _written_in_order(course: Course, lesson: str, graded: Container[str]) -> list[str]:
    """Return the names of the graded written questions, in the order of the notebook."""
    import nbformat

    notebook = nbformat.read(course.student_notebook(lesson), as_version=nbformat.NO_CONVERT)
    names = (grade_id(cell) for cell in notebook.cells if kind_of(cell) == "written")
    return [name for name in names if name in graded]


def _graded_by(course: Course) -> list[str]:
    """Return lines on the version and the policy that determine the grades."""
    own = ", ".join(f"{name} {number(points)}" for name, points in course.exercise_points.items())
    names, finished = course.name_misconceptions, course.finished_functions
    return [
        f"{course.name}, version {version('attention-course')}.",
        f"Written answers: {course.written}"
        + (f", {number(course.written_points)} points times each one's weight." if course.written != "off" else "."),
        f"Cards {'name' if names else 'do not name'} mistakes, and {_HINTS[course.hints]}.",
        *([f"Points other than the lessons' own: {own}."] if own else []),
        f"A finished PyTorch function in place of handwritten code: {finished.replace('_', ' ')}.",
        f"An earlier grade when a later file cannot be read: {'is kept' if course.unreadable == 'keep' else 'goes'}.",
    ]


#: descriptions of the policies on hints
_HINTS = {"none": "give no hints", "first": "give the first hint", "all": "give hints"}


def _exercises_table(found: ClassOfLesson) -> Table:
    """Make a table with a row for each exercise and written question: its difficulty and its most frequent mistake."""
    table = Table("Exercise", "Mean", "Full marks", "Not written", "Most frequent", box=None, header_style="bold")
    for one in class_report(found.records):
        often = f"{one.misconceptions[0][0]}, {len(one.misconceptions[0][2])} ×" if one.misconceptions else ""
        mean = f"{one.mean:.2f} of {number(one.max_score)}"
        table.add_row(one.exercise_id, mean, f"{one.full} of {one.graded}", str(len(one.blank) or ""), often)
    for column in found.everyone.columns:
        if column.written:
            mean = "–" if column.mean is None else f"{column.mean:.2f} of {number(column.most)}"
            waiting = f"{many(column.waiting, 'answer')} to grade" if column.waiting else ""
            full = f"{column.full} of {column.graded}"
            table.add_row(f"written: {column.title}", mean, full, str(column.blank or ""), waiting)
    return table
