"""The public keys of a checkout, as its policy has them; what is released carries files instead."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

import torch

from autograder.cache_folder import own_cache_folder, require_own
from autograder.exercises import DEFINITIONS
from autograder.exercises.draw import Draw
from autograder.exercises.key_cache import Extent, kept_at, kept_files, kept_key
from course_lib.checking.answer_key import AnswerKey, key_files
from course_lib.checking.exercise import Exercise
from course_lib.course import Course, CourseError, find_course
from course_lib.training.progress import ProgressBar


def public_key(exercise_id: str, course: Course | None = None, whole: bool = False) -> AnswerKey:
    """The public key of an exercise.

    Args:
        course: whose policy holds; None: that of the folder one is in, or of this checkout.
        whole: whether the answers over every earlier mistake are kept too, as in what is released; else they are worked
            out when they are asked for.
    """
    return under_policy(
        kept_key(DEFINITIONS[exercise_id], _draw(exercise_id), _folder(), _extent(whole)), course or _here()
    )


def public_key_files(exercise_id: str, course: Course, whole: bool = False) -> dict[str, bytes]:
    """The files of the public key of an exercise, by their names: as they are kept, or made where policy wants others.

    Args:
        whole: see `public_key`.
    """
    exercise = DEFINITIONS[exercise_id].exercise
    key = public_key(exercise_id, course, whole)  # kept from here on, if it can be
    if key.exercise == exercise and (files := kept_files(exercise_id, _draw(exercise_id), _folder(), _extent(whole))):
        return files
    return key_files(key if whole else replace(key, carried={}))


def under_policy(key: AnswerKey, course: Course) -> AnswerKey:
    """A key without what an instructor withholds."""
    exercise = key.exercise
    if course.finished_functions == "report":
        exercise = replace(exercise, laws=tuple(replace(law, gate=False) for law in exercise.laws))
    if course.hints != "all":
        exercise = _with_hints(exercise, 1 if course.hints == "first" else 0)
    if not course.name_misconceptions:
        return replace(key, exercise=replace(exercise, misconceptions=()), mistakes={}, carried={})
    return replace(key, exercise=exercise)


def _with_hints(exercise: Exercise, most: int) -> Exercise:
    """An exercise with the first so many hints, and empty ones in place of the others."""

    def given(hints: tuple[str, str, str]) -> tuple[str, str, str]:
        first, second, third = (hint if place < most else "" for place, hint in enumerate(hints))
        return first, second, third

    misconceptions = tuple(replace(m, hints=given(m.hints)) for m in exercise.misconceptions)
    return replace(exercise, hints=given(exercise.hints), misconceptions=misconceptions)


def missing_public_keys(exercise_ids: Iterable[str], whole: bool = False) -> list[str]:
    """Those exercises whose public keys are not kept on this machine yet."""
    return [
        exercise_id
        for exercise_id in exercise_ids
        if not kept_at(_folder(), exercise_id, _draw(exercise_id), _extent(whole)).is_dir()
    ]


def make_public_keys(exercise_ids: Iterable[str], workers: int, whole: bool = False) -> Iterator[str]:
    """Make and keep public keys, several at once; yields each exercise's id when its key is there.

    Raises:
        DefinitionError: an exercise is not defined as it can be asked.
    """
    ids = list(exercise_ids)
    if workers == 1:
        yield from (_make(exercise_id, whole) for exercise_id in ids)
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:  # a fork of torch's threads may hang
        for done in as_completed([pool.submit(_make, exercise_id, whole) for exercise_id in ids]):
            yield done.result()


def prepare(exercise_ids: Iterable[str]) -> None:
    """Make the keys that notebooks are about to ask for, and say so if that takes a while: a bar says how far it is."""
    if missing := missing_public_keys(each for each in exercise_ids if each in DEFINITIONS):  # some may be gone
        print(f"Preparing {len(missing)} checks for this computer. It takes a few minutes, once.", flush=True)
        with ProgressBar() as bar:
            for done, exercise_id in enumerate(missing):
                bar.show(done / len(missing), f"{done} of {len(missing)}: {exercise_id}")
                _make(exercise_id, whole=False)
            bar.show(1.0, f"{len(missing)} of {len(missing)}", last=True)
        print("They are ready.")


def _make(exercise_id: str, whole: bool) -> str:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        kept_key(DEFINITIONS[exercise_id], _draw(exercise_id), _folder(), _extent(whole))
    finally:
        torch.set_num_threads(threads)
    return exercise_id


def _extent(whole: bool) -> Extent:
    return "whole" if whole else "pairs"


def _draw(exercise_id: str) -> Draw:
    return Draw.public(exercise_id)


def _folder() -> Path:
    folder = own_cache_folder() / "keys"
    require_own(folder)
    return folder


def _here() -> Course:
    try:
        return find_course(Path.cwd())
    except CourseError:
        return find_course(Path(__file__).parent)
