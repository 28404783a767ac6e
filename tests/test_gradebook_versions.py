"""The commands of nbgrader and the course open a new gradebook, and open or explain one from an older nbgrader."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import LESSON, copy_course, run_course
from gradebooks import fill
from nbgrader.api import Gradebook

from course_lib.course import Course

NBGRADER = Path(sys.executable).with_name("nbgrader")


def nbgrader(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run nbgrader by its path, without activating its environment."""
    environment = {**os.environ, "PATH": "/usr/bin:/bin"}
    return subprocess.run(
        [NBGRADER, *arguments], cwd=root, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("option", [(), ("--CourseDirectory.db_url=sqlite:///other.db",)])
@pytest.mark.slow
def test_a_due_date_can_be_entered_in_a_fresh_class_without_activating_the_environment(
    course: Course, tmp_path: Path, option: tuple[str, ...]
) -> None:
    root = copy_course(course, tmp_path / "course")
    ran = nbgrader(root, "db", "assignment", "add", LESSON, "--duedate", "2026-12-01 23:59 UTC", *option)
    assert ran.returncode == 0, ran.stderr
    url = f"sqlite:///{root}/other.db" if option else f"sqlite:///{root}/class/gradebook.db"
    with Gradebook(url) as book:
        assert str(book.find_assignment(LESSON).duedate) == "2026-12-01 23:59:00"


def test_an_older_gradebook_is_explained_by_every_verb_and_upgraded_by_the_command_that_is_named(
    course: Course, released: Any, tmp_path: Path
) -> None:
    root = copy_course(course, tmp_path / "course")
    file = root / "class/gradebook.db"
    fill(f"sqlite:///{file}", LESSON, released, {"kim": 0.5})
    with sqlite3.connect(file) as database:
        database.execute("ALTER TABLE student DROP COLUMN lms_user_id")
        database.execute("UPDATE alembic_version SET version_num = '167914646830'")
    (root / f"class/submitted/kim/{LESSON}").mkdir(parents=True)
    command = f"db upgrade --CourseDirectory.db_url=sqlite:///{file}"
    for verb in ("grade 03", "regrade 03", "grades 03 --to grades.csv", "release 03", "purge --student kim"):
        ran = run_course(root, *verb.split())
        said = ran.err.replace("\n", "")
        assert ran.code == 1 and "an older version of nbgrader made it" in ran.err, (verb, ran)
        assert command in said, verb
    ran = nbgrader(root, "db", "student", "list")
    assert ran.returncode == 1 and command in ran.stderr and "Traceback" not in ran.stderr
    upgraded = nbgrader(root, *command.split())
    assert upgraded.returncode == 0, upgraded.stderr
    assert [path for path in file.parent.glob("gradebook.db.*")], "nbgrader has kept a copy"
    ran = run_course(root, "grades", "03", "--to", "grades.csv")
    assert ran.code == 0, ran
