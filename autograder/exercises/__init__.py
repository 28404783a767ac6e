"""Every exercise of the course, by id, in the order of lessons. Each is read when it is first needed.

An exercise is a folder that has its id as its name, and contains:

- ``exercise.py``: an `Outline` called ``EXERCISE``: questions, checks, hints;
- ``mistakes.md``: the registered mistakes, see `autograder.exercises.mistakes`;
- ``variants.py``: other right, wrong and trivial implementations, see `autograder.exercises.variants`;
- ``unseen.py``: code by authors who had not seen the checks.

Its lesson and its position are those of its cell in the texts in ``lessons/``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.exercises.points import course_points, require_known
from course_lib.course import CourseError, lesson_texts
from course_lib.extensions import extension_folders

if TYPE_CHECKING:
    from autograder.exercises.definition import Definition

_HERE = Path(__file__).parent
#: in an exercise's file, what may be the name of another exercise: a string, or a part of an import
_NAMES = re.compile(r'"(\w+)"|\bautograder\.exercises\.lesson_\w+\.(\w+)')
_CELL = re.compile(r"^:tags: \[exercise\]\n+(\w+)$", re.MULTILINE)


class Definitions(Mapping[str, "Definition"]):
    """The exercises of the course and of its extensions.

    Raises:
        CourseError: two exercises have the same id, or `course.toml` gives points for one that does not exist.
    """

    def __init__(self) -> None:
        folders = {path.parent.name: path.parent for path in _HERE.glob("lesson_*/*/exercise.py")}
        self._extensions: dict[str, Path] = {}
        for extension in extension_folders():
            for path in sorted(extension.glob("exercises/*/exercise.py")):
                if (id := path.parent.name) in folders:
                    where = "the course" if id not in self._extensions else str(folders[id])
                    raise CourseError(f"{path.parent}: {where} has an exercise {id!r}, too. Rename one.")
                folders[id], self._extensions[id] = path.parent, extension
        self._positions = _positions()
        self._folders = folders
        self._order = sorted(folders.keys() & self._positions.keys(), key=self._positions.__getitem__)
        self._read: dict[str, Definition] = {}
        self._behind: dict[str, tuple[Path, ...]] = {}
        require_known(course_points(), folders)

    def __getitem__(self, id: str) -> Definition:
        """Read an exercise unless it has been read before, and give it the course's points."""
        if id not in self._read:
            self._read[id] = self._load(id, self._folders[id])
        return self._read[id]

    def __contains__(self, id: object) -> bool:
        """Return whether an exercise has this id, even if no lesson has a cell for it yet."""
        return id in self._folders

    def __iter__(self) -> Iterator[str]:
        """Iterate over the ids of exercises in lessons, in order, without reading any exercise."""
        return iter(self._order)

    def __len__(self) -> int:
        """Count the exercises in lessons."""
        return len(self._order)

    def lesson(self, id: str) -> str:
        """Return the lesson of an exercise without reading the exercise."""
        return self.position(id)[0]

    def position(self, id: str) -> tuple[str, int]:
        """Return the lesson of an exercise and its place in it, without reading the exercise.

        Raises:
            CourseError: no lesson has a cell for it.
        """
        if id not in self._positions:
            folder = self._folders[id]
            raise CourseError(f"{folder}: no lesson has a cell for it: one with the tag exercise that contains {id}.")
        return self._positions[id]

    def folders_behind(self, id: str) -> tuple[Path, ...]:
        """Return the folders of an exercise and of those on which it may build, or with which it shares questions.

        These are the exercises that its `exercise.py` names, and so on. No exercise is read.
        """
        if id in self._behind:
            return self._behind[id]
        found: dict[str, Path] = {}
        named = [id]
        while named:
            if (name := named.pop()) not in found and name in self._folders:
                found[name] = self._folders[name]
                text = (found[name] / "exercise.py").read_text(encoding="utf-8")
                named += [quoted or imported for quoted, imported in _NAMES.findall(text)]
        self._behind[id] = tuple(found[name] for name in sorted(found))
        return self._behind[id]

    def extension(self, id: str) -> Path | None:
        """Return the folder of the extension that contains an exercise, or None for one of ours."""
        return self._extensions.get(id)

    def _load(self, id: str, folder: Path) -> Definition:
        from autograder.exercises.reading import read_definition  # most answer keys are kept and need no definition

        lesson, place = self.position(id)
        return read_definition(folder, lesson, place, id in self._extensions)


def _positions() -> dict[str, tuple[str, int]]:
    """Return the lesson and the position of every exercise's cell. An extension's text of a lesson replaces ours."""
    positions: dict[str, tuple[str, int]] = {}
    for home in (_HERE.parent.parent, *extension_folders()):
        for text in lesson_texts(home):
            cells = _CELL.findall(text.read_text(encoding="utf-8"))
            positions |= {id: (text.stem, place) for place, id in enumerate(cells)}
    return positions


DEFINITIONS = Definitions()


def of_lesson(lesson: str) -> tuple[Definition, ...]:
    """Return a lesson's exercises in order."""
    return tuple(DEFINITIONS[id] for id in DEFINITIONS if DEFINITIONS.lesson(id) == lesson)
