"""What a lesson's set-up imports is imported once for all submissions."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.grading.preload import modules_imported
from course_lib.running.cell import Cell
from course_lib.running.runner import Runner

SET_UP = """\
%matplotlib inline
import math
import course_lib.session
from course_lib import begin, figures
from torch import nn
"""


@pytest.fixture
def library(tmp_path: Path) -> Path:
    for name in ("session.py", "figures/__init__.py", "__init__.py"):
        path = tmp_path / "course_lib" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return tmp_path


def test_only_modules_that_the_library_contains_are_found(library: Path) -> None:
    assert modules_imported([SET_UP], library) == ("course_lib.session", "course_lib.figures")


def test_a_cell_that_is_not_python_imports_nothing(library: Path) -> None:
    assert modules_imported(["import course_lib.session as", SET_UP, SET_UP], library) == (
        "course_lib.session",
        "course_lib.figures",
    )


def test_a_module_that_cannot_be_imported_fails_in_its_cell_and_not_before() -> None:
    cell = Cell("a", "setup", "import course_lib.missing")
    with Runner(preload=("course_lib.missing",)) as runner:
        outcome = runner.run([cell], {})
    assert outcome.status == "graded"
    assert outcome.outputs["a"][0]["ename"] == "ModuleNotFoundError"


def test_all_that_asks_and_every_component_is_imported_before_a_submission_runs() -> None:
    code = """
import sys
before = set(sys.modules)
from pkgutil import walk_packages
import course_lib.checking, course_lib.components
for package in (course_lib.checking, course_lib.components):
    modules = {module.name for module in walk_packages(package.__path__, f"{package.__name__}.")}
    print(len(modules) > 40, modules - before)
"""
    with Runner() as runner:
        outcome = runner.run([Cell("a", "setup", code)], {})
    assert outcome.outputs["a"][0]["text"] == "True set()\nTrue set()\n", outcome
