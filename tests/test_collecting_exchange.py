"""What `nbgrader collect` copies out of folders that students own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import LESSON, copy_course
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config

from autograder.gradebook.gradebook import Records
from autograder.nbgrader_commands.collect import CollectPlainFiles
from course_lib.course import Course

NOTEBOOK, SECRET = f"{LESSON}.ipynb", "the solutions"
pytestmark = pytest.mark.skipif(os.name != "posix", reason="nbgrader has no exchange there")


class Exchange:
    """An exchange in which students submit folders, and the class that collects from it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.inbound = folder, folder / "exchange/course/inbound"
        (folder / "secret").mkdir()
        (folder / "secret" / NOTEBOOK).write_text(SECRET)
        self.inbound.mkdir(parents=True)
        with Records(f"sqlite:///{folder / 'class/gradebook.db'}"):
            pass
        self.config = Config()
        self.config.Exchange.root, self.config.CourseDirectory.root = str(folder / "exchange"), str(folder / "class")
        self.config.CourseDirectory.course_id, self.config.CourseDirectory.assignment_id = "course", LESSON

    def submit(self, student: str) -> Path:
        """Return the path of a submission that is to be made."""
        return self.inbound / f"{student}+{LESSON}+2026-03-02 12:00:00 UTC"

    def collect(self) -> dict[str, str]:
        """Collect, and return the content of each file by its path."""
        directory = CourseDirectory(config=self.config)
        CollectPlainFiles(coursedir=directory, config=self.config).start()
        top = self.folder / "class/submitted"
        return {str(path.relative_to(top)): path.read_text() for path in top.rglob("*") if path.is_file()}


@pytest.fixture
def exchange(tmp_path: Path) -> Exchange:
    return Exchange(tmp_path)


def test_plain_files_are_collected_with_their_folders(exchange: Exchange) -> None:
    work = exchange.submit("ada")
    (work / "data").mkdir(parents=True)
    for name in (NOTEBOOK, "timestamp.txt", "data/x.csv"):
        (work / name).write_text(name)
    assert exchange.collect() == {f"ada/{LESSON}/{name}": name for name in (NOTEBOOK, "timestamp.txt", "data/x.csv")}


@pytest.mark.parametrize("what", ["a file", "a folder in it", "the submission"])
def test_no_link_in_the_exchange_is_followed(exchange: Exchange, what: str) -> None:
    work, secret = exchange.submit("mal"), exchange.folder / "secret"
    if what == "the submission":
        work.symlink_to(secret)
    else:
        work.mkdir()
        name, target = (NOTEBOOK, secret / NOTEBOOK) if what == "a file" else ("data", secret)
        (work / name).symlink_to(target)
    assert SECRET not in exchange.collect().values()


def test_a_submission_that_is_too_large_is_refused_as_nbgrader_does(exchange: Exchange) -> None:
    exchange.config.CourseDirectory.max_dir_size = 1
    work = exchange.submit("mal")
    work.mkdir()
    for name in "abc":
        (work / name).write_bytes(bytes(900))
    with pytest.raises(RuntimeError, match="Directory size is too big"):
        exchange.collect()


@pytest.mark.slow
def test_nbgraders_own_command_follows_no_link(course: Course, tmp_path: Path) -> None:
    root = copy_course(course, tmp_path / "a course")
    for student, path in (("ada", "notebooks"), ("mal", "solutions")):
        work = tmp_path / f"exchange/course/inbound/{student}+{LESSON}+2026-03-02 12:00:00 UTC"
        work.mkdir(parents=True)
        (work / "kept.txt").write_text("plain")
        (work / NOTEBOOK).symlink_to(root / path / LESSON / NOTEBOOK)
    options = (f"--Exchange.root={tmp_path / 'exchange'}", "--CourseDirectory.course_id=course")
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", "collect", LESSON, *options],
        cwd=root, env={**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    found = sorted(path.relative_to(root / "class/submitted").parts for path in root.glob("class/submitted/*/*/*"))
    assert found == [(student, LESSON, "kept.txt") for student in ("ada", "mal")]
