"""A large class, one in twenty of it hostile, whose grader is killed at random moments and started again.

The class is graded twice: once undisturbed, once with `kill -9`. Printed is whether all have a grade or a reason,
whether anyone was graded twice, whether both gradebooks hold the same, and how the grader's memory grew.

    python -m benchmarks.resilience --submissions 1000 --kills 2
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from nbgrader.api import Gradebook
from rich.console import Console
from rich.progress import Progress, track

from autograder.demo.classroom import LESSON, Student, hand_in, students
from course_lib.course import Course, find_course

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))  # where the bank of hostile submissions lies
from hostile_bank import submissions as hostile_submissions

out = Console(stderr=True, highlight=False)
#: who runs to the end quickly: limits are tried in the tests
ORDINARY = [s for s in students() if not s.before and not s.after and not s.cut]
LIMITS = "[limits]\ncell_seconds = 3\ntotal_seconds = 12\nanswer_seconds = 3\nmemory_mb = 1024\n"


def class_of(course: Course, root: Path, count: int, hostile: float, chance: random.Random) -> None:
    """Write a course, and what its class hands in."""
    for name in ("lessons", "solutions", "notebooks"):
        shutil.copytree(course.root / name, root / name)
    (root / "course.toml").write_text(LIMITS)
    (root / "class").mkdir()
    (root / "class/secret.key").write_bytes(b"one secret for both")
    released = nbformat.read(course.student_notebook(LESSON), as_version=nbformat.NO_CONVERT)
    bank = list(hostile_submissions(released))
    honest: dict[str, bytes] = {}
    evil = set(chance.sample(range(count), round(hostile * count)))
    for number in track(range(count), "Submissions", console=out):
        if number in evil:
            name, data = chance.choice(bank)
        else:
            student: Student = chance.choice(ORDINARY)
            name = student.name
            data = honest.setdefault(name, hand_in(student, released).encode())
        path = root / "submitted" / f"{number:05}-{name}" / LESSON / f"{LESSON}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_bytes(data)


def grader(root: Path, folder: str) -> subprocess.Popen[bytes]:
    """A grader of the class, its results in ``folder``."""
    command = [sys.executable, "-m", "course_lib.app", "grade", "03", "--submissions", "submitted"]
    command += ["--class", folder, "--json", f"{folder}.json", "--workers", "2"]
    return subprocess.Popen(command, cwd=root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def written(root: Path, folder: str) -> dict[str, int]:
    """When each record was written, by student."""
    return {path.stem: path.stat().st_mtime_ns for path in (root / folder / "records" / LESSON).glob("*.json")}


def memory(pid: int) -> float:
    """Resident megabytes of a process, without its children."""
    try:
        found = re.search(r"VmRSS:\s*(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    except OSError:
        return 0.0
    return int(found[1]) / 1024 if found else 0.0


def gradebook(root: Path, folder: str) -> list[tuple[Any, ...]]:
    """Every grade of the gradebook, without its time and its number."""
    with Gradebook(f"sqlite:///{root / folder / 'gradebook.db'}") as book:
        return sorted(
            (submission.student.id, grade.cell.name, grade.auto_score, grade.manual_score, grade.needs_manual_grade)
            for submission in book.assignment_submissions(LESSON)
            for notebook in submission.notebooks
            for grade in notebook.grades
        )


def watched(process: subprocess.Popen[bytes], root: Path, folder: str, count: int) -> Iterator[tuple[int, float]]:
    """How many are graded, and the grader's memory, about every second until it ends."""
    with Progress(console=out) as progress:
        bar = progress.add_task(folder, total=count)
        while process.poll() is None:
            done = len(written(root, folder))
            progress.update(bar, completed=done)
            yield done, memory(process.pid)
            try:
                process.wait(1.0)
            except subprocess.TimeoutExpired:
                continue


def main() -> None:
    """Grade the class both ways, and print what came out."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--submissions", type=int, default=1000, help="how many (default: %(default)s)")
    parser.add_argument("--hostile", type=float, default=0.05, help="the share that is hostile (default: %(default)s)")
    parser.add_argument("--kills", type=int, default=2, help="how often the grader is killed (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the class and of the moments (default: %(default)s)")
    arguments = parser.parse_args()
    chance, count = random.Random(arguments.seed), arguments.submissions
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        class_of(find_course(), root, count, arguments.hostile, chance)
        (root / "killed").mkdir()
        shutil.copy(root / "class/secret.key", root / "killed")

        start, process, seen = time.perf_counter(), grader(root, "class"), []
        seen = list(watched(process, root, "class", count))
        print(f"undisturbed: exit {process.returncode}, {time.perf_counter() - start:.0f} s for {count}")
        for share in (0.1, 0.25, 0.5, 0.75, 1.0):
            near = [used for done, used in seen if 0 < done <= share * count]
            print(f"  grader's memory, the most until {share:4.0%} are graded: {max(near, default=0):5.0f} MB")

        twice: set[str] = set()
        for moment in sorted(chance.randrange(count // 20, count * 19 // 20) for _ in range(arguments.kills)):
            before, process = written(root, "killed"), grader(root, "killed")
            for done, _ in watched(process, root, "killed", count):
                if done >= moment:
                    os.kill(process.pid, signal.SIGKILL)
            process.wait()
            after = written(root, "killed")
            twice |= {student for student, when in before.items() if after[student] != when}
            print(f"killed with {len(after)} of {count} graded: exit {process.returncode}")
        before, process = written(root, "killed"), grader(root, "killed")
        for _ in watched(process, root, "killed", count):
            pass
        after = written(root, "killed")
        twice |= {student for student, when in before.items() if after[student] != when}

        one, other = (json.loads((root / f"{folder}.json").read_text()) for folder in ("class", "killed"))
        readable = {r["student"] for r in one if r["status"] != "failed"}
        missing = [r["student"] for r in other if r["status"] != "graded" and not r["reason"]]
        differ = [a["student"] for a, b in zip(one, other, strict=True) if {**a, "reason": ""} != {**b, "reason": ""}]
        books = gradebook(root, "class") == gradebook(root, "killed")
        print(f"at the end: exit {process.returncode}, {len(other)} records, {len(missing)} without grade or reason")
        print(f"graded twice: {len(twice & readable)}; not readable, and looked at again: {len(twice - readable)}")
        print(f"records that differ from the undisturbed run's: {len(differ)} {differ[:5]}")
        print(f"gradebooks the same: {books}")
        sys.exit(0 if books and not differ and not missing and not twice & readable and len(other) == count else 1)


if __name__ == "__main__":
    main()
