"""Read and write a gradebook's due dates, extensions and submission times, all in UTC as nbgrader stores them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from nbgrader.api import Assignment, SubmittedAssignment, SubmittedNotebook

from autograder.gradebook.lateness import Lateness


class Late(NamedTuple):
    """A submission's late penalty in points, and the submission time if it is known."""

    points: float
    time: datetime | None


class Penalty(NamedTuple):
    """A submission's late penalty before and now, in points.

    Attributes:
        time_lost: whether the submission time was known before and is not known now.
    """

    before: float
    now: float
    time_lost: bool = False


def due(database: Any) -> list[tuple[str, datetime, dict[str, timedelta]]]:
    """Return every lesson that has a due date, with the date and the students' extensions."""
    about = Assignment.name, SubmittedAssignment.student_id, SubmittedAssignment.extension
    rows = database.query(*about).join(SubmittedAssignment)
    extended: dict[str, dict[str, timedelta]] = {}
    for name, student, extension in rows.filter(SubmittedAssignment.extension.is_not(None)):
        extended.setdefault(name, {})[student] = extension
    lessons = database.query(Assignment.name, Assignment.duedate).filter(Assignment.duedate.is_not(None))
    return [(name, date, extended.get(name, {})) for name, date in lessons]


def lateness_costs(database: Any, lesson: str, lateness: Lateness) -> bool:
    """Return whether being late may cost points in a lesson, which needs a due date, entered here or by nbgrader."""
    entered = database.query(Assignment).filter(Assignment.name == lesson, Assignment.duedate.is_not(None))
    return lateness.costs and (lateness.due(lesson) is not None or entered.count() > 0)


def enter(database: Any, lesson: str, date: datetime | None, extensions: Mapping[str, timedelta]) -> None:
    """Enter a lesson's due date, and exactly these extensions for students who have handed it in.

    The extension of any other student is entered with the submission.
    """
    for assignment in database.query(Assignment).filter(Assignment.name == lesson):
        assignment.duedate = date
    for submission in database.query(SubmittedAssignment).join(Assignment).filter(Assignment.name == lesson):
        submission.extension = (extensions.get(submission.student_id) or None) if date else None
    database.commit()


def penalties(database: Any, lesson: str) -> dict[str, Late]:
    """Return the late penalty of every submission of a lesson, by student."""
    about = SubmittedAssignment.student_id, SubmittedNotebook.late_submission_penalty, SubmittedAssignment.timestamp
    rows = _of_lesson(database.query(*about), lesson)
    return {student: Late(points or 0.0, time) for student, points, time in rows}


def differences(before: Mapping[str, Late], now: Mapping[str, Late]) -> dict[str, Penalty]:
    """Return the late penalties that differ, by student, of submissions that exist in both."""
    return {
        student: Penalty(round(old.points, 6), round(now[student].points, 6), bool(old.time and not now[student].time))
        for student, old in before.items()
        if student in now and round(old.points - now[student].points, 6)
    }


def update_penalties(database: Any, lateness: Lateness) -> dict[str, dict[str, Penalty]]:
    """Work out the late penalties of every lesson from the current points, and write those that differ.

    Read only the submissions that are late or have a penalty, because most are neither.

    Returns:
        The penalties that have changed, by lesson and student.

    Raises:
        CourseError: the late policy fails.
    """
    found = {}
    for lesson, entered in database.query(Assignment.name, Assignment.duedate).order_by(Assignment.name).all():
        date = lateness.due(lesson) or entered
        concerned = SubmittedNotebook.late_submission_penalty.is_not(None)
        if date:
            concerned = concerned | (SubmittedAssignment.timestamp > date)
        students = _of_lesson(database.query(SubmittedAssignment.student_id), lesson).filter(concerned)
        if other := settle(database, lesson, lateness, {student: None for (student,) in students}):
            found[lesson] = other
    return found


def settle(
    database: Any,
    lesson: str,
    lateness: Lateness,
    times: Mapping[str, datetime | None],
    scores: Mapping[str, float] | None = None,
    write: bool = True,
    later: Collection[str] = (),
) -> dict[str, Penalty]:
    """Enter the submission times, if they are known, and the late penalties; see `Records.settle`."""
    # write nothing until everything is known, because reading the policy's file opens the gradebook once more
    other: dict[str, Penalty] = {}
    with database.no_autoflush:
        submissions = database.query(SubmittedAssignment).join(Assignment)
        theirs = Assignment.name == lesson, SubmittedAssignment.student_id.in_(times)
        for submission in submissions.filter(*theirs):
            time, earlier_time = times[submission.student_id], submission.timestamp
            if time or submission.student_id in later:
                submission.timestamp = time
            lateness.extend(submission)
            for notebook in submission.notebooks:
                before = notebook.late_submission_penalty or 0.0
                about_to_have = (scores or {}).get(submission.student_id)
                notebook.late_submission_penalty = lateness.penalty(notebook, about_to_have)
                now = notebook.late_submission_penalty or 0.0
                if round(before - now, 6):
                    time_lost = bool(earlier_time and not submission.timestamp)
                    other[submission.student_id] = Penalty(round(before, 6), round(now, 6), time_lost)
        if write:
            database.commit()
        else:
            database.rollback()
    return other


def _of_lesson(query: Any, lesson: str) -> Any:
    query = query.select_from(SubmittedNotebook).join(SubmittedAssignment).join(Assignment)
    return query.filter(Assignment.name == lesson)
