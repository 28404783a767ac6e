"""Implement `course build`: make solutions, notebooks and diagrams from lessons, and the table of contents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from autograder.building.executed import source_text, with_outputs_of
from autograder.building.hosts import hosting_files
from autograder.building.lesson import entry_of, read_lesson
from autograder.building.notebook import Notebook, solution_notebook, start_notebook, student_notebook, to_text
from autograder.building.release import component_stub
from autograder.exercises import DEFINITIONS
from autograder.exercises.points import course_points
from course_lib import component_files, diagrams
from course_lib.contents import CONTENTS, NAME, Entry, LessonEntry, contents_text
from course_lib.course import Course, CourseError, find_course, lesson_texts


@dataclass(frozen=True)
class Built:
    """A file that a build makes, and whether it is up to date."""

    path: Path
    fresh: bool


def build_lesson(course: Course, lesson: str, check: bool = False) -> Iterator[Built]:
    """Build a lesson's notebooks, each with its diagrams next to it. With ``check``, only report what is stale."""
    path = course.lesson_text(lesson)
    solution = solution_notebook(course, lesson, read_lesson(path))
    yield _built_solution(course.solution_notebook(lesson), solution, check)
    yield _built(course.student_notebook(lesson), to_text(student_notebook(solution)), check)
    for _, name in diagrams.images(path.read_text(encoding="utf-8")):
        try:
            svg = diagrams.draw(name).svg
        except KeyError:
            raise CourseError(
                f"{path.name} shows {diagrams.FOLDER}/{name}.svg, but course_lib/diagrams has no {name}.py."
            ) from None
        for notebook in (course.solution_notebook(lesson), course.student_notebook(lesson)):
            yield _built(notebook.parent / diagrams.FOLDER / f"{name}.svg", svg, check)


def build_contents(course: Course, check: bool = False) -> Iterator[Built]:
    """Build the library's lists of components and contents, and each extension's contents.

    With ``check``, only report what is stale.
    """
    yield _built(component_files.FOLDER / "__init__.pyi", component_stub(extensions=False), check)
    yield _built(CONTENTS, contents_text(_entries(course.root), _entries_of(None)), check)
    for folder in course.extensions:
        yield _built(folder / NAME, contents_text(_entries(folder), _entries_of(folder)), check)


def _entries(home: Path) -> list[LessonEntry]:
    """Return the lessons in a folder of the course or an extension."""
    return [entry_of(path) for path in lesson_texts(home)]


def _entries_of(extension: Path | None) -> Iterator[Entry]:
    """Yield the exercises of an extension, or our own if it is None."""
    for id in DEFINITIONS:
        if DEFINITIONS.extension(id) == extension:
            exercise = asdict(DEFINITIONS[id].exercise)
            yield Entry(**{name: exercise[name] for name in Entry.__dataclass_fields__})


def build_start(course: Course, check: bool = False) -> Built:
    """Build the notebook that everyone opens first. With ``check``, only report whether it is stale."""
    return _built(course.start_notebook, to_text(start_notebook(course)), check)


def build_hosting(course: Course, check: bool = False) -> Iterator[Built]:
    """Build what depends on where the course is hosted. With ``check``, only report what is stale."""
    for path, text in hosting_files(course).items():
        yield _built(path, text, check)


def released_now(course: Course, lesson: str) -> Notebook:
    """Return the student notebook of a lesson as a build would make it now."""
    return student_notebook(solution_notebook(course, lesson, read_lesson(course.lesson_text(lesson))))


def built_here(lesson: str) -> Notebook:
    """Return the same for a lesson of the current course, whose own notebook a student may have edited."""
    return released_now(find_course(), lesson)


def require_fresh(course: Course, lessons: Sequence[str], what: str) -> None:
    """Check that lessons, exercises and policy have been built since they were last edited.

    Args:
        what: the result that would mix old and new, such as ``"grades"``.

    Raises:
        CourseError: some lessons are stale. The message names all of them and the command that builds them.
    """
    if dict(course_points()) != dict(course.exercise_points):
        raise CourseError(
            "course.toml gives other points for exercises than when this process began. "
            "Start again; in Jupyter, restart the kernel."
        )
    stale = [name for name in lessons if not all(built.fresh for built in build_lesson(course, name, check=True))]
    if stale:
        raise CourseError(
            f"{', '.join(stale)}: the notebooks are not what course build would make of the lessons and course.toml "
            f"now, so {what} would follow from a mixture of old and new. Run: {_build_command(stale)}"
        )


def require_built(course: Course, lessons: Sequence[str]) -> None:
    """Check that lessons have notebooks for students.

    Raises:
        CourseError: some have none. The message names all of them and the command that builds them.
    """
    if missing := [name for name in lessons if not course.student_notebook(name).is_file()]:
        raise CourseError(f"Not built: {', '.join(missing)}. Run: {_build_command(missing)}")


def _build_command(lessons: Sequence[str]) -> str:
    return f"course build {lessons[0]}" if len(lessons) == 1 else "course build"


def _built_solution(path: Path, solution: Notebook, check: bool) -> Built:
    """Build a solution. Ignore outputs when comparing it, and keep them as long as no code changes."""
    if source_text(path) == to_text(solution):
        return Built(path, fresh=True)
    return _built(path, to_text(with_outputs_of(path, solution)), check)


def _built(path: Path, text: str, check: bool) -> Built:
    fresh = path.is_file() and path.read_text(encoding="utf-8") == text
    if not check and not fresh:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return Built(path, fresh)
