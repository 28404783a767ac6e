"""The points of each exercise when it was last checked, stored next to the notebook and nowhere else."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

from course_lib import beside_notebook

FILE = beside_notebook.FOLDER / "points.json"


def remember(exercise_id: str, points: float, folder: Path = Path()) -> None:
    """Record an exercise's present points in the folder of its notebook."""
    known = beside_notebook.read(folder / FILE)
    if known.get(exercise_id) != points:
        beside_notebook.write(folder / FILE, {**known, exercise_id: points})


def remembered(folder: Path) -> dict[str, float]:
    """Return the points of every exercise whose notebook is in this folder or in one of its direct subfolders.

    If an exercise was checked in several of them, the best result counts.
    """
    best: dict[str, float] = {}
    for file in _files(folder):
        for exercise_id, points in beside_notebook.read(file).items():
            if isinstance(points, int | float) and math.isfinite(points):
                best[exercise_id] = max(points, best.get(exercise_id, 0.0))
    return best


def _files(folder: Path) -> Iterator[Path]:
    yield folder / FILE
    yield from sorted(folder.glob(f"[!.]*/{FILE.as_posix()}"))
