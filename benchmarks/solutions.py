"""Run the solution notebooks one after the other, as a reader does with "run all": how long each takes, and its points.

It fails where a cell does, where something is written to stderr, or where points are missing.

    python -m benchmarks.solutions
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbgrader.utils import determine_grade, is_grade

from course_lib.course import find_course


def run(notebook: Any, folder: Path) -> float:
    """Run a notebook to its end, whatever its cells raise; the seconds it took by the clock."""
    start = time.perf_counter()
    about = {"metadata": {"path": str(folder)}}
    NotebookClient(notebook, timeout=900, allow_errors=True, resources=about).execute()
    return time.perf_counter() - start


def troubles(notebook: Any) -> Iterator[str]:
    """What a reader would stumble over."""
    for number, cell in enumerate(notebook.cells):
        for output in cell.get("outputs", ()):
            if output.output_type == "error":
                yield f"cell {number}: {output.ename}: {output.evalue}"
            elif output.get("name") == "stderr":
                yield f"cell {number} writes to stderr: {output.text[:200]!r}"


def points(notebook: Any) -> tuple[float, float]:
    """The points that the checks show, and all there are."""
    graded = [determine_grade(cell) for cell in notebook.cells if is_grade(cell) and cell.cell_type == "code"]
    return sum(score or 0.0 for score, _ in graded), sum(most for _, most in graded)


def main() -> None:
    """Run them, and print a line for each."""
    course = find_course()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lessons", nargs="*", metavar="LESSON", help="as 03_self_attention or 03; all without any")
    names = [course.lesson(name) for name in parser.parse_args().lessons] or list(course.lessons)
    total, failed = 0.0, False
    for name in names:
        with tempfile.TemporaryDirectory() as place:
            notebook = nbformat.read(course.solution_notebook(name), as_version=nbformat.NO_CONVERT)
            seconds = run(notebook, Path(place))
        score, most = points(notebook)
        print(f"{name:<26} {seconds:6.0f} s   {score:g} of {most:g} points", flush=True)
        for trouble in troubles(notebook):
            print(f"    {trouble}", flush=True)
            failed = True
        total, failed = total + seconds, failed or score < most
    print(f"{'together':<26} {total:6.0f} s")
    sys.exit(failed)


if __name__ == "__main__":
    main()
