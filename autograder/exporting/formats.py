"""Write grades as tables for other programs: nbgrader's own CSV, Canvas's and Moodle's."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from autograder.class_folder.spreadsheet import harmless
from autograder.collecting.roster import Member
from autograder.exporting.class_grades import ClassGrades
from course_lib.checking.formatting import many, number

Row = Sequence[str]

#: a warning about late submissions for everyone who imports points
CANVAS_DEDUCTS = (
    "Points are already less what late submissions lose. If Canvas has a late policy of its own (Gradebook settings, "
    "Late Policies), it may deduct again from these scores: turn it off there before you import."
)

_NBGRADER: Row = (
    *("assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email"),
    *("raw_score", "late_submission_penalty", "score", "max_score"),
)


def nbgrader_csv(grades: ClassGrades, title: str = "") -> str:
    """Write the columns of ``nbgrader export``, with a row for each lesson and student.

    Leave cells empty if nbgrader writes 0 although nothing was handed in or graded.
    """
    return _table(_nbgrader_rows(grades, title))


def _nbgrader_rows(grades: ClassGrades, title: str) -> Iterator[Row]:
    yield _NBGRADER
    for lesson in grades.lessons:
        due, most = grades.book.due[lesson], number(grades.book.most[lesson])
        for member in grades.members:
            grade, points = grades.grade(member.id, lesson), grades.points(member.id, lesson)
            about = (member.id, member.last_name, member.first_name, member.email)
            counted = grade is not None and points is not None
            yield (
                title or lesson,
                str(due or ""),
                str((grade and grade.time) or ""),
                *map(harmless, about),
                number(grade.raw) if grade and counted else _shown(points),
                number(grade.penalty) if grade and counted else "",
                _shown(points),
                most,
            )


def canvas_csv(grades: ClassGrades, title: str = "") -> str:
    """Write the table for *Grades → Import* of Canvas, with a row for each student and a column for each lesson.

    Canvas finds a student by ``ID``, its own number (the roster's ``lms_user_id``), then by ``SIS Login ID`` (the
    roster's ``id``), then by name. It finds a column by the assignment's name, which its number in brackets may follow.
    An empty cell removes a grade in Canvas, but Canvas asks before it does so. It shows two decimals.

    Source: ``lib/gradebook_importer.rb`` of instructure/canvas-lms, and "How do I import grades in the Gradebook?" in
    the Canvas Instructor Guide.
    """
    return _table(_canvas_rows(grades, title))


def _canvas_rows(grades: ClassGrades, title: str) -> Iterator[Row]:
    yield ("Student", "ID", "SIS Login ID", "Section", *_titles(grades, title))
    yield ("    Points Possible", "", "", "", *(number(grades.book.most[lesson]) for lesson in grades.lessons))
    for member in grades.members:
        name = ", ".join(filter(None, (member.last_name, member.first_name))) or member.id
        points = (_shown(grades.points(member.id, lesson)) for lesson in grades.lessons)
        yield (harmless(name), harmless(member.lms_user_id), harmless(member.id), "", *points)


def moodle_csv(grades: ClassGrades, title: str = "") -> str:
    """Write the table for *Grades → Import → CSV file* of Moodle, with a row per student and a column per lesson.

    Map from ``Username``, ``ID number`` or ``Email address`` to Moodle's field of that name, and each lesson to its
    grade item. ``Username`` is the ``id`` of an instructor's own roster. It is empty if Moodle's participants were
    exported without user names, so map one of the other two. ``ID number`` is the roster's, or else the ``lms_user_id``
    of an instructor's own roster. It is never Canvas's number, which may be somebody else's ID number in Moodle.

    An empty cell is written as ``-``, as in Moodle's own exports. Moodle rejects the whole file for one unknown
    student, so the roster must be Moodle's.

    Source: https://docs.moodle.org/en/Grade_import and ``grade/import/csv/classes/load_data.php`` of moodle/moodle.
    """
    return _table(_moodle_rows(grades, title))


def _moodle_rows(grades: ClassGrades, title: str) -> Iterator[Row]:
    yield ("First name", "Last name", "Username", "ID number", "Email address", *_titles(grades, title))
    for member in grades.members:
        number = member.id_number or ("" if member.username == "" else member.lms_user_id)
        username = member.id if member.username is None else member.username
        about = (member.first_name, member.last_name, username, number, member.email)
        points = (_shown(grades.points(member.id, lesson), "-") for lesson in grades.lessons)
        yield (*map(harmless, about), *points)


def about_import(format: str, members: Iterable[Member]) -> Iterator[str]:
    """Yield sentences on what to do when the table is imported."""
    if format == "canvas":
        yield CANVAS_DEDUCTS
    if format == "moodle":
        lacking = [bool(member.id_number or member.email) for member in members if member.username == ""]
        if known := sum(lacking):
            yield (
                f"The roster has no user name for {many(known, 'student')}: when you import into Moodle, map ID number "
                "or Email address instead of Username."
            )
        if unknown := len(lacking) - known:
            yield (
                f"Moodle cannot find {many(unknown, 'student')}, of whom the roster has no user name, ID number or "
                "address. Pass Moodle's participants with --roster."
            )


def _titles(grades: ClassGrades, title: str) -> tuple[str, ...]:
    return (title,) if title else grades.lessons


def _shown(points: float | None, empty: str = "") -> str:
    return empty if points is None else number(points)


def _table(rows: Iterable[Row]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


#: the functions that write each format, given the grades and a title if only one lesson is exported
FORMATS: Mapping[str, Callable[[ClassGrades, str], str]] = {
    "csv": nbgrader_csv,
    "canvas": canvas_csv,
    "moodle": moodle_csv,
}
