"""Record what the course says and builds, so that a change of its structure can show that it changed nothing else.

    python -m benchmarks.golden before      # at the old commit
    python -m benchmarks.golden after       # at the new one
    git diff --no-index before after

The folder contains text files, with one line for each thing that can change by itself:

- ``judged/SAMPLE/EXERCISE.txt``: score, names and sentence of every registered implementation, second version and
  program of the bank, on the public questions and on one sample of hidden ones;
- ``notebooks.txt`` and ``release.txt``: a digest of every student notebook, and of every file of a release;
- ``class.json``: the records of the demo class, graded with a fixed secret;
- ``history.txt``: for each student, how many records the class's history holds after grading twice.

It takes about 20 minutes on two cores. Give ``--exercise`` for one exercise, which takes seconds.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import nbformat

from autograder.building.package import package_files
from autograder.demo.classroom import LESSON, make_class
from autograder.exercises import DEFINITIONS
from autograder.exercises.answer_keys import fair_sampler, key_of_answers
from autograder.exercises.sampler import Sampler
from autograder.grading.secret import SECRET
from autograder.terminal_progress import progress_bar
from benchmarks.wild import answers_of, imported
from course_lib.checking.answer_key import AnswerKey
from course_lib.checking.answers import Answers
from course_lib.checking.ask import ask
from course_lib.checking.explain.diagnosis import diagnose
from course_lib.checking.judge import judge
from course_lib.course import Course, find_course
from course_lib.processors import usable_processors

ROOT = Path(__file__).resolve().parent.parent
SEED = b"the secret of the golden class. "
#: by name, how the questions are sampled
SAMPLES = {"public": Sampler.public, "hidden": partial(Sampler.hidden, SEED, "release")}
#: of the class's records, what differs from run to run
_VARIES = ("digest", "file")


def judged(exercise_id: str, sample: str) -> str:
    """Return one line for each implementation of an exercise: what it is, its score, its names and its sentence."""
    definition = DEFINITIONS[exercise_id]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # wrong code overflows
        answered = fair_sampler(definition, SAMPLES[sample](exercise_id))[1]
        key = key_of_answers(answered)
        lines = [
            _line(f"{each.role} {each.name}", key, answered.all_answers[each.name])
            for each in definition.implementations
        ]
        for name, variant in definition.wrong_variants():
            lines.append(_line(f"variant {variant.name} of {name}", key, ask(key.questions, definition.load(variant))))
        load = partial(definition.load, earlier=imported(definition.exercise.lesson))
        for unseen in definition.unseen:
            program = definition.implementation_of(unseen)
            lines.append(_line(f"unseen {unseen.batch} {unseen.number}", key, answers_of(key, load, program)))
    return "".join(lines)


def _line(what: str, key: AnswerKey, answers: Answers) -> str:
    verdict = judge(key, answers)
    says = diagnose(verdict, key, answers).text
    broken = ",".join(verdict.broken_checks)
    return " | ".join([what, f"{verdict.score:g}", verdict.misconception or "", broken, json.dumps(says)]) + "\n"


def write_judged(folder: Path, exercise_ids: Iterable[str]) -> None:
    """Judge every implementation of these exercises, on every sample."""
    pairs = [(exercise_id, sample) for exercise_id in exercise_ids for sample in SAMPLES]
    with (
        ProcessPoolExecutor(usable_processors(), mp_context=get_context("spawn"), initializer=_one_thread) as pool,
        progress_bar() as progress,
    ):
        texts = pool.map(judged, *zip(*pairs, strict=True))
        for (exercise_id, sample), text in zip(
            pairs, progress.track(texts, total=len(pairs), description="Judging"), strict=True
        ):
            _write(folder / "judged" / sample / f"{exercise_id}.txt", text)


def _one_thread() -> None:
    import torch

    torch.set_num_threads(1)


def digests(files: Mapping[str, bytes]) -> str:
    """Return one line for each file: its path, and a digest of its content."""
    return "".join(f"{name} {hashlib.sha256(files[name]).hexdigest()}\n" for name in sorted(files))


def student_notebooks(course: Course) -> dict[str, bytes]:
    """Return the student notebooks by their paths."""
    folder = course.root / "notebooks"
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*.ipynb")}


def write_class(folder: Path, course: Course) -> None:
    """Grade the demo class twice with a fixed secret, and keep its records and how long its history is."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        released = nbformat.read(course.student_notebook(LESSON), as_version=nbformat.NO_CONVERT)
        list(make_class(released, LESSON, place / "submitted"))
        (place / "class").mkdir(mode=0o700)
        (place / "class" / SECRET).write_bytes(SEED)
        for force in ((), ("--force",)):
            _grade(place, *force)
        records = json.loads((place / "records.json").read_text(encoding="utf-8"))
        _write(folder / "class.json", json.dumps([*map(_steady, records)], indent=1, ensure_ascii=False) + "\n")
        _write(folder / "history.txt", "".join(_history(place / "class" / "history" / LESSON)))


def _grade(place: Path, *options: str) -> None:
    command = [sys.executable, "-m", "course_lib.app", "grade", LESSON, "--submissions", str(place / "submitted")]
    command += ["--class", str(place / "class"), "--json", str(place / "records.json"), *options]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    subprocess.run(command, cwd=ROOT, env={**os.environ, "PATH": path}, stdout=subprocess.DEVNULL, check=True)


def _steady(record: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name not in _VARIES}


def _history(folder: Path) -> Iterator[str]:
    for path in sorted(folder.glob("*.jsonl")):
        yield f"{path.stem} {len(path.read_text(encoding='utf-8').splitlines())}\n"


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def main() -> None:
    """Record everything, or one exercise."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the folder to write, which must not exist")
    parser.add_argument("--exercise", choices=DEFINITIONS, metavar="ID", help="only judge this exercise")
    chosen = parser.parse_args()
    if chosen.folder.exists():
        parser.error(f"{chosen.folder} exists. Name a new folder.")
    write_judged(chosen.folder, [chosen.exercise] if chosen.exercise else DEFINITIONS)
    if not chosen.exercise:
        course = find_course()
        _write(chosen.folder / "notebooks.txt", digests(student_notebooks(course)))
        _write(chosen.folder / "release.txt", digests(package_files(course, LESSON)))
        write_class(chosen.folder, course)


if __name__ == "__main__":
    main()
