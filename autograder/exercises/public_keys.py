"""Provide the public keys of a checkout under its policy. A release contains files instead."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

import torch

from autograder.cache_folder import own_cache_folder, require_own
from autograder.exercises import DEFINITIONS
from autograder.exercises.key_cache import Extent, kept_at, kept_files, kept_key
from autograder.exercises.sampler import Sampler
from course_lib.checking.answer_key import AnswerKey, key_files
from course_lib.checking.exercise import Exercise
from course_lib.course import Course, CourseError, find_course


def public_key(exercise_id: str, course: Course | None = None, whole: bool = False) -> AnswerKey:
    """Return the public key of an exercise.

    Args:
        course: the course whose policy applies, by default that of the current folder or of this checkout.
        whole: whether to keep the answers over every earlier mistake, too, as a release does. Otherwise they are
            computed when they are needed.
    """
    return under_policy(kept_key(exercise_id, _draw(exercise_id), _folder(), _extent(whole)), course or _here())


def public_key_files(exercise_id: str, course: Course, whole: bool = False) -> dict[str, bytes]:
    """Return the files of an exercise's public key, by their names. Make new ones if the policy changes them.

    Args:
        whole: see `public_key`.
    """
    exercise = DEFINITIONS[exercise_id].exercise
    key = public_key(exercise_id, course, whole)  # keeps the key from now on, if possible
    if key.exercise == exercise and (files := kept_files(exercise_id, _draw(exercise_id), _folder(), _extent(whole))):
        return files
    return key_files(key if whole else replace(key, carried={}))


def under_policy(key: AnswerKey, course: Course) -> AnswerKey:
    """Return a key without the parts that an instructor withholds."""
    exercise = key.exercise
    if course.finished_functions == "report":
        exercise = replace(exercise, checks=tuple(replace(check, gate=False) for check in exercise.checks))
    if course.hints != "all":
        exercise = _with_hints(exercise, 1 if course.hints == "first" else 0)
    if not course.name_misconceptions:
        return replace(key, exercise=replace(exercise, misconceptions=()), mistakes={}, carried={})
    return replace(key, exercise=exercise)


def _with_hints(exercise: Exercise, most: int) -> Exercise:
    """Return an exercise with only the first ``most`` hints. The others are empty."""

    def given(hints: tuple[str, str, str]) -> tuple[str, str, str]:
        first, second, third = (hint if place < most else "" for place, hint in enumerate(hints))
        return first, second, third

    misconceptions = tuple(replace(m, hints=given(m.hints)) for m in exercise.misconceptions)
    return replace(exercise, hints=given(exercise.hints), misconceptions=misconceptions)


def missing_public_keys(exercise_ids: Iterable[str], whole: bool = False) -> list[str]:
    """Return the exercises whose public keys are not kept on this machine yet."""
    return [
        exercise_id
        for exercise_id in exercise_ids
        if not kept_at(_folder(), exercise_id, _draw(exercise_id), _extent(whole)).is_dir()
    ]


def make_public_keys(exercise_ids: Iterable[str], workers: int, whole: bool = False) -> Iterator[str]:
    """Make and keep public keys, several at once. Yield each exercise's id when its key is ready.

    Raises:
        DefinitionError: an exercise's definition is invalid.
    """
    ids = list(exercise_ids)
    if workers == 1:
        yield from (_make(exercise_id, whole) for exercise_id in ids)
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:  # torch's threads may hang a fork
        for done in as_completed([pool.submit(_make, exercise_id, whole) for exercise_id in ids]):
            yield done.result()


def prepare(exercise_ids: Iterable[str], in_background: bool = False) -> None:
    """Make the keys that notebooks need and that are not kept yet. If there are any, show a progress bar.

    Args:
        in_background: return at once and make them in a process of low priority, without a word. It ends with this one.
    """
    missing = missing_public_keys(each for each in exercise_ids if each in DEFINITIONS)  # some may be gone
    if missing and in_background:
        get_context("spawn").Process(target=_make_in_background, args=(missing,), daemon=True).start()
    elif missing:
        from course_lib.processors import usable_processors
        from course_lib.training.progress import ProgressBar

        print(f"Preparing {len(missing)} checks for this computer. It takes a moment, once.", flush=True)
        with ProgressBar() as bar:
            bar.show(0.0, f"0 of {len(missing)}")
            made = make_public_keys(missing, usable_processors())
            for done, exercise_id in enumerate(made, start=1):
                bar.show(done / len(missing), f"{done} of {len(missing)}: {exercise_id}", last=done == len(missing))
        print("They are ready.")


def _make_in_background(exercise_ids: list[str]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is meant for the parent, which then ends this process
    if hasattr(os, "nice"):
        os.nice(10)
    for exercise_id in exercise_ids:
        if missing_public_keys([exercise_id]):  # a notebook may have made it since
            _make(exercise_id, False)


def _make(exercise_id: str, whole: bool) -> str:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        kept_key(exercise_id, _draw(exercise_id), _folder(), _extent(whole))
    finally:
        torch.set_num_threads(threads)
    return exercise_id


def _extent(whole: bool) -> Extent:
    return "whole" if whole else "pairs"


def _draw(exercise_id: str) -> Sampler:
    return Sampler.public(exercise_id)


def _folder() -> Path:
    folder = own_cache_folder() / "keys"
    require_own(folder)
    return folder


def _here() -> Course:
    try:
        return find_course(Path.cwd())
    except CourseError:
        return find_course(Path(__file__).parent)
