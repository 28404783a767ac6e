"""How much faster and cheaper `course grade` is than plain `nbgrader autograde`, and where its time goes.

Both grade honest full-mark submissions of lesson 03 from an empty gradebook, and must come to the same
scores. nbgrader takes eight seconds for each, so it grades a sample once, its start included, and its time
for more is reckoned from that; `course grade` grades every class in full, with everything that it pays once
a run. Feedback pages are written by neither, and timed by themselves. What counts is the ratio; the seconds
depend on the machine.

    python -m benchmarks.grading --submissions 16 40 300 --nbgrader-sample 16
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbgrader.api import Gradebook
from rich.console import Console

from autograder.demo.classroom import LESSON, hand_in, students
from course_lib.course import Course, find_course

out = Console(stderr=True, highlight=False)
ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Cost:
    """Wall and processor seconds of a command, or of a stage of one."""

    wall: float
    cpu: float


#: by stage, in the order in which they were first met
Stages = dict[str, Cost]


def measured(command: Sequence[str], folder: Path) -> Cost:
    """Run a command to its end.

    Raises:
        SystemExit: it failed.
    """
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
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


def grade_plainly(folder: Path) -> Cost:
    """What `nbgrader autograde` costs; the gradebook is there since the assignment was made."""
    return measured([sys.executable, "-m", "nbgrader", "autograde", LESSON, "--create"], folder)


def grade_ours(folder: Path) -> tuple[Cost, Stages]:
    """What `course grade` costs, from an empty class folder, and where that goes."""
    shutil.rmtree(folder / "class", ignore_errors=True)
    file = folder / "stages.json"
    command = [sys.executable, "-m", "benchmarks.stages", str(file), LESSON, "--submissions", "submitted"]
    cost = measured(command, folder)
    stages = {name: Cost(*seconds) for name, seconds in json.loads(file.read_text(encoding="utf-8")).items()}
    return Cost(cost.wall, sum(stage.cpu for stage in stages.values())), stages


def require_equal(theirs: Mapping[str, float], ours: Mapping[str, float], count: int) -> None:
    """Both must have come to the same scores.

    Raises:
        SystemExit: they have not.
    """
    if len(ours) != count or any(ours[student] != theirs[student] for student in ours.keys() & theirs):
        sys.exit(f"The scores differ: nbgrader has {theirs}, the course {ours}.")


def main() -> None:
    """Measure, and print the tables and the ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--submissions", type=int, nargs="+", default=[16], help="how many notebooks (default: 16)")
    parser.add_argument("--nbgrader-sample", type=int, default=16, help="how many nbgrader grades (default: 16)")
    arguments = parser.parse_args()
    course = find_course()
    with tempfile.TemporaryDirectory() as name:
        plain, _ = prepare(course, Path(name) / "sample", arguments.nbgrader_sample)
        out.print(f"nbgrader grades {arguments.nbgrader_sample} submissions …")
        sample, theirs = grade_plainly(plain), scores(plain / "gradebook.db")
        each = Cost(sample.wall / arguments.nbgrader_sample, sample.cpu / arguments.nbgrader_sample)
        print(
            f"nbgrader autograde: {each.wall:.2f} s wall, {each.cpu:.2f} s CPU a submission, "
            f"measured once, on {arguments.nbgrader_sample}; what it needs for more is reckoned from that",
            flush=True,
        )
        for count in arguments.submissions:
            _, ours = prepare(course, Path(name) / str(count), count)
            out.print(f"course grade grades {count} submissions …")
            cost, stages = grade_ours(ours)
            require_equal(theirs, scores(ours / "class" / "gradebook.db"), count)
            unchanged = measured(grade_command(), ours)
            feedback = measured([sys.executable, "-m", "course_lib.app", "feedback", LESSON], ours)
            print(f"\ncourse grade, {count} submissions: {cost.wall:.1f} s wall, {cost.cpu:.1f} s CPU")
            for stage, seconds in stages.items():
                print(f"    {stage:<18}{seconds.wall:8.2f} s wall {seconds.cpu:8.2f} s CPU")
            print(f"    then nothing new: {unchanged.wall:.2f} s wall, {unchanged.cpu:.2f} s CPU")
            print(f"    then feedback:    {feedback.wall:.2f} s wall, {feedback.cpu:.2f} s CPU")
            print(f"    CPU time:   nbgrader / ours = {count * each.cpu / cost.cpu:.1f}×")
            print(f"    Throughput: ours / nbgrader = {count * each.wall / cost.wall:.1f}×")


def grade_command() -> list[str]:
    """`course grade` as an instructor gives it."""
    return [sys.executable, "-m", "course_lib.app", "grade", LESSON, "--submissions", "submitted"]


if __name__ == "__main__":
    main()
