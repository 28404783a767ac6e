"""A digest of what questions, answers, laws and verdicts follow from. To take it, none of that is imported."""

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


@cache
def sources_digest(extension: Path | None = None) -> bytes:
    """Another one wherever questions, answers, laws or verdicts could be others; the same on every machine.

    Args:
        extension: the folder of exercises that follow from what lies in it, too. Ours do not.
    """
    digest = hashlib.sha256()
    for folder in (*SOURCES, *((extension / part for part in ("components", "exercises")) if extension else ())):
        for path in sorted(folder.rglob("*.py")):
            source = path.read_bytes()
            digest.update(f"{path.relative_to(folder)} {len(source)} ".encode() + source)
    return digest.digest()
