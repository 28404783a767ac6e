"""Run solution notebooks. Keep their outputs, but ignore them when notebooks are compared."""

from __future__ import annotations

import copy
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbgrader.utils import determine_grade, is_grade

from autograder.building.notebook import Notebook, to_text
from course_lib.diagrams import FOLDER

_TIME_LIMIT = 900  #: wall-clock seconds for one cell


@dataclass(frozen=True)
class Run:
    """The result of running a whole notebook.

    Attributes:
        seconds: the wall-clock time that it took.
        points: the points that the checks show, and the most points possible.
        troubles: what a reader should not see: errors, and text on stderr.
    """

    seconds: float
    points: tuple[float, float]
    troubles: tuple[str, ...]

    @property
    def clean(self) -> bool:
        """Return whether nothing went wrong and no point is missing."""
        score, most = self.points
        return score >= most and not self.troubles


def run(path: Path, folder: Path) -> Run:
    """Run a solution notebook in a folder, and save it with its outputs.

    Args:
        folder: the folder in which its cells run. The files that they save stay there.
    """
    (folder / FOLDER).mkdir(exist_ok=True)  # as next to a notebook, so that the lesson need not show its diagrams
    notebook, start = nbformat.read(path, as_version=nbformat.NO_CONVERT), time.perf_counter()
    about = {"metadata": {"path": str(folder)}}
    quiet = ["--log-level=ERROR"]  # hides the kernel's warning about its local port, on which nobody else listens
    NotebookClient(
        notebook,
        timeout=_TIME_LIMIT,
        allow_errors=True,
        coalesce_streams=True,  # or printed text is split wherever the kernel happened to send it
        record_timing=False,
        resources=about,
        extra_arguments=quiet,
    ).execute()
    seconds = time.perf_counter() - start
    notebook.metadata.language_info = {"name": "python"}  # the kernel has put its version there
    path.write_text(to_text(notebook), encoding="utf-8")
    graded = [determine_grade(cell) for cell in notebook.cells if is_grade(cell) and cell.cell_type == "code"]
    points = sum(score or 0.0 for score, _ in graded), sum(most for _, most in graded)
    return Run(seconds, points, tuple(_troubles(notebook)))


def source_text(path: Path) -> str:
    """Return a notebook on disk without its outputs, or an empty string if it is missing or unreadable."""
    try:
        notebook = nbformat.read(path, as_version=nbformat.NO_CONVERT)
    except (OSError, ValueError):
        return ""
    return to_text(without_outputs(notebook))


def without_outputs(notebook: Notebook) -> Notebook:
    """Return a copy without outputs and execution counts."""
    bare: Any = copy.deepcopy(notebook)
    for cell in _code(bare):
        cell.outputs, cell.execution_count = [], None
    return bare


def with_outputs_of(path: Path, notebook: Notebook) -> Notebook:
    """Return a copy with the outputs of a notebook on disk if both have the same code, or else unchanged."""
    try:
        before = nbformat.read(path, as_version=nbformat.NO_CONVERT)
    except (OSError, ValueError):
        return notebook
    shown: Any = copy.deepcopy(notebook)
    pairs = list(zip_longest(_code(before), _code(shown)))
    if any(old is None or new is None or old.source != new.source for old, new in pairs):
        return notebook
    for old, new in pairs:
        new.outputs, new.execution_count = old.outputs, old.execution_count
    return shown


def _code(notebook: Notebook) -> Iterator[Any]:
    return (cell for cell in notebook.cells if cell.cell_type == "code")


def _troubles(notebook: Notebook) -> Iterator[str]:
    for number, cell in enumerate(notebook.cells):
        for output in cell.get("outputs", ()):
            if output.output_type == "error":
                yield f"cell {number}: {output.ename}: {output.evalue}"
            elif output.get("name") == "stderr":
                yield f"cell {number} writes to stderr: {output.text[:200]!r}"
