"""Digests of what questions, answers, laws, verdicts and grades follow from. To take them, none of that is imported."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

import autograder
import course_lib

#: what answers follow from, besides the draw
SOURCES = (
    *(Path(course_lib.__file__).parent / part for part in ("checking", "components", "corpus")),
    Path(autograder.__file__).parent / "exercises",
)
#: and what else grades follow from
GRADER = (
    *(Path(course_lib.__file__).parent / part for part in ("rebuilding", "running")),
    Path(autograder.__file__).parent / "grading",
)


@cache
def sources_digest(extension: Path | None = None) -> bytes:
    """Another one wherever questions, answers, laws or verdicts could be others; the same on every machine.

    Args:
        extension: the folder of exercises that follow from what lies in it, too. Ours do not.
    """
    return _digest(*SOURCES, *((extension / part for part in ("components", "exercises")) if extension else ()))


@cache
def grader_digest() -> bytes:
    """Another one wherever a submission could be taken apart, run or noted in another way."""
    return _digest(*GRADER)


def _digest(*folders: Path) -> bytes:
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            source = path.read_bytes()
            digest.update(f"{path.relative_to(folder)} {len(source)} ".encode() + source)
    return digest.digest()
