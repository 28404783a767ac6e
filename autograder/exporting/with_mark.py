"""Export grades with the overall mark as one more column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from autograder.class_folder.next_command import COURSES_OWN, ClassOptions
from autograder.collecting.roster import Member
from autograder.exporting.class_grades import Absent, ClassGrades, Ungraded, class_grades
from autograder.first_few import first_few
from autograder.gradebook.lesson_grades import LessonGrades
from autograder.records.overall import MARK, Mark, Weighting, marks, open_lessons, with_marks


def grades_with_mark(
    book: LessonGrades,
    lessons: Sequence[str] | Literal["all"],
    members: Sequence[Member],
    weighting: Weighting,
    absent: Absent,
    ungraded: Ungraded,
    options: ClassOptions = COURSES_OWN,
) -> tuple[ClassGrades, list[str]]:
    """Return the lessons followed by the mark, and sentences that the instructor must read.

    Args:
        lessons: the lessons with columns of their own, or all. The mark always includes all lessons.

    Raises:
        CourseError: nothing was graded, or parts wait for a grader although they must not.
    """
    whole = class_grades(book, "all", members, absent, ungraded, options)
    found = marks(book, (member.id for member in members), weighting, absent_is_zero=absent == "zero")
    marked = with_marks(book, found, so_far=ungraded == "so-far")
    named = whole.lessons if lessons == "all" else tuple(lessons)
    exported = ClassGrades((*named, MARK), members, marked, absent, ungraded)
    too_early = open_lessons(book, weighting)
    return exported, [*whole.remarks(), *filter(None, [too_early]), *_without_mark(exported, found)]


def _without_mark(exported: ClassGrades, found: dict[str, Mark]) -> Iterator[str]:
    empty = [student for student, mark in found.items() if exported.points(student, MARK) is None and mark.lessons]
    if empty:
        said = first_few((f"{student} ({found[student].unsettled})" for student in empty), between="; ")
        yield f"{len(empty)} {'student has' if len(empty) == 1 else 'students have'} no mark yet: {said}."
