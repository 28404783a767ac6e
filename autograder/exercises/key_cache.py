"""Cache answer keys on the machine that uses them, under a digest of what determines them."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
import torch
from safetensors import SafetensorError

from autograder.cache_folder import own_cache_folder, require_own
from autograder.exercises import DEFINITIONS
from autograder.exercises.later import Later, Mistakes
from autograder.exercises.points import course_points
from autograder.exercises.sampler import Sampler
from autograder.sources_digest import exercise_digest
from course_lib.checking.answer_key import AnswerKey, Excused, load_key, save_key
from course_lib.checking.answers import Answers
from course_lib.checking.exercise import TOGETHER
from course_lib.owners import other_owner

if TYPE_CHECKING:
    from autograder.exercises.definition import Definition

#: seconds after which an unused key is removed, because its sources are probably gone
KEPT_SECONDS = 30 * 24 * 3600.0
#: The part of a key that is kept. The rest is computed when it is needed. ``"alone"``: the answers of each single
#: mistake; ``"pairs"``: also those of two at once; ``"whole"``: also those over every earlier mistake, as released;
#: ``"scores"``: no answers, only each implementation's score.
Extent = Literal["alone", "pairs", "whole", "scores"]


def kept_key(
    exercise_id: str, sampler: Sampler, folder: Path, extent: Extent = "pairs", graders: frozenset[int] = frozenset()
) -> AnswerKey:
    """Return an answer key. Load it from ``folder``, or make it and keep it there if the folder is writable.

    A key that is kept is loaded without reading the exercise's definition.

    Args:
        graders: the users with whom the class is shared. A key that was written by anybody else is made again.
    """
    if extent == "alone" and kept_at(folder, exercise_id, sampler, "pairs").is_dir():
        extent = "pairs"
    kept = kept_at(folder, exercise_id, sampler, extent)
    if kept not in _IN_MEMORY:
        key = _read(kept, exercise_id, graders)
        if key is None:
            if extent == "whole":
                made = kept_key(exercise_id, sampler, folder, graders=graders)
            else:
                made = replace(_make(exercise_id, sampler), carried={})
                made = made if extent != "alone" else replace(made, mistakes=_alone(made))
            _keep(kept, lambda: _read(kept, exercise_id, graders) is not None, lambda place: save_key(made, place))
            key = _read(kept, exercise_id, graders) or made
        if extent != "whole" and key.exercise.builds_on:
            key = replace(key, carried=_carried(key))
        if extent == "alone":  # pairs are kept once they have been needed

            def pairs() -> dict[str, Answers]:
                return _pairs(kept_key(exercise_id, sampler, folder, graders=graders))

            key = replace(key, mistakes=Mistakes(key.mistakes, pairs))
        _IN_MEMORY[kept] = key
    return _IN_MEMORY[kept]


def _make(exercise_id: str, sampler: Sampler) -> AnswerKey:
    from autograder.exercises import answer_keys  # imported here, because most keys are only loaded

    definition = DEFINITIONS[exercise_id]
    return answer_keys.make_key(definition, sampler, lambda: kept_public_scores(definition))


def _carried(key: AnswerKey) -> Mapping[tuple[str, str], tuple[Excused, ...]]:
    """Return the answers that are excused over earlier mistakes. Import what computes them when they are used."""

    def carried() -> Mapping[tuple[str, str], tuple[Excused, ...]]:
        from autograder.exercises.answer_keys import Carried

        known = {"reference": key.reference, **_alone(key)}
        return Carried(DEFINITIONS[key.exercise.id], key.questions, known)

    return Later(carried)


def kept_public_scores(definition: Definition) -> dict[str, float]:
    """Return what every registered implementation earns for the public questions, from the cache if they are there.

    Every class compares its own questions with them. Asking the implementations both sets would take twice as long.
    """
    folder = own_cache_folder() / "scores"
    require_own(folder)
    kept = kept_at(folder, definition.id, Sampler.public(definition.id), "scores")
    known = _read_scores(kept)
    if known is None:
        from autograder.exercises import answer_keys

        known = answer_keys.public_scores(definition)
        text = json.dumps(known)
        _keep(kept, lambda: _read_scores(kept) is not None, lambda place: _write_scores(place, text))
    return known


def _read_scores(kept: Path) -> dict[str, float] | None:
    if not _is_graders(kept):
        return None
    try:
        found = json.loads((kept / "scores.json").read_text(encoding="utf-8"))
        scores = {str(name): float(score) for name, score in found.items()}
    except (OSError, ValueError, AttributeError, TypeError):
        return None
    with contextlib.suppress(OSError):  # a key that is used is kept longer
        os.utime(kept)
    return scores


def _write_scores(place: Path, text: str) -> None:
    place.mkdir()
    (place / "scores.json").write_text(text, encoding="utf-8")


def _pairs(key: AnswerKey) -> dict[str, Answers]:
    return {name: answers for name, answers in key.mistakes.items() if TOGETHER in name}


def _alone(key: AnswerKey) -> dict[str, Answers]:
    """Return the answers of each single mistake, without computing pairs."""
    return {m.name: key.mistakes[m.name] for m in key.exercise.misconceptions if not m.matcher}


def kept_files(exercise_id: str, sampler: Sampler, folder: Path, extent: Extent = "pairs") -> dict[str, bytes]:
    """Return the content of a kept key's files, by their names. Empty if none is kept that can be trusted."""
    kept = kept_at(folder, exercise_id, sampler, extent)
    try:
        return {path.name: path.read_bytes() for path in kept.iterdir()} if _is_graders(kept) else {}
    except OSError:
        return {}


#: keys that this process has read, with everything computed since
_IN_MEMORY: dict[Path, AnswerKey] = {}


def kept_at(folder: Path, exercise_id: str, sampler: Sampler, extent: Extent = "pairs") -> Path:
    """Return the folder in which the key of a draw is kept, if it is."""
    made_by = repr(
        (extent, sys.version_info[:2], torch.__version__, np.__version__, *_own_points(exercise_id))
    ).encode()
    sources = exercise_digest(DEFINITIONS.folders_behind(exercise_id), DEFINITIONS.extension(exercise_id))
    return folder / f"{exercise_id}-{hashlib.sha256(sources + sampler.seed + made_by).hexdigest()[:16]}"


def _own_points(exercise_id: str) -> list[tuple[str, float]]:
    """Return the course's own points for an exercise and those that it builds on. Empty if it uses our points."""
    own = course_points()
    if not own or exercise_id not in DEFINITIONS:
        return []
    behind = (exercise_id, *DEFINITIONS[exercise_id].exercise.builds_on)
    return [(name, own[name]) for name in behind if name in own]


def _is_graders(kept: Path, graders: frozenset[int] = frozenset()) -> bool:
    """Return whether a kept folder and its files belong to this user, to root, or to another grader of the class."""
    with contextlib.suppress(OSError):
        return not any(other_owner(path, graders) for path in (kept, *kept.iterdir()))
    return False


def _read(kept: Path, exercise_id: str, graders: frozenset[int] = frozenset()) -> AnswerKey | None:
    """Return the key in a folder, or None if it is missing, damaged, or written by another user."""
    if not _is_graders(kept, graders):
        return None
    try:
        key = load_key(kept / f"{exercise_id}.json")
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, SafetensorError):
        return None
    with contextlib.suppress(OSError):  # a key that is used is kept longer. Another user's folder is up to that user
        os.utime(kept)
    lesson, place = DEFINITIONS.position(exercise_id)  # the texts of lessons, which may have changed, decide these
    return replace(key, exercise=replace(key.exercise, lesson=lesson, place=place))


def _keep(kept: Path, readable: Callable[[], bool], write: Callable[[Path], None]) -> None:
    """Write a folder all at once, because other processes may write the same one. Without room for it, write nothing.

    Leave an existing folder alone, because others may be reading it, unless it is damaged.

    Args:
        readable: returns whether the existing folder can be read.
        write: writes the folder's content to a path that doesn't exist yet.
    """
    with contextlib.suppress(OSError):
        kept.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryDirectory(dir=kept.parent, prefix=".") as folder:  # readable by its owner only
            place = Path(folder) / "key"
            write(place)
            if kept.is_dir() and not readable():
                shutil.rmtree(kept, ignore_errors=True)
            place.rename(kept)  # not onto a folder with files in it
        exercise_id = kept.name.rpartition("-")[0]
        for other in kept.parent.glob(f"{exercise_id}-*"):
            if other.stat().st_mtime < time.time() - KEPT_SECONDS:
                shutil.rmtree(other, ignore_errors=True)
