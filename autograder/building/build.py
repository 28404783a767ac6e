"""`course build`: lessons become solutions and notebooks with their diagrams; exercises, the table of contents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from autograder.building.executed import source_text, with_outputs_of
from autograder.building.lesson import read_lesson
from autograder.building.notebook import Notebook, solution_notebook, student_notebook, to_text
from autograder.exercises import DEFINITIONS
from course_lib import diagrams
from course_lib.contents import CONTENTS, Entry, contents_text
from course_lib.course import Course, CourseError


@dataclass(frozen=True)
class Built:
    """One file that a build makes, and whether it lies there as it should."""

    path: Path
    fresh: bool


def build_lesson(course: Course, lesson: str, check: bool = False) -> Iterator[Built]:
    """Build the notebooks of one lesson, and beside each its diagrams; with ``check``, only say what is stale."""
    path = course.root / "lessons" / f"{lesson}.md"
    solution = solution_notebook(course, lesson, read_lesson(path))
    yield _built_solution(course.solution_notebook(lesson), solution, check)
    yield _built(course.student_notebook(lesson), to_text(student_notebook(solution)), check)
    for _, name in diagrams.images(path.read_text(encoding="utf-8")):
        try:
            svg = diagrams.draw(name).svg
        except ModuleNotFoundError:
            raise CourseError(
                f"{path.name} shows {diagrams.FOLDER}/{name}.svg, but there is no course_lib/diagrams/{name}.py."
            ) from None
        for notebook in (course.solution_notebook(lesson), course.student_notebook(lesson)):
            yield _built(notebook.parent / diagrams.FOLDER / f"{name}.svg", svg, check)


def build_contents(check: bool = False) -> Built:
    """Build the table of contents that the library ships; with ``check``, only say whether it is stale."""
    fields = Entry.__dataclass_fields__
    exercises = (asdict(definition.exercise) for definition in DEFINITIONS.values())
    entries = (Entry(**{name: exercise[name] for name in fields}) for exercise in exercises)
    return _built(CONTENTS, contents_text(entries), check)


def _built_solution(path: Path, solution: Notebook, check: bool) -> Built:
    """A solution: compared without what its cells show, which stays as long as no code changes."""
    if source_text(path) == to_text(solution):
        return Built(path, fresh=True)
    return _built(path, to_text(with_outputs_of(path, solution)), check)


def _built(path: Path, text: str, check: bool) -> Built:
    fresh = path.is_file() and path.read_text(encoding="utf-8") == text
    if not check and not fresh:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return Built(path, fresh)
