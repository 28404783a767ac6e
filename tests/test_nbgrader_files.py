"""`nbgrader autograde` reads plain files only, as `course grade` does: no link, pipe or device from the first look."""

from __future__ import annotations

import csv
import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
from conftest import LESSON, POINTS, copy_course, require, run_course
from test_nbgrader import run

from autograder.demo.classroom import Student, hand_in
from course_lib import diagrams
from course_lib.course import Course

pytestmark = pytest.mark.slow

SECRET = b"s3cret of the class, thirty-two b"
NOTEBOOK = f"{LESSON}.ipynb"

#: folders' names that no gradebook or no file could hold, as bytes; all are worth full points under another name
NAMES = (b"l" * 251, b"\xff\xfe", b"new\nline", b"\x1b[2Jcleared", "right\u202eto left".encode())


@dataclass(frozen=True)
class Autograded:
    """The class after nbgrader has graded it."""

    root: Path
    said: str
    scores: dict[str, float]

    def files(self, folder: str) -> list[Path]:
        return [path for path in (self.root / "class" / folder).rglob("*") if path.is_file()]


@pytest.fixture(scope="module")
def autograded(course: Course, released: object, tmp_path_factory: pytest.TempPathFactory) -> Autograded:
    require("bwrap")
    root = copy_course(course, tmp_path_factory.mktemp("links"))
    right = hand_in(Student("right"), released).encode()
    submitted = root / "class/submitted"

    def place(student: str | bytes) -> Path:
        path = submitted / os.fsdecode(student) / LESSON
        path.mkdir(parents=True)
        return path

    def write(student: str | bytes, data: bytes = right) -> Path:
        (folder := place(student)).joinpath(NOTEBOOK).write_bytes(data)
        return folder

    (root / "class/secret.key").write_bytes(SECRET)
    for student in ("a-right", "z-right", "[a]-right", *NAMES):
        write(student)
    for student, target in (
        ("solution", root / "solutions" / LESSON / NOTEBOOK),
        ("neighbour", submitted / "a-right" / LESSON / NOTEBOOK),
        ("device", Path("/dev/zero")),
        ("dangling", root / "nowhere"),
    ):
        (place(student) / NOTEBOOK).symlink_to(target)
    os.mkfifo(place("pipe") / NOTEBOOK)
    (place("folder") / NOTEBOOK).mkdir()
    place("linked_lesson").rmdir()
    (submitted / "linked_lesson" / LESSON).symlink_to(submitted / "a-right" / LESSON)
    (submitted / "linked_student").symlink_to(submitted / "a-right")
    (write("time_of_a_link") / "timestamp.txt").symlink_to(root / "class/secret.key")
    os.mkfifo(write("time_of_a_pipe") / "timestamp.txt")
    beside = write("files_beside")
    (beside / "key.txt").symlink_to(root / "class/secret.key")
    (beside / "secrets").symlink_to(root / "class")
    os.link(root / "class/secret.key", beside / "hard.txt")
    os.mkfifo(beside / "pipe")
    (beside / "zeros").symlink_to("/dev/zero")
    (beside / "large.bin").write_bytes(b"x" * 100_000)
    (beside / "page.html").write_text("<script>1</script>")
    write("in_time").joinpath("timestamp.txt").write_text("2026-01-02 03:04:05 UTC\n")
    write("huge", b" " * 100_000_001)
    place("nothing")
    made = run(root, "nbgrader", "generate_assignment", LESSON, "--force")
    assert made.returncode == 0, made.stderr
    graded = run(root, "nbgrader", "autograde", LESSON)
    for arguments in (("generate_feedback", LESSON), ("export", "--to", "scores.csv", "--CsvExport.ungraded=so-far")):
        done = run(root, "nbgrader", *arguments)
        assert done.returncode == 0, done.stderr
    assert graded.returncode == 1, "some were not graded"
    with (root / "scores.csv").open() as file:
        scores = {row["student_id"]: float(row["score"] or 0) for row in csv.DictReader(file)}
    return Autograded(root, graded.stderr, scores)


GRADED = {"a-right", "[a]-right", "z-right", "files_beside", "in_time"}


def test_those_who_hand_in_plain_files_are_graded_and_nobody_else(autograded: Autograded) -> None:
    assert {student for student, score in autograded.scores.items() if score} == GRADED
    assert {autograded.scores[student] for student in GRADED} == {POINTS}
    # nbgrader takes away what it has begun, diagrams included, and leaves the folder of the name, empty
    graded = {path.parent.name for path in (autograded.root / "class/autograded").glob("*/*")}
    assert graded == GRADED


def test_each_who_is_not_graded_is_told_with_a_reason(autograded: Autograded) -> None:
    for student in ("solution", "neighbour", "device", "dangling", "pipe", "folder", "linked_lesson", "linked_student"):
        assert f"{student} is not graded: there is no plain file" in autograded.said
    for student in ("time_of_a_link", "time_of_a_pipe"):
        assert f"{student} is not graded: timestamp.txt is not a plain file" in autograded.said
    assert autograded.said.count("the name of its folder is") == len(NAMES)
    assert "larger than 100 MB" in autograded.said
    assert "nothing has handed in no" in autograded.said
    assert "\x1b[2J" not in autograded.said


def test_no_file_beside_a_notebook_goes_further_but_the_time(autograded: Autograded) -> None:
    for folder in ("autograded", "feedback"):
        files = autograded.files(folder)
        # of a name in brackets nbgrader takes the graded notebook itself for a file beside it
        names = {path.name for path in files if "[a]-right" not in path.parts and path.parent.name != "diagrams"}
        for path in files:  # the lesson's own diagrams go along, and are the lesson's
            if path.parent.name == "diagrams":
                assert path.read_text() == diagrams.draw(path.stem).svg
        assert names == {NOTEBOOK if folder == "autograded" else f"{LESSON}.html", "timestamp.txt"}
        assert not [path for path in files if SECRET in path.read_bytes()]


def test_course_grade_fails_the_same_ones_and_grades_the_others(autograded: Autograded) -> None:
    root = autograded.root
    shutil.rmtree(root / "build", ignore_errors=True)
    arguments = ("--submissions", "class/submitted", "--class", "other", "--workers", "2")
    ran = run_course(root, "grade", "03", *arguments)
    assert ran.code == 0, ran
    assert "\x1b[2J" not in ran.out + ran.err
    records = list((root / "other/records" / LESSON).glob("*.json"))
    full = {path.stem for path in records if json.loads(path.read_text())["score"] == POINTS}
    assert full == GRADED | {"time_of_a_link", "time_of_a_pipe"}, "a time that cannot be read costs nobody a grade"
    assert len(records) == len(list((root / "class/submitted").iterdir()))
    assert run_course(root, "feedback", "03", "--class", "other").code == 0
    assert run_course(root, "report", "03", "--class", "other").code == 0
    assert len(list((root / "other/feedback").iterdir())) == len(records)
