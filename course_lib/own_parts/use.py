"""The switch: your own parts, or the reference."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from course_lib.checking.formatting import number
from course_lib.component_files import component_files
from course_lib.contents import Entry, public_exercises
from course_lib.course import CourseError
from course_lib.own_notebooks import find_notebooks
from course_lib.own_parts import shadow
from course_lib.own_parts.extract import NotThereError, cut_part, is_stub
from course_lib.own_parts.judge import Judge, put_in_place
from course_lib.own_parts.parts import Part, Parts
from course_lib.own_parts.progress import OneLine
from course_lib.own_parts.shadow import CannotLoadError
from course_lib.running.cell import Cell
from course_lib.running.reading import read_notebook
from course_lib.running.runner import CannotStart
from course_lib.session import CURRENT, is_graded
from course_lib.stand_ins import STAND_INS

FOLDER = Path(".course") / "own_parts"  #: next to the notebooks: the parts as they are used, and their verdicts

_CHECKED = "While a notebook is checked or graded, every part is the reference."
_CHECKED_OVER_YOURS = "While a notebook is checked, parts that this release has no reference of are yours."


def use(yours: bool = True, folder: str | Path = ".") -> Parts:
    """Use your own parts of earlier lessons instead of the reference, or put the reference back.

    Args:
        yours: ``False`` for the reference. If the release has none, because the lesson still accepted work, the part is
            yours all the same.
        folder: where the search for your notebooks starts; they are in this folder or next to it.

    Returns:
        A table of the parts that says which are yours, which are the reference, and why.
    """
    if is_graded():  # if the release has none, yours were put in place beforehand
        return Parts((), _CHECKED_OVER_YOURS if STAND_INS else _CHECKED)
    shadow.clear()
    if not yours and not STAND_INS:
        return Parts((), "Every part is the reference.")
    with OneLine() as line:
        home, parts = _assembled(Path(folder), CURRENT.lesson, line, () if yours else STAND_INS)
    return Parts(tuple(_put(part, home) for part in parts))


def assemble(folder: str | Path = ".", running: Callable[[str], object] = lambda symbol: None) -> Parts:
    """Return the same table for all existing parts, without exchanging anything.

    Args:
        running: called with a part's name before it runs. Parts that were judged before don't run again.
    """
    return Parts(tuple(_assembled(Path(folder), "", running)[1]))


def own_before(folder: Path, lesson: str) -> list[Cell]:
    """Return cells to run before a lesson's notebook, in which own parts replace components that are withheld.

    Args:
        folder: the notebook's folder.
    """
    if not STAND_INS:
        return []
    _, parts = _assembled(folder, lesson, lambda symbol: None, STAND_INS)
    own = {part.symbol: part.source for part in parts if part.yours}
    return [Cell("own parts", "setup", put_in_place(own))] if own else []


def part_exercises() -> list[Entry]:
    """Return the exercises that ask for a component which this library has, in the order of lessons."""
    return [e for e in public_exercises() if e.symbol in component_files() and not e.on_paper]


def _put(part: Part, home: Path) -> Part:
    if part.yours:
        try:
            shadow.put(part.symbol, part.source, home / FOLDER / f"{part.symbol}.py")
        except CannotLoadError as error:
            return replace(part, source="", why=str(error))
    return part


def _assembled(
    start: Path, before: str, running: Callable[[str], object], only: Collection[str] = ()
) -> tuple[Path, list[Part]]:
    """Return the folder of the notebooks and, in order, the parts of all lessons before one, or only those named."""
    exercises = [e for e in part_exercises() if not before or e.lesson < before]
    home, paths = find_notebooks(start, dict.fromkeys(e.lesson for e in exercises))
    with contextlib.suppress(OSError):
        if paths:
            (home / FOLDER).mkdir(parents=True, exist_ok=True)
    parts: list[Part] = []
    with Judge(home / FOLDER, running=running) as judge:
        for lesson in dict.fromkeys(e.lesson for e in exercises):
            mine = [e for e in exercises if e.lesson == lesson]
            parts += parts_of_lesson(mine, paths.get(lesson), judge, only)
    for part in parts:
        _write(part, home / FOLDER / f"{part.symbol}.py")
    return home, parts


def parts_of_lesson(
    exercises: list[Entry], path: Path | None, judge: Judge, only: Collection[str] = ()
) -> Iterator[Part]:
    """Yield the parts that a lesson's exercises ask for, and whose each one is.

    Args:
        exercises: all exercises of the lesson.
        path: the notebook's path, or None if there is no notebook.
        only: the symbols of the wanted parts. The default is all.
    """
    lesson, notebook, problem = exercises[0].lesson, None, f"not found: there is no {exercises[0].lesson}.ipynb"
    if path is not None:
        try:
            notebook = read_notebook(path)
        except CourseError as error:
            problem = str(error)
    for symbol, ids in _by_symbol(exercises).items():
        if only and symbol not in only:
            continue
        if notebook is None:
            yield Part(symbol, lesson, problem)
        else:
            others = {e.symbol for e in exercises} - {symbol}
            yield _part(symbol, lesson, ids, notebook, others, judge)


def _by_symbol(exercises: Iterable[Entry]) -> dict[str, list[str]]:
    """Group exercise ids by symbol, because a class may span several exercises and is right only if all of them are."""
    ids: dict[str, list[str]] = {}
    for exercise in exercises:
        ids.setdefault(exercise.symbol, []).append(exercise.id)
    return ids


def _part(
    symbol: str, lesson: str, ids: list[str], notebook: Mapping[str, Any], others: set[str], judge: Judge
) -> Part:
    try:
        source = cut_part(notebook, ids[-1], symbol, others)
        if is_stub(source, symbol):  # without making the answer keys of its exercises, which takes long
            return Part(symbol, lesson, f"0 of {_points(ids)}: not written yet")
        judged = judge.judge(source, symbol, ids)
    except NotThereError as error:
        return Part(symbol, lesson, f"not found: {error}")
    except CannotStart as error:
        return Part(symbol, lesson, str(error), asked=False)
    return Part(symbol, lesson, judged.why, source if judged.passed else "")


def _points(ids: Collection[str]) -> str:
    most = sum(entry.points for entry in public_exercises() if entry.id in ids)
    return f"{number(most)} point{'' if most == 1 else 's'}"


def _write(part: Part, path: Path) -> None:
    """Write a part where tracebacks find its lines, or delete the file of a part that is no longer used."""
    with contextlib.suppress(OSError):
        if part.yours:
            path.write_text(part.source, encoding="utf-8")
        else:
            path.unlink(missing_ok=True)
