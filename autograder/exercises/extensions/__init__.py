"""Exercises of an instructor's own: the folders in ``exercises/`` of each folder that `course.toml` names."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType


def imported(folder: Path) -> ModuleType:
    """Import the file `exercise.py` of an exercise's folder."""
    if str(folder.parent) not in __path__:
        __path__.append(str(folder.parent))
    return importlib.import_module(f"{__name__}.{folder.name}.exercise")
