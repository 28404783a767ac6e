"""Whether `nbgrader autograde` with the shipped configuration comes to the scores of `course grade`.

The class is the demo's and the whole bank of hostile submissions. What is compared are the submissions that nbgrader
collects and that can be read; printed is every student whose scores differ.

    python -m benchmarks.agreement
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat

from autograder.demo.classroom import LESSON, hand_in, students
from benchmarks.grading import scores
from benchmarks.resilience import LIMITS, hostile_submissions
from course_lib.course import Course, find_course


def prepare(course: Course, root: Path) -> int:
    """Write a course and what its class hands in; how many do."""
    for name in ("lessons", "solutions", "notebooks"):
        shutil.copytree(course.root / name, root / name)
    shutil.copy(course.root / "nbgrader_config.py", root)
    (root / "course.toml").write_text(LIMITS)
    released = nbformat.read(course.student_notebook(LESSON), as_version=nbformat.NO_CONVERT)
    handed_in = {student.name: hand_in(student, released).encode() for student in students()}
    handed_in |= dict(hostile_submissions(released))
    for student, data in handed_in.items():
        path = root / "class/submitted" / student / LESSON / f"{LESSON}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_bytes(data)
    for folder in ("class", "ours"):  # the same hidden questions
        (root / folder).mkdir(exist_ok=True)
        (root / folder / "secret.key").write_bytes(b"one secret for both")
    return len(handed_in)


def run(root: Path, *module: str) -> int:
    """Run a program of this environment quietly; its exit status."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    command = [sys.executable, "-m", *module]
    environment = {**os.environ, "PATH": path}
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, check=False).returncode


def main() -> None:
    """Grade the class both ways, and print where they differ."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        count = prepare(find_course(), root)
        options = ("--submissions", "class/submitted", "--class", "ours", "--json", "ours.json")
        print(f"course grade: exit {run(root, 'course_lib.app', 'grade', LESSON, *options)}")
        run(root, "nbgrader", "generate_assignment", LESSON, "--force")
        print(f"nbgrader autograde: exit {run(root, 'nbgrader', 'autograde', LESSON, '--create')}")
        ours = {record["student"]: record for record in json.loads((root / "ours.json").read_text())}
        theirs = scores(root / "class" / "gradebook.db")
        readable = {student for student, record in ours.items() if record["status"] != "failed"}
        differ = [s for s in sorted(readable) if s not in theirs or abs(theirs[s] - ours[s]["score"]) > 1e-6]
        for student in differ:
            print(f"{student}: nbgrader has {theirs.get(student)}, the course {ours[student]['score']}")
        unreadable = {theirs.get(student, 0.0) for student in ours.keys() - readable}
        print(f"{count} submissions, {len(readable)} readable; scores differ for {len(differ)}")
        print(f"of those that are not, nbgrader's scores: {sorted(unreadable)}")
        sys.exit(1 if differ else 0)


if __name__ == "__main__":
    main()
