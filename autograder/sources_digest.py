"""Compute digests of the sources that determine questions, answers, checks and grades, without importing them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

import autograder
import course_lib

#: the sources that determine answers, apart from the draw
SOURCES = (
    *(Path(course_lib.__file__).parent / part for part in ("checking", "components", "corpus")),
    Path(autograder.__file__).parent / "exercises",
)
#: the other sources that determine grades
GRADER = (
    *(Path(course_lib.__file__).parent / part for part in ("rebuilding", "running")),
    Path(autograder.__file__).parent / "grading",
)


@cache
def sources_digest(extension: Path | None = None) -> bytes:
    """Return a digest that changes whenever questions, answers, checks or verdicts might. It is equal on every machine.

    Args:
        extension: the folder of an extension, whose sources also determine its exercises.
    """
    return _digest(*SOURCES, *((extension / part for part in ("components", "exercises")) if extension else ()))


@cache
def exercise_digest(folders: tuple[Path, ...], extension: Path | None = None) -> bytes:
    """Return a digest that changes whenever an exercise's questions, answers or checks might. It is equal everywhere.

    Args:
        folders: the folders of the exercise and of those that it builds on. Other exercises don't matter.
        extension: the folder of the extension that contains the exercise. Everything in it matters.
    """
    digest = hashlib.sha256(_shared_digest())
    for folder in folders:
        digest.update(folder.name.encode() + _digest(folder))
    return (digest.digest() + sources_digest(extension)) if extension else digest.digest()


@cache
def _shared_digest() -> bytes:
    """Return a digest of the sources that all exercises share."""
    return _digest(*SOURCES, leave_out=lambda path: (path.parent / "exercise.py").exists())


@cache
def grader_digest() -> bytes:
    """Return a digest that changes whenever submissions might be parsed, run or noted differently."""
    return _digest(*GRADER)


def _digest(*folders: Path, leave_out: Callable[[Path], bool] = lambda path: False) -> bytes:
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted([*folder.rglob("*.py"), *folder.rglob("*.md")]):
            if path.name == "unseen.py" or leave_out(path):  # only benchmarks judge unseen code
                continue
            source = path.read_bytes()
            digest.update(f"{path.relative_to(folder)} {len(source)} ".encode() + source)
    return digest.digest()
