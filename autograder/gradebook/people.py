"""Read, enter and remove the students in a gradebook."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from nbgrader.api import Gradebook, Student
from sqlalchemy import text

from autograder.collecting.roster import COLUMNS, Member, member_of


def members_in(database: Any) -> list[Member]:
    """Return every student of a gradebook, sorted by id."""
    columns = (getattr(Student, name) for name in COLUMNS)
    members = (member_of(said or "" for said in row) for row in database.query(*columns))
    return sorted(members, key=lambda member: member.id)


def enrol(database: Any, members: Iterable[Member]) -> None:
    """Enter the members of the class with their names and addresses. Update those who are already there."""
    known = {student.id: student for student in database.query(Student)}
    for member in members:
        about = {name: getattr(member, name) or None for name in COLUMNS}
        if member.id not in known:
            database.add(Student(**about))
        else:
            for name, value in about.items():
                setattr(known[member.id], name, value)
    database.commit()


def everyone(book: Gradebook) -> dict[str, list[str]]:
    """Return every student in the gradebook, with the lessons that the student has submissions of."""
    return {
        student.id: sorted(submission.assignment.name for submission in student.submissions)
        for student in book.students
    }


def remove(book: Gradebook, students: Iterable[str]) -> None:
    """Remove students: names and addresses, submissions, points and comments of all lessons.

    Rebuild an SQLite file, so that the removed data cannot be read from its free pages.
    """
    for student in students:
        book.remove_student(student)
    if book.engine.dialect.name == "sqlite":
        with book.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(text("VACUUM"))
