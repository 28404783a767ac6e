"""Keep the seed of the hidden questions: a secret of the class, and how often the questions have been replaced.

A student whose code is graded could learn the hidden questions, because a process that answers them may leave traces in
resources that all processes of a machine share, and a later run may find them. So whenever somebody is graded again,
replace the questions, and record the reason.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import os
import secrets
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from autograder.class_folder.folder import require_graders_secret
from autograder.class_folder.writing import mode_in

SECRET, SAMPLERS = "secret.key", "draws.jsonl"  #: in the class's folder


def course_secret(folder: Path, graders: frozenset[int] = frozenset()) -> bytes:
    """Return the secret of a class. Create it on first use, and never make it readable by everybody.

    Args:
        graders: the users with whom the class is shared.

    Raises:
        CourseError: the secret belongs to another user, who may know it.
    """
    path = folder / SECRET
    if not path.exists():
        new = _new_secret(folder)
        with contextlib.suppress(FileExistsError):
            os.link(new, path)  # atomic, and never overwrites an existing one
        new.unlink()
    require_graders_secret(path, graders)
    if (mode := path.stat().st_mode) & 0o007:
        with contextlib.suppress(OSError):  # the file may belong to another grader
            path.chmod(mode & 0o770)
    return path.read_bytes()


def rotate_secret(folder: Path, reason: str) -> None:
    """Replace the secret, and with it the hidden questions of every lesson."""
    os.replace(_new_secret(folder), folder / SECRET)
    _record(folder, "", reason)


def question_secret(folder: Path, lesson: str, graders: frozenset[int] = frozenset()) -> bytes:
    """Return the current seed of a lesson's hidden questions. For the rest, see `course_secret`."""
    secret, times = course_secret(folder, graders), sum(sampler["lesson"] == lesson for sampler in draws(folder))
    return hmac.new(secret, f"{lesson} {times}".encode(), hashlib.sha256).digest() if times else secret


def draw_anew(folder: Path, lesson: str, reason: str) -> None:
    """Replace the hidden questions of a lesson from now on."""
    _record(folder, lesson, reason)


def draws(folder: Path) -> list[dict[str, Any]]:
    """Return every replacement of hidden questions: ``when``, ``lesson`` (empty for all lessons) and ``reason``."""
    path = folder / SAMPLERS
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.is_file() else []


def _record(folder: Path, lesson: str, reason: str) -> None:
    about = {"when": datetime.now(UTC).isoformat(timespec="seconds"), "lesson": lesson, "reason": reason}
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (folder / SAMPLERS).open("a", encoding="utf-8") as file:
        file.write(json.dumps(about) + "\n")


def _new_secret(folder: Path) -> Path:
    """Write a new secret to a temporary file, which the group of a shared class may read, but nobody else."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor, name = tempfile.mkstemp(dir=folder)  # readable by its owner only
    with os.fdopen(descriptor, "wb") as file:
        file.write(secrets.token_bytes(32))
    Path(name).chmod(mode_in(folder))
    return Path(name)
