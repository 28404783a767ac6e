"""Join names to grades of a class that was graded under labels, such as anonymous numbers or teams."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from autograder.collecting.labels import Labels, read_labels
from autograder.collecting.roster import Roster
from autograder.gradebook.lesson_grades import LessonGrade, LessonGrades
from autograder.records.archive import Archive


def with_names(book: LessonGrades, archive: Archive, roster: Roster | None) -> LessonGrades:
    """Return the grades by student instead of by label, using ``labels.csv`` in the class's folder.

    Everyone in a team gets the team's grade. A grade under a student's own id takes precedence over one under a label.

    Args:
        roster: the members of the class. Without it, the grades are returned unchanged.

    Raises:
        CourseError: the labels cannot be read, or name somebody who is not in the class.
    """
    if roster is None or not archive.labels.is_file():
        return book
    labels, here = read_labels(archive.labels, roster), {member.id for member in roster.members}
    return replace(book, grades={lesson: _joined(grades, labels, here) for lesson, grades in book.grades.items()})


def _joined(grades: Mapping[str, LessonGrade], labels: Labels, here: set[str]) -> dict[str, LessonGrade]:
    own = {name: grade for name, grade in grades.items() if name in here or not labels.of(name)}
    by_label = {student: grade for name, grade in grades.items() if name not in here for student in labels.of(name)}
    return {**by_label, **own}
