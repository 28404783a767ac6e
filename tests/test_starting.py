"""Starting: a verb that computes nothing does not wait for what others compute with."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from conftest import LESSON, copy_course
from tiers import slow_but

from autograder import app as instructor
from course_lib.app import student
from course_lib.course import Course

#: each takes from a tenth of a second to three of processor time to import
HEAVY = {"torch", "numpy", "matplotlib", "IPython", "nbgrader", "nbconvert", "nbformat", "jupytext", "sqlalchemy"}

#: what a verb does without that reads a gradebook, which waits for nbgrader
COMPUTING = {"torch", "numpy", "matplotlib", "IPython", "jupytext"}

#: what a pipe is written in on many a Windows: it has no ✓, no → and no Greek
WINDOWS = "cp1252"

SAYS_WHAT_IT_IMPORTED = """
import atexit, sys
atexit.register(lambda: print(*{name.split(".")[0] for name in sys.modules}, file=sys.stderr))
from course_lib.app.main import main
main()
"""


def imported_by(folder: Path, *arguments: str) -> set[str]:
    """The packages that `course` has imported when it ends, in an interpreter of its own whose output is not UTF-8."""
    command = [sys.executable, "-c", SAYS_WHAT_IT_IMPORTED, *arguments]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent), "PYTHONIOENCODING": WINDOWS}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, encoding=WINDOWS, check=False)
    assert done.returncode == 0, done.stderr
    return set(done.stderr.splitlines()[-1].split())


def verbs() -> list[str]:
    app = typer.Typer()
    student.register(app)
    instructor.register(app)
    return [command.name or command.callback.__name__ for command in app.registered_commands if command.callback]


@pytest.mark.parametrize("verb", slow_but(["check", "grade"], verbs()))
def test_the_help_of_a_verb_imports_nothing_heavy(course: Course, verb: str) -> None:
    assert not imported_by(course.root, verb, "--help") & HEAVY


@pytest.mark.parametrize(
    "arguments",
    [["--version"], ["--help"], ["lessons"], ["exercises"], ["exercises", "--json"], ["progress"], ["next"]],
)
def test_what_only_lists_imports_nothing_heavy_and_answers_at_once(course: Course, arguments: list[str]) -> None:
    before = processor_seconds()
    assert not imported_by(course.root, *arguments) & HEAVY
    assert processor_seconds() - before < 1.5


def test_reading_notebooks_takes_no_grammar_of_web_addresses() -> None:
    says = "import sys, autograder, nbformat; print('jsonschema' in sys.modules, 'lark' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", says], capture_output=True, text=True, check=True)
    assert done.stdout == "True False\n"


def processor_seconds() -> float:
    """What processes that this one has waited for have used; 0 where a system does not say."""
    used = os.times()
    return used.children_user + used.children_system


def test_looking_through_a_notebook_imports_nothing_heavy(course: Course) -> None:
    assert not imported_by(course.root, "doctor", str(course.student_notebook(LESSON))) & HEAVY


@pytest.fixture
def a_class(course: Course, tmp_path: Path) -> Path:
    """A course with two records: of a submission that was graded, and of one that could not be."""
    about: dict[str, Any] = {"lesson": LESSON, "max_score": 13.0, "notes": [], "sandboxed": True, "digest": ""}
    softmax = {
        "score": 1.0,
        "max_score": 2.5,
        "misconception": "no_max_subtraction",
        "broken_laws": ["stable"],
        "sentences": {"stable": "scores of ±10,000 give the right weights"},
    }
    records = [
        {"student": "a", "status": "graded", "reason": "", "score": 1.0, "exercises": {"softmax": softmax}},
        {"student": "b", "status": "failed", "reason": "it is no notebook", "score": None, "exercises": {}},
    ]
    root = copy_course(course, tmp_path / "course")
    folder = root / "class" / "records" / LESSON
    folder.mkdir(parents=True)
    for record in records:
        (folder / f"{record['student']}.json").write_text(json.dumps(about | record))
    return root


def test_a_class_report_tells_laws_and_mistakes_in_words(a_class: Path) -> None:
    assert not imported_by(a_class, "report", "03") & COMPUTING
    page = (a_class / f"class/reports/{LESSON}.html").read_text(encoding="utf-8")
    assert "scores of ±10,000 give the right weights" in page, "laws and mistakes are told in words"


def test_feedback_pages_wait_for_nbgrader_alone(a_class: Path) -> None:
    (a_class / f"class/records/{LESSON}/a.json").unlink()
    assert not imported_by(a_class, "feedback", "03") & COMPUTING


def test_what_computes_does_so_on_one_thread() -> None:
    code = (
        "import sys, typer\nfrom course_lib.app import main\n"
        "main.complete_app()\n"
        "@main.app.command()\ndef threads():\n    import torch\n    print(torch.get_num_threads())\n"
        "sys.argv = ['course', 'threads']\nmain.main()"
    )
    environment = {**os.environ, "OMP_NUM_THREADS": "2", "PYTHONPATH": str(Path(__file__).parent.parent)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.stdout == "1\n", done.stderr
