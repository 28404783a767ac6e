"""Downloads for the tests of collecting: notebooks, archives, folders."""

from __future__ import annotations

import io
import json
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from conftest import LESSON

from autograder.collecting.collect import collect
from autograder.collecting.outcomes import Collection, FileOutcome
from autograder.collecting.roster import Member, Roster
from course_lib.course import Course

ROSTER = Roster(
    [
        Member("kim", "Kim", "Lee", "kim.lee@uni.example", "102"),
        Member("ada", "Ada", "Lovelace", "ada.l@uni.example", "101"),
        Member("zo", "Zoë", "O'Brien", "zo@uni.example", "104"),
        Member("jm", "Jörg", "Müller", "jm@uni.example", "103"),
    ]
)


def name_of(cell: Mapping[str, Any]) -> str:
    return str(cell["metadata"].get("nbgrader", {}).get("grade_id", ""))


class Notebooks:
    """Make a lesson's notebook in different states.

    Args:
        course: the course that builds the notebook.
    """

    def __init__(self, course: Course) -> None:
        self.released = course.student_notebook(LESSON)
        solution = json.loads(course.solution_notebook(LESSON).read_text(encoding="utf-8"))
        self._right = {name_of(cell): "".join(cell["source"]) for cell in solution["cells"] if name_of(cell)}

    def cells(self) -> dict[str, Any]:
        return dict(json.loads(self.released.read_text(encoding="utf-8")))

    def blank(self) -> bytes:
        return json.dumps(self.cells()).encode()

    def worked(self, *exercises: str, own: str = "") -> bytes:
        """Return it with right code in some exercises, by default in all, and with a cell that the student added."""
        notebook = self.cells()
        for cell in notebook["cells"]:
            about = cell["metadata"].get("nbgrader", {})
            wanted = not exercises or name_of(cell) in exercises
            if cell["cell_type"] == "code" and about.get("solution") and wanted and not (own and not exercises):
                cell["source"] = self._right[name_of(cell)]
        if own:
            notebook["cells"].append(code(own))
        return json.dumps(notebook).encode()

    def without_metadata(self) -> bytes:
        """Remove our metadata, nbgrader's metadata and the ids, as Colab and other editors do."""
        notebook = json.loads(self.worked())
        cells = [{**cell, "metadata": {}, "id": f"x{i}"} for i, cell in enumerate(notebook["cells"])]
        return json.dumps({**notebook, "metadata": {}, "cells": cells}).encode()


def code(source: str) -> dict[str, Any]:
    return {"cell_type": "code", "id": "own", "metadata": {}, "source": source, "outputs": [], "execution_count": None}


def scratch(*sources: str) -> bytes:
    cells = [code(source) for source in sources]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def zipped(files: Mapping[str, str | bytes]) -> bytes:
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return into.getvalue()


def tarred(files: Mapping[str, bytes], mode: str = "w:gz") -> bytes:
    into = io.BytesIO()
    with tarfile.open(fileobj=into, mode=mode) as archive:  # type: ignore[call-overload]
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return into.getvalue()


def place(tmp_path: Path, files: Mapping[str, str | bytes], name: str = "downloads") -> Path:
    for path, content in files.items():
        file = tmp_path / name / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return tmp_path / name


class Class:
    """A class's folder, into which downloads can be collected several times.

    Args:
        notebooks: the lesson's notebooks; without them, no release is known.
    """

    def __init__(self, folder: Path, notebooks: Notebooks | None = None, roster: Roster | None = ROSTER) -> None:
        self.folder, self.roster = folder, roster
        self.released = notebooks.released if notebooks else None
        self.runs = 0
        self.last: Collection | None = None

    def collect(self, files: Mapping[str, str | bytes], **options: Any) -> dict[str, FileOutcome]:
        self.runs += 1
        return self.collect_from(place(self.folder, files, f"downloads{self.runs}"), **options)

    def collect_from(self, downloads: Path, **options: Any) -> dict[str, FileOutcome]:
        self.last = collect(downloads, LESSON, self.folder / "submitted", self.roster, self.released, **options)
        return {str(outcome.path): outcome for outcome in self.last.outcomes}

    def has(self, student: str) -> str:
        assert self.last
        [one] = [one for one in self.last.students if one.student == student]
        return one.has

    def file(self, student: str, name: str = f"{LESSON}.ipynb") -> Path:
        return self.folder / "submitted" / student / LESSON / name

    def content(self, student: str) -> str:
        return self.file(student).read_text(encoding="utf-8")
