"""Compare the points that grades are out of with those that the course gives now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import nbformat

from autograder.class_folder.next_command import ClassOptions
from autograder.gradebook.lesson_grades import LessonGrades
from autograder.gradebook.shares import worth_of
from course_lib.checking.formatting import number
from course_lib.course import Course


def outdated(course: Course, book: LessonGrades, lessons: Iterable[str], options: ClassOptions) -> Iterator[str]:
    """Yield a sentence for each lesson whose points have changed since it was graded.

    Args:
        lessons: the lessons whose grades are exported, or count in an exported mark.
    """
    from autograder.building.build import released_now  # which imports PyTorch

    for lesson in lessons:
        if lesson not in course.lessons or not book.grades.get(lesson):
            continue
        worth, path = worth_of(released_now(course, lesson)), course.student_notebook(lesson)
        now = round(sum(worth.values()), 6)
        if now == book.most[lesson]:
            continue
        fresh = path.is_file() and worth_of(nbformat.read(path, as_version=nbformat.NO_CONVERT)) == worth
        build = "" if fresh else "course build, then "
        yield (
            f"Warning: {lesson} is worth {number(now)} points by course.toml and the lesson now, but these grades are "
            f"out of {number(book.most[lesson])}. Run {build}{options.command(f'regrade {lesson}')}, and export again."
        )
