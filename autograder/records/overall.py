"""Work out each student's overall mark across lessons, by points or weights, with the lowest lessons dropped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from autograder.gradebook.deadlines_file import in_zone
from autograder.gradebook.lesson_grades import LessonGrade, LessonGrades
from course_lib.checking.formatting import number
from course_lib.course import Course, CourseError

#: the mark's name next to the names of lessons, and its maximum
MARK, OUT_OF = "mark", 100.0

#: the state of a student's grade for a lesson, in words
State = Literal["graded", "waits for a grader", "needs a decision", "not handed in"]


@dataclass(frozen=True)
class Weighting:
    """How lessons are combined into a mark.

    Attributes:
        weights: the weights by lesson. Lessons count by their points if there are none; otherwise, the default is 1.
        drop_lowest: the number of lessons that are dropped, those with the lowest share of their points.
    """

    weights: Mapping[str, float]
    drop_lowest: int

    def weight(self, lesson: str, most: float) -> float:
        """Return the weight of a lesson."""
        return self.weights.get(lesson, 1.0) if self.weights else most

    @property
    def in_words(self) -> str:
        """Explain in sentences how a mark is made."""
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
        state: the state of the student's grade.
        points: the student's points, or None if the gradebook has none.
        dropped: whether the lesson is one of the lowest, which do not count.
    """

    lesson: str
    state: State
    points: float | None
    dropped: bool = False


@dataclass(frozen=True)
class Mark:
    """One student's mark.

    Attributes:
        value: the mark in percent, or None if it cannot be known yet.
        lessons: every lesson that has been graded for anyone, in order.
        waiting: the number of parts of these lessons that wait for a grader.
    """

    value: float | None
    lessons: tuple[Counted, ...]
    waiting: int

    @property
    def unsettled(self) -> str:
        """Name the lessons that may still change the mark. Return an empty string if everything is graded."""
        counted = (
            one for one in self.lessons if not one.dropped and (one.points is None or one.state != "not handed in")
        )
        return ", ".join(f"{one.lesson} {one.state}" for one in counted if one.state != "graded")


def weighting_of(course: Course) -> Weighting:
    """Return the weighting in `course.toml`.

    Raises:
        CourseError: it gives a weight to an unknown lesson.
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
        """Return the share of the points. A lesson that was not handed in is the lowest of all."""
        found = points[lesson]
        return -1.0 if found is None else found / book.most[lesson] if book.most[lesson] else 0.0

    dropped: set[str] = set()
    if "needs a decision" not in states.values():  # the undecided lesson may be one of the lowest
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
    """Add the mark to the grades as one more lesson, so that every export format includes it.

    Args:
        so_far: whether to include marks while some parts still wait for a grader.
    """
    grades = {
        student: LessonGrade(mark.value if so_far or not mark.waiting else None, mark.value or 0.0, 0.0, 0, None)
        for student, mark in found.items()
    }
    return replace(
        book,
        most={**book.most, MARK: OUT_OF},
        due={**book.due, MARK: None},
        grades={**book.grades, MARK: grades},
    )


def open_lessons(book: LessonGrades, weighting: Weighting) -> str:
    """Say in a sentence which lessons count although they still accept work, or return an empty string."""
    found = [
        f"{name} (until {in_zone(end, book.timezone)})"
        for name, end in book.open_until.items()
        if weighting.weight(name, book.most[name]) > 0
    ]
    if not found:
        return ""
    return f"Already counted in the mark, although work is still accepted: {', '.join(found)}."
