"""A late file that earns less than the one it replaced needs a look, and the earlier one can be brought back."""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from collecting import Class, Notebooks
from conftest import LESSON, POINTS, copy_course, run_course
from gradebooks import with_points

from autograder.collecting.replaced import bring_back, keep_replaced
from autograder.gradebook.deadlines_file import read_deadlines
from autograder.gradebook.gradebook import Records
from autograder.gradebook.lateness import Lateness
from autograder.records.archive import Archive
from autograder.records.record import EARNS_LESS
from autograder.records.results import result
from autograder.records.saving import Saving
from autograder.submissions.submission_time import HandedIn
from benchmarks.large_class import _record
from course_lib.course import Course, find_course

DUE = datetime(2026, 3, 1, 12)
EARLY, LATE = DUE - timedelta(days=1), DUE + timedelta(days=7)


@pytest.fixture
def root(course: Course, tmp_path: Path) -> Path:
    root = copy_course(course, tmp_path / "course")
    (root / "course.toml").write_text('[late]\npolicy = "zero"\n')
    assert run_course(root, "deadlines", "03", f"{DUE:%Y-%m-%d %H:%M} UTC").code == 0
    return root


class Grading:
    """Saves the grades of ada's files, as grading does."""

    def __init__(self, root: Path, released: Any) -> None:
        self.root, self.archive, self.released = root, Archive(root / "class"), released

    def grade(self, share: float, time: datetime, file: str) -> list[str]:
        """Save a grade, and return the doubts about it."""
        import random

        course = find_course(self.root)
        lateness = Lateness(course.root, [], read_deadlines(course, self.archive.folder))
        with Records(self.archive.gradebook, LESSON, lateness=lateness) as records:
            records.register(self.released)
            record = {**_record("ada", {}, random.Random(1)), "file": file}
            earlier = self.archive.record(LESSON, "ada")
            saving = Saving(records, self.archive, "keep", earlier, lambda: None)
            saving.save(record, with_points(self.released, share), time)  # type: ignore[arg-type]
            return result(self.archive, records, LESSON, "ada")["doubts"]


@pytest.fixture
def grading(root: Path, released: Any) -> Grading:
    return Grading(root, released)


def test_a_late_file_that_earns_less_is_named_with_both_totals(grading: Grading) -> None:
    assert grading.grade(0.75, EARLY, "a" * 64) == []
    [doubt] = grading.grade(1, LATE, "b" * 64)
    before = f"{0.75 * POINTS:g}"
    assert doubt.startswith(EARNS_LESS) and f"0 of {POINTS:g} points" in doubt and f"had {before}" in doubt
    [again] = grading.grade(1, LATE, "b" * 64)
    assert again == doubt, "grading the same file again"
    [third] = grading.grade(1, LATE, "c" * 64)
    assert third == doubt, "a third file is compared with the best one"
    for command in (("decide",), ("grades", "03", "--to", "g.csv"), ("report", "03")):
        ran = run_course(grading.root, *command)
        assert "ada" in ran.out and ("handed in late" in ran.out or "--earlier" in ran.out), ran
    assert run_course(grading.root, "decide", "ada", "03", "--accept").code == 0
    assert "needs one" not in run_course(grading.root, "decide").out
    [fourth] = grading.grade(1, LATE, "d" * 64)
    assert fourth == doubt, "only the file that was accepted"


@pytest.mark.parametrize("time", [LATE, EARLY + timedelta(hours=1)], ids=["late", "punctual"])
def test_a_file_that_earns_as_much_needs_no_look(grading: Grading, time: datetime) -> None:
    grading.grade(0.0 if time is LATE else 0.75, EARLY, "a" * 64)
    assert grading.grade(0.5, time, "b" * 64) == []


def test_an_extension_ends_the_doubt(grading: Grading) -> None:
    grading.grade(0.75, EARLY, "a" * 64)
    assert grading.grade(1, LATE, "b" * 64)
    run_course(grading.root, "deadlines", "03", "--student", "ada", "--extra-days", "8")
    run_course(grading.root, "report", "03")  # updates the penalty
    assert "No submission needs a decision." in run_course(grading.root, "decide").out


def test_the_replaced_file_comes_back_and_collecting_leaves_it_there(tmp_path: Path, course: Course) -> None:
    notebooks = Notebooks(course)
    first, second = notebooks.worked("softmax"), notebooks.worked()
    class_ = Class(tmp_path, notebooks)

    def collect(content: bytes, time: datetime) -> str:
        name = f"ada_{time:%d}/03.ipynb"
        found = class_.collect({f"ada/{name}": content}, times={"ada": HandedIn(time)})
        return " ".join(f"{one.in_words} {one.note}" for one in found.values())

    collect(first, EARLY)
    digest = hashlib.sha256(class_.file("ada").read_bytes()).hexdigest()
    assert "in place of an earlier file" in collect(second, LATE)
    kept = tmp_path / "replaced/ada" / LESSON / digest
    assert (kept / "timestamp.txt").read_text().startswith(f"{EARLY:%Y-%m-%d %H:%M}")

    bring_back(class_.file("ada"), digest)
    assert hashlib.sha256(class_.file("ada").read_bytes()).hexdigest() == digest
    assert class_.file("ada", "timestamp.txt").read_text().startswith(f"{EARLY:%Y-%m-%d}")
    assert "you chose the earlier file" in collect(second, LATE)
    assert hashlib.sha256(class_.file("ada").read_bytes()).hexdigest() == digest

    late = next(path.name for path in kept.parent.iterdir() if path.name != digest)
    bring_back(class_.file("ada"), late)
    assert class_.file("ada", "timestamp.txt").read_text().startswith(f"{LATE:%Y-%m-%d}"), "undone"
    assert "in place" not in collect(second, LATE)


def test_the_command_brings_the_file_back(grading: Grading) -> None:
    path = grading.archive.submitted / "ada" / LESSON / f"{LESSON}.ipynb"
    path.parent.mkdir(parents=True)
    files = {time: f"{time}".encode() for time in (EARLY, LATE)}
    for time, content in files.items():
        keep_replaced(path)
        path.write_bytes(content)
        grading.grade(0.75, time, hashlib.sha256(content).hexdigest())
    ran = run_course(grading.root, "decide", "ada", "03", "--earlier")
    assert ran.code == 0 and f"which had {0.75 * POINTS:g} points, is back" in " ".join(ran.out.split()), ran
    assert path.read_bytes() == files[EARLY]
    assert grading.grade(0.75, EARLY, hashlib.sha256(files[EARLY]).hexdigest()) == []
    assert run_course(grading.root, "decide", "ada", "03", "--earlier").code == 0
    assert path.read_bytes() == files[LATE], "undone"


def test_without_an_earlier_file_there_is_nothing_to_bring_back(grading: Grading) -> None:
    grading.grade(0.75, EARLY, "a" * 64)
    ran = run_course(grading.root, "decide", "ada", "03", "--earlier")
    assert ran.code == 1 and "No earlier file of ada" in ran.err
    grading.grade(0.75, LATE, "b" * 64)
    ran = run_course(grading.root, "decide", "ada", "03", "--earlier")
    assert ran.code == 1 and "is not there" in " ".join(ran.err.split())
