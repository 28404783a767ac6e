"""How much faster and cheaper `course grade` is than plain `nbgrader autograde`, on the same notebooks.

Both grade the same honest full-mark submissions of lesson 03, in turn, within one run: first one,
then the other, and again. Feedback pages are written by neither. What counts is the ratio; the
seconds depend on the machine. Both must come to the same scores. The last line is the ratio of throughputs.

    python -m benchmarks.grading --submissions 40
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbgrader.api import Gradebook
from rich.console import Console
from rich.progress import track

from autograder.demo.classroom import LESSON, hand_in, students
from course_lib.app.kernel import install_kernel
from course_lib.course import Course, find_course

out = Console(stderr=True, highlight=False)


@dataclass(frozen=True)
class Cost:
    """Wall and processor seconds of one grading of the class, its children included."""

    wall: float
    cpu: float


def measured(command: Sequence[str], folder: Path) -> Cost:
    """Run a command to its end.

    Raises:
        SystemExit: it failed.
    """
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
    )
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return Cost(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def prepare(course: Course, folder: Path, count: int) -> tuple[Path, Path]:
    """Two courses with the same submissions: one for plain nbgrader, one with ours."""
    released = nbformat.read(course.student_notebook(LESSON), as_version=nbformat.NO_CONVERT)
    right = [student for student in students() if student.name.startswith("right")]
    plain, ours = folder / "plain", folder / "ours"
    for number in range(count):
        text = hand_in(right[number % len(right)], released)
        for place in (plain / "submitted", ours / "submitted"):
            path = place / f"student_{number:03}" / LESSON / f"{LESSON}.ipynb"
            path.parent.mkdir(parents=True)
            path.write_text(text, encoding="utf-8")
    (plain / "source" / LESSON).mkdir(parents=True)
    shutil.copy(course.solution_notebook(LESSON), plain / "source" / LESSON)
    measured([sys.executable, "-m", "nbgrader", "generate_assignment", LESSON], plain)
    for name in ("lessons", "solutions", "notebooks"):
        shutil.copytree(course.root / name, ours / name)
    shutil.copy(course.root / "course.toml", ours)
    return plain, ours


def scores(gradebook: Path) -> dict[str, float]:
    """What every student has, by a gradebook."""
    with Gradebook(f"sqlite:///{gradebook}") as book:
        return {one.student.id: one.score for one in book.assignment_submissions(LESSON)}


def main() -> None:
    """Measure, and print the table and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--submissions", type=int, default=12, help="how many notebooks (default: 12)")
    parser.add_argument("--rounds", type=int, default=2, help="how often each grades them, in turn (default: 2)")
    arguments = parser.parse_args()
    install_kernel()
    course = find_course()
    costs: dict[str, list[Cost]] = {"nbgrader autograde": [], "course grade": []}
    with tempfile.TemporaryDirectory() as name:
        plain, ours = prepare(course, Path(name), arguments.submissions)
        for _ in track(range(arguments.rounds), "Rounds", console=out):
            shutil.rmtree(plain / "autograded", ignore_errors=True)
            shutil.rmtree(ours / "class", ignore_errors=True)
            command = [sys.executable, "-m", "nbgrader", "autograde", LESSON, "--create"]
            costs["nbgrader autograde"].append(measured(command, plain))
            command = [sys.executable, "-m", "course_lib.app", "grade", LESSON, "--submissions", "submitted"]
            costs["course grade"].append(measured(command, ours))
            theirs, mine = scores(plain / "gradebook.db"), scores(ours / "class" / "gradebook.db")
            if theirs != mine or len(mine) != arguments.submissions:
                sys.exit(f"The scores differ: nbgrader has {theirs}, the course {mine}.")
    for what, rounds in costs.items():
        wall, cpu = (statistics.median(getattr(cost, kind) for cost in rounds) for kind in ("wall", "cpu"))
        print(f"{what:<20} {wall:7.1f} s wall  {cpu:7.1f} s CPU  ({arguments.submissions} submissions, median)")
    pairs = list(zip(*costs.values(), strict=True))
    print(f"CPU time:   nbgrader / ours = {statistics.median(a.cpu / b.cpu for a, b in pairs):.1f}×")
    print("Throughput: ours / nbgrader =")
    print(f"{statistics.median(a.wall / b.wall for a, b in pairs):.1f}×")


if __name__ == "__main__":
    main()
