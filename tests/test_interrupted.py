"""A full disk, a locked gradebook, a folder that is read-only, Ctrl-C: one sentence, and the rest is graded later."""

from __future__ import annotations

import errno
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import LESSON, POINTS, TimedResult, copy_course, hand_in_to, require, run_course

from autograder.demo.classroom import Student, hand_in
from autograder.gradebook.gradebook import Records
from course_lib.course import Course
from course_lib.processors import usable_processors
from course_lib.running.processes import descendants

STUDENTS = ("a_right", "b_right")
GRADE = ("grade", "03", "--submissions", "submitted", "--workers", "1", "--unsandboxed")


@pytest.fixture
def root(course: Course, released: Any, tmp_path: Path) -> Path:
    """A course in which two have handed in."""
    root = copy_course(course, tmp_path / "a course")
    hand_in_to(root / "submitted", {name: hand_in(Student(name), released) for name in STUDENTS})
    return root


def after_the_first(happens: Callable[[Path], None], root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let something happen to the class's folder once one submission is graded, before the second is saved."""
    save, saved = Records.save, []

    def save_it(records: Records, student: str, *graded: Any, **how: Any) -> None:
        if saved:
            monkeypatch.setattr(Records, "save", save)
            happens(root / "class")
        save(records, student, *graded, **how)
        saved.append(student)

    monkeypatch.setattr(Records, "save", save_it)


def graded(root: Path) -> dict[str, tuple[float, int]]:
    """The scores, and when each was written."""
    paths = (root / f"class/records/{LESSON}").glob("*.json")
    return {path.stem: (json.loads(path.read_text())["score"], path.stat().st_mtime_ns) for path in paths}


def require_one_sentence(ran: TimedResult, *parts: str) -> None:
    """Of what was said besides the progress bar, one line is the reason, and it holds these parts."""
    lines = [line for line in (ran.out + ran.err).splitlines() if any(part in line for part in parts)]
    assert len(lines) == 1, (ran.out, ran.err)
    for part in parts:
        assert part in lines[0]
    assert "Traceback" not in ran.out + ran.err
    assert "[SQL" not in ran.out + ran.err


def require_that_the_rest_follows(root: Path) -> None:
    before = graded(root)
    assert list(before) == ["a_right"]
    ran = run_course(root, *GRADE)
    assert ran.code == 0, ran
    assert "1 of 2 are as they were graded before" in ran.out
    assert "2 submissions: 2 graded (2 with full points)" in ran.out
    assert graded(root)["a_right"] == before["a_right"]


@pytest.mark.slow
def test_a_gradebook_that_is_locked_in_the_middle(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    locks: list[sqlite3.Connection] = []

    def lock(folder: Path) -> None:
        locks.append(sqlite3.connect(folder / "gradebook.db"))
        locks[0].execute("BEGIN EXCLUSIVE")

    after_the_first(lock, root, monkeypatch)
    ran = run_course(root, *GRADE)
    locks[0].close()
    assert ran.code == 1
    require_one_sentence(ran, "The gradebook", "database is locked", "1 of 2 were graded and are kept")
    require_that_the_rest_follows(root)


@pytest.fixture
def _listens_to_control_c() -> Iterator[None]:
    """As in a terminal; what a shell starts in the background does not."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("_listens_to_control_c")
@pytest.mark.slow
def test_control_c(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    after_the_first(lambda _: signal.raise_signal(signal.SIGINT), root, monkeypatch)
    ran = run_course(root, *GRADE)
    assert ran.code == 130
    require_one_sentence(ran, "Stopped. 1 of 2 were graded and are kept. Run it again to grade the others.")
    require_that_the_rest_follows(root)


@pytest.mark.parametrize(("verb", "number"), [("grade", signal.SIGINT), ("grade", signal.SIGTERM)])
@pytest.mark.slow
def test_it_stops_at_once_while_a_submission_never_ends(
    root: Path, released: Any, verb: str, number: signal.Signals
) -> None:
    """Interrupt it twice. The second signal can't stop the cleanup, and none of its processes stays alive."""
    require("bwrap")
    endless = {
        f"d_endless_{n}": hand_in(Student(f"endless {n}", before="while True: pass"), released) for n in range(3)
    }
    hand_in_to(root / "submitted", endless)
    command = [sys.executable, "-m", "course_lib.app", verb, "03", "--submissions", "submitted", "--workers", "2"]
    code = "import signal, os, sys; signal.signal(2, signal.default_int_handler); os.execv(sys.argv[1], sys.argv[1:])"
    with subprocess.Popen(
        [sys.executable, "-c", code, *command], cwd=root, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as grader:
        give_up = time.monotonic() + 300
        while len(graded(root)) < len(STUDENTS) and time.monotonic() < give_up:
            time.sleep(0.05)
        time.sleep(1)  # by then the endless submissions are running
        started = set(descendants(grader.pid))
        assert started
        assert grader.poll() is None
        sent = time.monotonic()
        grader.send_signal(number)
        time.sleep(0.1)
        grader.send_signal(number)
        assert grader.stdout
        out = ""
        while "Stopped." not in out and (line := grader.stdout.readline()):
            out += line
        took = time.monotonic() - sent  # freeing memory at exit takes Python another second or two
        rest, err = grader.communicate(timeout=120)
        out += rest
    busy = max(1.0, os.getloadavg()[0] / usable_processors())  # how many processes share each processor
    assert took < 2 * busy, (took, busy, out, err)
    assert grader.returncode == 130
    require_one_sentence(
        TimedResult(130, out, err), "Stopped. 2 of 5 were graded and are kept. Run it again to grade the others."
    )
    while any(Path(f"/proc/{pid}").exists() for pid in started):
        assert time.monotonic() < sent + 120, "its processes end with it"
        time.sleep(0.02)
    assert {name: score for name, (score, _) in graded(root).items()} == dict.fromkeys(STUDENTS, POINTS)


#: in a class folder of so many bytes, which something else fills once the first is graded, and frees again
FULL = """
import contextlib, os, sys
from pathlib import Path
import test_interrupted as t
import pytest
from conftest import run_course, share_hidden_keys

def fill(folder):
    with contextlib.suppress(OSError), (folder / "ballast").open("wb", buffering=0) as file:
        while True:
            file.write(bytes(1000))

root = Path(sys.argv[1])
share_hidden_keys(root)
with pytest.MonkeyPatch.context() as patch:
    t.after_the_first(fill, root, patch)
    ran = run_course(root, *t.GRADE)
print(ran)
assert ran.code == 1
t.require_one_sentence(ran, "1 of 2 were graded and are kept")
assert "No space left" in ran.err or "disk is full" in ran.err or "disk I/O error" in ran.err
assert not list((root / "class").rglob("*.part")), "half a file takes what room there is"
for verb in ("feedback", "report"):
    ran = run_course(root, verb, "03")
    assert ran.code == 1, ran
    t.require_one_sentence(ran, "cannot be ")
(root / "class/ballast").unlink()
t.require_that_the_rest_follows(root)
"""

READ_ONLY = """
import sys
from pathlib import Path
import test_interrupted as t
from conftest import run_course

root = Path(sys.argv[1])
for words, place in ((t.GRADE, "The class's folder"), (("feedback", "03"), "feedback"), (("report", "03"), "reports")):
    ran = run_course(root, *words)
    assert ran.code == 1, ran
    t.require_one_sentence(ran, "cannot be written")
    assert place in ran.err
"""


def in_a_world_where(mounts: list[str], code: str, root: Path) -> None:
    """Run code where a folder is another one; bubblewrap needs no rights for that."""
    world = [require("bwrap"), "--dev-bind", "/", "/", *mounts, "--", sys.executable, "-c", code, str(root)]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    done = subprocess.run(world, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_a_disk_that_fills_in_the_middle(root: Path) -> None:
    in_a_world_where(["--size", str(8_000_000), "--tmpfs", str(root / "class")], FULL, root)


@pytest.mark.slow
def test_a_class_folder_that_is_read_only(root: Path) -> None:
    assert run_course(root, *GRADE).code == 0
    in_a_world_where(["--ro-bind", str(root / "class"), str(root / "class")], READ_ONLY, root)


def test_a_file_that_cannot_be_written_leaves_the_old_one_and_no_part_of_a_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from autograder.class_folder.writing import write_whole
    from course_lib.course import CourseError

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    path = tmp_path / "report.html"
    write_whole(path, "old")
    monkeypatch.setattr("os.replace", full)
    with pytest.raises(CourseError, match=r"report\.html cannot be written: No space left on device\."):
        write_whole(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
