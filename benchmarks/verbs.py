"""How long every verb of `course` takes to start, in processor time: `--help` of each, and those that only list.

python -m benchmarks.verbs
"""

from __future__ import annotations

import argparse
import statistics
import sys

import typer

from autograder import app as instructor
from benchmarks.grading import measured
from course_lib.app import student
from course_lib.course import find_course


def command_lines() -> list[tuple[str, ...]]:
    """Every verb's help, and the verbs that run no tensor."""
    app = typer.Typer()
    student.register(app)
    instructor.register(app)
    helps = [(c.name or c.callback.__name__, "--help") for c in app.registered_commands if c.callback]
    notebook = str(find_course().student_notebook("03_self_attention"))
    lists = [(verb,) for verb in ("lessons", "exercises", "progress", "next", "doctor")]
    return [("--version",), ("--help",), *helps, *lists, ("doctor", notebook)]


def main() -> None:
    """Measure each, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="how often each is started (default: 3)")
    arguments = parser.parse_args()
    root = find_course().root
    for line in command_lines():
        command = [sys.executable, "-m", "course_lib.app", *line]
        costs = [measured(command, root) for _ in range(arguments.rounds)]
        wall, cpu = (statistics.median(getattr(cost, kind) for cost in costs) for kind in ("wall", "cpu"))
        shown = " ".join(word.rpartition("/")[2] for word in line)
        print(f"course {shown:<30} {cpu:6.2f} s CPU {wall:6.2f} s wall")


if __name__ == "__main__":
    main()
