"""The overall mark of each student across lessons: by points or by weights, without the lowest ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from autograder.records.lesson_grades import LessonGrade, LessonGrades
from course_lib.checking.formatting import number
from course_lib.course import Course, CourseError

#: what the mark is called where lessons are named, and what it is out of
MARK, OUT_OF = "mark", 100.0

#: what stands between a student and the points of a lesson, in words
State = Literal["graded", "waits for a grader", "needs a decision", "not handed in"]


@dataclass(frozen=True)
class Weighting:
    """How lessons make a mark.

    Attributes:
        weights: by lesson; without any, lessons count by their points; with some, a lesson without one weighs 1.
        drop_lowest: how many lessons with the lowest share of their points do not count.
    """

    weights: Mapping[str, float]
    drop_lowest: int

    def weight(self, lesson: str, most: float) -> float:
        """Return what a lesson weighs."""
        return self.weights.get(lesson, 1.0) if self.weights else most

    @property
    def in_words(self) -> str:
        """How a mark is made, in sentences."""
        how = "Lessons count by their points."
        if self.weights:
            named = ", ".join(f"{lesson} {number(weight)}" for lesson, weight in self.weights.items())
            how = f"Lessons count by their weights ({named}, any other 1)."
        if self.drop_lowest:
            lowest = "lesson" if self.drop_lowest == 1 else f"{self.drop_lowest} lessons"
            how += f" Not counted: each student's lowest {lowest}, by share of the points."
        return how


@dataclass(frozen=True)
class Counted:
    """One lesson in one student's mark.

    Attributes:
        points: None where the gradebook has none.
        dropped: whether it is one of the lowest, which do not count.
    """

    lesson: str
    state: State
    points: float | None
    dropped: bool = False


@dataclass(frozen=True)
class Mark:
    """One student's mark.

    Attributes:
        value: in percent; None where it cannot be known yet.
        lessons: every lesson that has been graded for anyone, in order.
        waiting: how many parts of these lessons wait for a grader.
    """

    value: float | None
    lessons: tuple[Counted, ...]
    waiting: int

    @property
    def unsettled(self) -> str:
        """What may still change it, in words; empty where everything is graded."""
        counted = (
            one for one in self.lessons if not one.dropped and (one.points is None or one.state != "not handed in")
        )
        return ", ".join(f"{one.lesson} {one.state}" for one in counted if one.state != "graded")


def weighting_of(course: Course) -> Weighting:
    """Return the weighting that course.toml asks for.

    Raises:
        CourseError: it gives a weight to something that is no lesson.
    """
    try:
        weights = {course.lesson(name): weight for name, weight in course.mark_weights.items()}
    except CourseError as error:
        raise CourseError(f"{course.root / 'course.toml'}, mark.weights: {error}") from None
    return Weighting(weights, course.drop_lowest)


def marks(book: LessonGrades, students: Iterable[str], weighting: Weighting, absent_is_zero: bool) -> dict[str, Mark]:
    """Work out the mark of every student.

    A lesson counts as soon as any submission of it has been graded. A student who has not handed it in has no mark,
    unless the lesson is dropped as one of the lowest, or counts as 0.

    Args:
        absent_is_zero: whether a lesson that was not handed in counts as 0 points.
    """
    lessons = [name for name, grades in book.grades.items() if grades and weighting.weight(name, book.most[name]) > 0]
    return {student: _mark(student, book, lessons, weighting, absent_is_zero) for student in students}


def _mark(student: str, book: LessonGrades, lessons: list[str], weighting: Weighting, absent_is_zero: bool) -> Mark:
    grades = {lesson: book.grades[lesson].get(student) for lesson in lessons}
    states = {lesson: _state(grade) for lesson, grade in grades.items()}
    points = {lesson: grade.score if grade and not grade.undecided else None for lesson, grade in grades.items()}
    if absent_is_zero:
        points |= {lesson: 0.0 for lesson, state in states.items() if state == "not handed in"}

    def share(lesson: str) -> float:
        """Return the share of the points; a lesson that was not handed in is the lowest of all."""
        found = points[lesson]
        return -1.0 if found is None else found / book.most[lesson] if book.most[lesson] else 0.0

    dropped: set[str] = set()
    if "needs a decision" not in states.values():  # nobody knows yet whether it is one of the lowest
        dropped = set(sorted(lessons, key=share)[: min(weighting.drop_lowest, len(lessons) - 1)])
    counted = [lesson for lesson in lessons if lesson not in dropped]
    weights = {lesson: weighting.weight(lesson, book.most[lesson]) for lesson in counted}
    value = None
    if counted and all(points[lesson] is not None for lesson in counted):
        value = OUT_OF * sum(weights[lesson] * share(lesson) for lesson in counted) / sum(weights.values())
    return Mark(
        None if value is None else round(value, 2),
        tuple(Counted(lesson, states[lesson], points[lesson], lesson in dropped) for lesson in lessons),
        sum(grade.ungraded for grade in grades.values() if grade),
    )


def _state(grade: LessonGrade | None) -> State:
    if grade is None:
        return "not handed in"
    if grade.undecided or grade.score is None:
        return "needs a decision"
    return "waits for a grader" if grade.ungraded else "graded"


def with_marks(book: LessonGrades, found: Mapping[str, Mark], so_far: bool) -> LessonGrades:
    """Return the grades with the mark as one more lesson, so that every format can hold it.

    Args:
        so_far: whether points that were given so far make a mark while others wait for a grader.
    """
    grades = {
        student: LessonGrade(mark.value if so_far or not mark.waiting else None, mark.value or 0.0, 0.0, 0, None)
        for student, mark in found.items()
    }
    return LessonGrades({**book.most, MARK: OUT_OF}, {**book.due, MARK: None}, {**book.grades, MARK: grades})
