"""Compute digests of the sources that determine questions, answers, checks and grades, without importing them."""

from __future__ import annotations

import hashlib
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
def grader_digest() -> bytes:
    """Return a digest that changes whenever submissions might be parsed, run or noted differently."""
    return _digest(*GRADER)


def _digest(*folders: Path) -> bytes:
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted([*folder.rglob("*.py"), *folder.rglob("*.md")]):
            if path.name == "unseen.py":  # code that only benchmarks judge
                continue
            source = path.read_bytes()
            digest.update(f"{path.relative_to(folder)} {len(source)} ".encode() + source)
    return digest.digest()
