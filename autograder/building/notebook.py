"""Turn a lesson into the notebook with solutions, and turn that into the student's notebook."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import jupytext
import nbformat
from nbgrader.preprocessors import (
    CheckCellMetadata,
    ClearHiddenTests,
    ClearMarkScheme,
    ClearOutput,
    ComputeChecksums,
    IncludeHeaderFooter,
    LockCells,
)
from traitlets.config import Config

from autograder.building.clearing import ClearSolutions
from autograder.building.first_cell import with_installation
from autograder.building.hosts import links
from autograder.building.lesson import LessonCell
from autograder.building.solution_cell import cut, cut_on_paper
from autograder.building.worth import texts_with_points, written_points
from autograder.exercises import DEFINITIONS
from course_lib.app.lab import KERNEL
from course_lib.course import START, Course, CourseError
from course_lib.journey.progress import id_of_task
from course_lib.source_names import free_names
from course_lib.version import __version__

Notebook = Any  # nbformat has no types
SCHEMA = 3  #: the version of nbgrader's cell metadata

#: the last cells of every student notebook. Solutions lack them, because they would show somebody else's points
LESSON_END = Path(__file__).parent / "lesson_end.ipynb"

#: the steps of `nbgrader generate_assignment` with our configuration, in its order
TO_STUDENT = (
    IncludeHeaderFooter, LockCells, ClearSolutions, ClearOutput, CheckCellMetadata,
    ComputeChecksums, ClearHiddenTests, ClearMarkScheme, ComputeChecksums, CheckCellMetadata,
)  # fmt: skip


def solution_notebook(course: Course, lesson: str, cells: list[LessonCell]) -> Notebook:
    """Return the notebook with solutions. Cut every exercise cell from its component, and put a grade cell below it.

    Raises:
        CourseError: an exercise is unknown or belongs elsewhere, or its cell uses a name that
            no cell before it defines.
    """
    notebook = nbformat.v4.new_notebook(
        metadata={
            "kernelspec": KERNEL,
            "language_info": {"name": "python"},
            "course": {"lesson": lesson, "version": __version__},
        }
    )
    known: set[str] = set()
    for cell, text in zip(cells, texts_with_points(course, lesson, cells), strict=True):
        match cell.kind:
            case "prose":
                notebook.cells.append(_cell("markdown", text, written_as=cell.source))
            case "setup":
                begin = f'{cell.source}\n\nbegin("{lesson}", version="{__version__}")'
                source = with_installation(begin, course.package)
                notebook.cells.append(_cell("code", source, tags=["setup"], grade_id="setup"))
                known |= _defined(cell.source)
            case "demo":
                # an error in a demo, such as one that a student has changed, must not stop "Run All Cells"
                notebook.cells.append(_cell("code", cell.source, tags=["demo", "raises-exception"]))
            case "written":
                # nbgrader clears a markdown solution only in a graded cell, so use 0 points if it is not graded
                about: dict[str, Any] = {"solution": True, "grade": True, "points": written_points(course, cell)}
                notebook.cells.append(_cell("markdown", cell.source, grade_id=f"written-{cell.name}", **about))
            case "exercise":
                solution, graded_by = _exercise(lesson, cell.source, known)
                if notebook.cells[-1].cell_type == "markdown":
                    notebook.cells[-1]["id"] = id_of_task(cell.source)
                notebook.cells += [solution, graded_by]
                known.add(DEFINITIONS[cell.source].exercise.symbol)
    _unique_ids(notebook)
    return notebook


def start_notebook(course: Course) -> Notebook:
    """Return the notebook that everyone opens first, with prose and the map of the lessons but without exercises."""
    notebook = nbformat.v4.new_notebook(metadata={"kernelspec": KERNEL, "language_info": {"name": "python"}})
    for cell in jupytext.read(course.root / "lessons" / f"{START}.md", fmt="md:myst").cells:
        source = cell.source.strip()
        shown = with_installation(source, course.package) if cell.cell_type == "code" else source
        notebook.cells.append(_cell(cell.cell_type, shown, written_as=source))
    if opened := links(course, course.start_notebook):
        notebook.cells.insert(1, _cell("markdown", opened))
    return notebook


def student_notebook(solution: Notebook) -> Notebook:
    """Make the student's notebook with nbgrader's own preprocessors and `lesson_end.ipynb` as its footer."""
    notebook, resources = nbformat.from_dict(solution), {"notebook_directory": "."}
    config = Config(IncludeHeaderFooter={"footer": str(LESSON_END)})
    for preprocessor in TO_STUDENT:
        notebook, resources = preprocessor(config=config).preprocess(notebook, resources)
    return notebook


def to_text(notebook: Notebook) -> str:
    """Return the notebook as text for a file."""
    return str(nbformat.writes(notebook, version=nbformat.NO_CONVERT)) + "\n"


def _exercise(lesson: str, exercise_id: str, known: set[str]) -> tuple[Notebook, Notebook]:
    definition = DEFINITIONS.get(exercise_id)
    if definition is None or definition.exercise.lesson != lesson:
        raise CourseError(f"{lesson} has an exercise cell {exercise_id!r}, but autograder/exercises has none for it.")
    exercise = definition.exercise
    reference = definition.reference.source
    source = cut_on_paper(reference) if exercise.on_paper else cut(reference, definition.write)
    unknown = set(free_names(source)) - known
    if unknown:
        raise CourseError(
            f"{lesson}: the cell of {exercise_id!r} needs {sorted(unknown)}, which no cell before defines."
        )
    solution = _cell("code", source, grade_id=exercise_id, solution=True)
    call = f'check("{exercise_id}", {exercise.symbol})'
    return solution, _cell("code", call, grade_id=f"check-{exercise_id}", grade=True, points=exercise.points)


def _cell(
    kind: str,
    source: str,
    tags: list[str] | None = None,
    grade_id: str = "",
    solution: bool = False,
    grade: bool = False,
    points: float | None = None,
    written_as: str = "",
) -> Notebook:
    """Make a cell with an id from its name or content, and with nbgrader's metadata if it has a name.

    Args:
        written_as: the lesson's own text, from which the id is computed so that it doesn't change with the points.
    """
    metadata: dict[str, Any] = {"tags": tags} if tags else {}
    if grade_id:
        metadata["nbgrader"] = {
            "grade": grade,
            "grade_id": grade_id,
            "locked": not solution,
            "schema_version": SCHEMA,
            "solution": solution,
            "task": False,
        }
        if points is not None:
            metadata["nbgrader"]["points"] = int(points) if points == int(points) else points
    make = nbformat.v4.new_markdown_cell if kind == "markdown" else nbformat.v4.new_code_cell
    cell = make(source, metadata=metadata)
    by_content = hashlib.sha1((written_as or source).encode()).hexdigest()[:10]
    cell["id"] = (grade_id or f"{kind}-{by_content}").replace("_", "-")[:64]
    return cell


def _unique_ids(notebook: Notebook) -> None:
    """Number the ids that several cells with the same content share."""
    seen: dict[str, int] = {}
    for cell in notebook.cells:
        seen[cell.id] = seen.get(cell.id, 0) + 1
        if seen[cell.id] > 1:
            cell["id"] = f"{cell.id}-{seen[cell.id]}"


def _defined(source: str) -> set[str]:
    """Return the names that a cell imports or assigns."""
    import symtable

    table = symtable.symtable(source, "cell", "exec")
    return {s.get_name() for s in table.get_symbols() if s.is_imported() or s.is_assigned()}
