"""What `nbgrader collect` copies out of folders that students own."""

from __future__ import annotations

import io
import logging
import os
import pwd
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
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
        self.config, self.said = Config(), ""
        self.config.Exchange.root, self.config.CourseDirectory.root = str(folder / "exchange"), str(folder / "class")
        self.config.CourseDirectory.course_id, self.config.CourseDirectory.assignment_id = "course", LESSON

    def submit(self, student: str, time: str = "2026-03-02 12:00:00 UTC") -> Path:
        """Return the path of a submission that is to be made."""
        return self.inbound / f"{student}+{LESSON}+{time}"

    def hand_in(self, student: str, content: str, time: str = "2026-03-02 12:00:00 UTC", owner: int = -1) -> None:
        work = self.submit(student, time)
        work.mkdir()
        (work / NOTEBOOK).write_text(content)
        if owner >= 0:
            os.chown(work, owner, owner)

    def collect(self) -> dict[str, str]:
        """Collect, and return the content of each file by its path."""
        directory, log = CourseDirectory(config=self.config), logging.getLogger("a test's collecting")
        written = io.StringIO()
        log.handlers, log.propagate = [logging.StreamHandler(written)], False
        log.setLevel(logging.INFO)
        CollectPlainFiles(coursedir=directory, config=self.config, log=log).start()
        self.said = written.getvalue()
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
    assert exchange.collect() == {}
    assert "holds more than" in exchange.said


ADA, EARLIER, LATER = f"ada/{LESSON}/{NOTEBOOK}", "2026-03-01 12:00:00 UTC", "2026-03-03 12:00:00 UTC"


def test_a_submission_that_cannot_be_collected_keeps_no_other_from_being_collected(exchange: Exchange) -> None:
    exchange.config.CourseDirectory.max_dir_size = 1
    exchange.hand_in("ada", "hers")
    exchange.hand_in("eve", "x" * 2_000)
    exchange.hand_in("zo", "theirs")
    assert exchange.collect() == {ADA: "hers", f"zo/{LESSON}/{NOTEBOOK}": "theirs"}
    assert "Left out 1 folder" in exchange.said and f"eve+{LESSON}" in exchange.said


@pytest.mark.parametrize(
    ("name", "why"),
    [
        (f"eve+{LESSON}+not-a-time", "its name has no time"),
        (f"+{LESSON}+2026-03-02 12:00:00 UTC", "is not <student>+<lesson>+<time>"),
        (f"x+y+{LESSON}+2026-03-02 12:00:00 UTC", "is not <student>+<lesson>+<time>"),
        (f"x\x1b[2J\x07+{LESSON}+2026-03-02 12:00:00 UTC", "the name of its folder is not text"),
        (f"eve+{LESSON}+2099-01-01 10:00:00 UTC", "is in the future"),
    ],
)
def test_a_folder_with_an_impossible_name_is_left_out_and_named(exchange: Exchange, name: str, why: str) -> None:
    exchange.hand_in("ada", "hers")
    (exchange.inbound / name).mkdir()
    assert exchange.collect() == {ADA: "hers"}
    assert why in exchange.said and "\x1b" not in exchange.said and "\x07" not in exchange.said
    assert [path.name for path in (exchange.folder / "class/submitted").iterdir()] == ["ada"]


def test_a_submission_that_fails_leaves_the_one_collected_before(exchange: Exchange) -> None:
    exchange.config.ExchangeCollect.update = True
    exchange.hand_in("ada", "hers")
    exchange.collect()
    exchange.config.CourseDirectory.max_dir_size = 1
    exchange.hand_in("ada", "x" * 2_000, LATER)
    assert exchange.collect() == {ADA: "hers"}
    exchange.submit("ada", "2026-03-04 12:00:00 UTC").symlink_to(exchange.folder / "secret")
    (exchange.submit("ada", LATER) / NOTEBOOK).write_text("newer")
    assert exchange.collect() == {ADA: "newer"}
    assert "a link or a file" in exchange.said
    assert [path.name for path in (exchange.folder / "class/submitted/ada").iterdir()] == [LESSON]


def test_a_time_in_the_future_never_wins(exchange: Exchange) -> None:
    exchange.hand_in("ada", "hers")
    exchange.hand_in("ada", "not hers", f"{datetime.now(UTC) + timedelta(hours=1):%Y-%m-%d %H:%M:%S} UTC")
    assert exchange.collect() == {ADA: "hers"}


def two_users() -> tuple[pwd.struct_passwd, pwd.struct_passwd]:
    """Return two accounts that every machine knows. The first is a service's."""
    if os.geteuid() != 0:
        pytest.skip("only root can give folders to users")
    return pwd.getpwnam("daemon"), pwd.getpwnam("nobody")


def test_a_folder_of_another_student_never_wins(exchange: Exchange) -> None:
    ada, eve = two_users()
    exchange.hand_in(ada.pw_name, "hers", EARLIER, ada.pw_uid)
    exchange.hand_in(ada.pw_name, "not hers", LATER, eve.pw_uid)
    exchange.submit(ada.pw_name, "2026-03-05 12:00:00 UTC").symlink_to(exchange.folder / "secret")
    assert list(exchange.collect().values()) == ["hers"]
    assert f"it belongs to {eve.pw_name}, not to {ada.pw_name}" in exchange.said
    exchange.config.ExchangeCollect.check_owner = False
    exchange.config.ExchangeCollect.update = True
    assert list(exchange.collect().values()) == ["not hers"]


@pytest.mark.parametrize("owner", [0, 33])
def test_a_folder_of_root_or_of_a_service_is_collected(exchange: Exchange, owner: int) -> None:
    ada, eve = two_users()
    exchange.hand_in(ada.pw_name, "hers", owner=owner)
    exchange.hand_in("not-an-account", "theirs", owner=eve.pw_uid)
    assert sorted(exchange.collect().values()) == ["hers", "theirs"]
    assert f"The submission of not-an-account belongs to {eve.pw_name}" in exchange.said


def test_many_names_of_one_large_file_are_read_once(exchange: Exchange) -> None:
    work = exchange.submit("eve")
    work.mkdir()
    with (work / "0").open("wb") as file:
        file.truncate(40_000_000)
    for number in range(1, 500):
        os.link(work / "0", work / str(number))
    began = time.process_time()
    assert exchange.collect() == {}
    assert time.process_time() - began < 5 and "holds more than 100 MB" in exchange.said


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
