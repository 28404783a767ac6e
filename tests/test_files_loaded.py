"""A check loads what it needs of the library, and no more."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.building.release import release_library
from autograder.exercises.public_keys import public_key
from course_lib.course import Course

ROOT = Path(__file__).parent.parent

#: checks a wrong softmax, then prints the files of a folder that are loaded
FIRST_CHECK = """
import json, sys
import numpy as np
from course_lib import check

def softmax(scores, axis=-1):
    weights = np.exp(scores - scores.max())
    return weights / weights.sum(axis=axis, keepdims=True)

assert "largest score of the whole array" in check("softmax", softmax).text
files = [getattr(module, "__file__", None) or "" for module in sys.modules.values()]
print(json.dumps([file for file in files if file.startswith(tuple(sys.argv[1:]))]))
"""


def files_of_a_first_check(library: Path, cwd: Path) -> list[str]:
    """The project's files that a first check of softmax loads in a new interpreter, and nothing of Python's."""
    environment = {**os.environ, "PYTHONPATH": str(library)}
    command = [sys.executable, "-c", FIRST_CHECK, str(library / "course_lib"), str(library / "autograder")]
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return sorted(Path(file).relative_to(library).as_posix() for file in json.loads(done.stdout))


def test_a_first_check_in_a_checkout_loads_no_exercise_if_its_answer_key_is_kept(tmp_path: Path) -> None:
    public_key("softmax")  # keeps it
    files = files_of_a_first_check(ROOT, tmp_path)
    print(len(files), *files, sep="\n")
    assert not [file for file in files if "/lesson_" in file or "/components/" in file]
    assert len(files) <= 99


def test_a_first_check_that_makes_its_key_loads_one_exercise_and_one_component(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    files = files_of_a_first_check(ROOT, tmp_path)
    print(len(files), *files, sep="\n")
    assert [file for file in files if "autograder/exercises/lesson_" in file] == [
        "autograder/exercises/lesson_03/softmax/exercise.py"
    ]
    assert [file for file in files if "/components/" in file] == [
        "course_lib/components/__init__.py",
        "course_lib/components/softmax.py",
    ]
    assert len(files) <= 116


def test_a_first_check_in_a_release_loads_fewer(course: Course, tmp_path: Path) -> None:
    files = files_of_a_first_check(release_library(course, "03_self_attention", tmp_path, whole=False), tmp_path)
    print(len(files), *files, sep="\n")
    assert not [file for file in files if "autograder/" in file or "/components/" in file]
    assert len(files) <= 90
