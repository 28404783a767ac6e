"""Read the results of one lesson of one class: the grader's records with the gradebook's points."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from autograder.records.decisions import read_decisions, with_current_points, with_decision
from autograder.records.record import Record, with_points
from course_lib.course import CourseError

if TYPE_CHECKING:
    from autograder.gradebook.gradebook import Records
    from autograder.records.archive import Archive


def results(archive: Archive, records: Records, lesson: str) -> list[Record]:
    """Return all records of a lesson, sorted by student, with the gradebook's points."""
    submission_points, decisions = records.submission_points(), read_decisions(archive)
    return [
        with_decision(with_points(record, submission_points.get(record["student"])), decisions)
        for record in archive.records(lesson)
    ]


def undecided_results(archive: Archive, lesson: str) -> list[Record]:
    """Return all records of a lesson as they are without the instructor's decisions, sorted by student.

    Raises:
        CourseError: the gradebook or a record cannot be read.
    """
    from autograder.gradebook.gradebook import Records

    found = list(archive.records(lesson))
    if not found:
        return []
    with Records(archive.gradebook, lesson) as records:
        return with_current_points(found, records)


def result(archive: Archive, records: Records, lesson: str, student: str) -> Record:
    """Return the record of one student with the gradebook's points.

    Raises:
        CourseError: the student has no record.
    """
    record = archive.record(lesson, student)
    if record is None:
        command = archive.options.command(f"grade {lesson}")
        raise CourseError(f"There is no record of {student!r} for {lesson}. Grade again: {command}")
    return with_decision(with_points(record, records.submission_points(student).get(student)), read_decisions(archive))


def results_of(archive: Archive, lessons: Iterable[str], student: str) -> list[Record]:
    """Return the records of one student in several lessons, with the gradebook's points.

    Raises:
        CourseError: the gradebook, a record or the decisions cannot be read.
    """
    from autograder.gradebook.gradebook import Records

    found = []
    for lesson in lessons:
        if archive.record(lesson, student):
            with Records(archive.gradebook, lesson) as records:
                found.append(result(archive, records, lesson, student))
    return found
