"""Read and write a gradebook's due dates, extensions and submission times, all in UTC as nbgrader stores them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from nbgrader.api import Assignment, SubmittedAssignment

from autograder.records.lateness import Lateness


class Penalty(NamedTuple):
    """A submission's late penalty before and now, in points."""

    before: float
    now: float


def due(database: Any) -> list[tuple[str, datetime, dict[str, timedelta]]]:
    """Return every lesson that has a due date, with the date and the students' extensions."""
    about = Assignment.name, SubmittedAssignment.student_id, SubmittedAssignment.extension
    rows = database.query(*about).join(SubmittedAssignment)
    extended: dict[str, dict[str, timedelta]] = {}
    for name, student, extension in rows.filter(SubmittedAssignment.extension.is_not(None)):
        extended.setdefault(name, {})[student] = extension
    lessons = database.query(Assignment.name, Assignment.duedate).filter(Assignment.duedate.is_not(None))
    return [(name, date, extended.get(name, {})) for name, date in lessons]


def enter(database: Any, lesson: str, date: datetime | None, extensions: Mapping[str, timedelta]) -> None:
    """Enter a lesson's due date, and exactly these extensions for students who have handed it in.

    The extension of any other student is entered with the submission.
    """
    for assignment in database.query(Assignment).filter(Assignment.name == lesson):
        assignment.duedate = date
    for submission in database.query(SubmittedAssignment).join(Assignment).filter(Assignment.name == lesson):
        submission.extension = (extensions.get(submission.student_id) or None) if date else None
    database.commit()


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
            time = times[submission.student_id]
            if time or submission.student_id in later:
                submission.timestamp = time
            lateness.extend(submission)
            for notebook in submission.notebooks:
                before = notebook.late_submission_penalty or 0.0
                about_to_have = (scores or {}).get(submission.student_id)
                notebook.late_submission_penalty = lateness.penalty(notebook, about_to_have)
                now = notebook.late_submission_penalty or 0.0
                if round(before - now, 6):
                    other[submission.student_id] = Penalty(round(before, 6), round(now, 6))
        if write:
            database.commit()
        else:
            database.rollback()
    return other
