"""What may be wrong with a notebook, and what to do about it."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from course_lib.contents import public_exercises
from course_lib.course import CourseError
from course_lib.running.cells import exercise_of, grade_id, kind_of
from course_lib.running.plain_python import plain_python
from course_lib.running.reading import read_notebook
from course_lib.syntax import syntax_tree
from course_lib.version import __version__


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        state: ``ok``; ``note``, which can stay; ``wrong``, which costs points or stops something.
        mend: what to do.
    """

    state: str
    text: str
    mend: str = ""


def examine_notebook(path: Path) -> Iterator[Finding]:
    """Look at a notebook as a grader will."""
    try:
        notebook = read_notebook(path)
    except CourseError as error:
        yield Finding("wrong", str(error))
        return
    cells = notebook["cells"]
    about = notebook["metadata"].get("course")
    about = about if isinstance(about, dict) else {}
    lesson = about.get("lesson", path.stem)
    exercises = [e for e in public_exercises() if e.lesson == lesson]
    if not exercises:
        yield Finding(
            "wrong",
            f"{path.name} belongs to no lesson of this course",
            "Name a lesson's notebook: course lessons lists them.",
        )
        return
    if about.get("version", __version__) != __version__:
        yield Finding(
            "note",
            f"the notebook is of version {about['version']}, course_lib of {__version__}",
            "Get both from one release: checks may differ from your grader's.",
        )
    if path.stem != lesson:
        yield Finding("wrong", f"the file is called {path.name}", f"Hand it in as {lesson}.ipynb.")
    names = Counter(grade_id(cell) for cell in cells if grade_id(cell))
    for name, count in names.items():
        if count > 1:
            yield Finding(
                "wrong", f"the cell {name!r} is there {count} times", "Delete the copies; the first one counts."
            )
    written = {grade_id(cell): _without_cell_magic(cell["source"]) for cell in reversed(cells) if grade_id(cell)}
    written = {exercise.id: written[exercise.id] for exercise in exercises if exercise.id in written}
    plain = dict(zip(written, plain_python(list(written.values())), strict=True))
    for exercise in exercises:
        yield from _exercise(exercise.id, exercise.symbol, cells, names, plain.get(exercise.id))
    size = path.stat().st_size / 1e6
    if size > 10:
        yield Finding("note", f"the file has {size:.0f} MB", "Clear the outputs before you hand it in.")


def _exercise(
    exercise_id: str, symbol: str, cells: list[Any], names: Counter[str], plain: str | None
) -> Iterator[Finding]:
    """One exercise: is its cell there, can it be read, is anything written, is its check as it was.

    Args:
        plain: the cell as plain Python, if that could be found out.
    """
    if not names[exercise_id]:
        yield Finding(
            "wrong",
            f"the cell of {symbol} is missing",
            "Copy the cell from a fresh notebook. What you define elsewhere is still found by its name.",
        )
        return
    source = next(cell["source"] for cell in cells if grade_id(cell) == exercise_id)
    if plain is None:
        yield Finding("wrong", f"{symbol}: its cell is too long, or too odd, to be read", "Shorten the cell.")
        return
    try:
        tree = syntax_tree(plain)
    except SyntaxError as error:
        yield Finding("wrong", f"{symbol}: line {error.lineno} is no Python ({error.msg})", "Run the cell and mend it.")
        return
    except (ValueError, RecursionError, MemoryError) as error:
        yield Finding("wrong", f"{symbol}: its cell is no Python ({error})", "Run the cell and mend it.")
        return
    check = [c for c in cells if kind_of(c) == "grade" and exercise_of(c) == exercise_id]
    if not check:
        yield Finding("note", f"the check of {symbol} is missing", "It is put back when you are graded.")
    elif check[0]["source"].strip() != f'check("{exercise_id}", {symbol})':
        yield Finding("note", f"the check of {symbol} was changed", "It is put back when you are graded.")
    if not any(getattr(node, "name", None) == symbol for node in ast.walk(tree)):
        yield Finding("wrong", f"the cell does not define {symbol}", f"Name your function or class {symbol}.")
    elif "raise NotImplementedError()" in source:
        yield Finding("note", f"{symbol} is not written yet")
    else:
        yield Finding("ok", f"{symbol} is there")


def _without_cell_magic(source: str) -> str:
    """A cell without its first line, where that is ``%%time`` or the like; the numbers of its lines stay."""
    return "\n" + source.partition("\n")[2] if source.startswith("%%") else source
