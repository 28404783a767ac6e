"""What several tests share."""

from __future__ import annotations

import gc
import io
import json
import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import nbformat
import pytest
import torch
from hostile import hostile_notebook
from tiers import asks_for_a_slow_fixture
from xdist.scheduler import LoadFileScheduling

from autograder.cache_folder import cache_folder
from autograder.demo.classroom import hand_in, students
from autograder.exercises import DEFINITIONS, of_lesson
from course_lib.app.main import main
from course_lib.course import Course, find_course
from course_lib.our_errors import STRICT
from course_lib.session import CURRENT

LESSON = "03_self_attention"
POINTS = sum(definition.exercise.points for definition in of_lesson(LESSON))

os.environ[STRICT] = "1"  # an error of our own fails a test, also in the processes that it starts
torch.set_num_threads(1)  # as in lessons and in grading
# a process holds the answer keys of dozens of exercises: to look through them for garbage took an eighth of its time
gc.set_threshold(100_000, 50, 100)


class ByWhatIsShared(LoadFileScheduling):
    """Run tests that share something expensive in the same process.

    That is all tests of a file, of the files that ask for `graded_class`, or of an exercise in the files that share
    answer keys.
    """

    def _split_scope(self, nodeid: str) -> str:
        file: str = super()._split_scope(nodeid)
        exercise = re.search(r"\[(\w+)", nodeid)
        if exercise and exercise[1] in DEFINITIONS and "from keys import" in _text(file):
            return f"keys of {exercise[1]}"
        return "graded_class" if "graded_class" in _text(file) else file


@cache
def _text(file: str) -> str:
    return (Path(__file__).parent / Path(file).name).read_text(encoding="utf-8")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--thorough",
        action="store_true",
        help="Send every odd notebook through all paths, and try five hidden draws of each exercise (minutes).",
    )


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One process more than there are processors: many tests wait for a browser, a sandbox or a limit."""
    return len(os.sched_getaffinity(0)) + 1 if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1) + 1


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByWhatIsShared:
    return ByWhatIsShared(config, log)


#: what takes minutes in one process begins first, so that at the end no process works alone
LONG = (
    "test_odd_notebooks.py", "test_untouched.py", "test_hostile.py", "test_term.py", "test_values.py",
    "test_interrupted.py",
)  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.path.name not in LONG)
    for item in items:
        if "chromium" in getattr(item, "fixturenames", ()):  # by itself, or through another fixture
            item.add_marker(pytest.mark.browser)
        if asks_for_a_slow_fixture(item):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def course() -> Course:
    return find_course(Path(__file__).parent)


def require(program: str) -> str:
    """The path of a program that some tests need; in CI it must be there, elsewhere its tests are skipped."""
    path = shutil.which(program)
    if path is None:
        if os.environ.get("CI"):
            pytest.fail(f"{program} is missing: .ci/run installs it")
        pytest.skip(f"{program} is missing: install it to run this test (see docs/maintaining.md)")
    return path


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of a browser; `pytest -m browser` runs every test that comes to ask for it."""
    return require("chromium")


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Any]:
    """A browser for the tests of a file, which drive no other: one Playwright at a time is all that it allows."""
    from lab import ARGUMENTS
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright, playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS) as it:
        yield it


@dataclass(frozen=True)
class TimedResult:
    """What a run of the `course` command came to."""

    code: int
    out: str
    err: str


def run_course(folder: Path, *arguments: str, answer: str = "") -> TimedResult:
    """The `course` command as someone in that folder runs it, but in this process; a traceback is an exception here."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    argv = ["course", *map(str, arguments)]
    with chdir(folder), redirect_stdout(out), redirect_stderr(err), pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", argv)
        patch.setattr(sys, "stdin", io.StringIO(answer))
        patch.setenv("COLUMNS", "100")
        try:
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0
    return TimedResult(code, out.getvalue(), err.getvalue())


def copy_course(course: Course, root: Path, own_secret: bool = False) -> Path:
    """A copy of all that an instructor edits and builds, in which grading gives up soon.

    Args:
        own_secret: whether its class has hidden questions of its own. Making their keys takes as long as grading a
            dozen, so all others share theirs.
    """
    for name in ("lessons", "solutions", "notebooks"):
        shutil.copytree(course.root / name, root / name)
    shutil.copy(course.root / "nbgrader_config.py", root)
    (root / "course.toml").write_text(
        "[limits]\ncell_seconds = 6\ntotal_seconds = 20\nexercise_seconds = 20\nidle_seconds = 6\nanswer_seconds = 3\n"
    )
    if not own_secret:
        (root / "class").mkdir()
        share_hidden_keys(root)
    return root


def share_hidden_keys(root: Path) -> None:
    """Give a class the secret of all classes, and its keys, which were made already."""
    shared = next(folder for folder in root.parents if _OF_ONE_RUN.fullmatch(folder.name)) / "hidden keys"
    shared.mkdir(mode=0o700, exist_ok=True)
    (root / "class/secret.key").write_bytes(b"one secret for all tests")
    (root / "class/secret.key").chmod(0o600)
    (root / "class/keys").symlink_to(shared)


def cache_beside(folder: Path) -> Path:
    """A cache of one's own, for ``XDG_CACHE_HOME``, but for the public keys: to make those anew takes a minute."""
    usual, ours = cache_folder(), folder / cache_folder().name
    (usual / "keys").mkdir(parents=True, exist_ok=True)
    ours.mkdir(parents=True)
    (ours / "keys").symlink_to(usual / "keys")
    return folder


#: pytest's folder for all that one run makes, in however many processes
_OF_ONE_RUN = re.compile(r"pytest-\d+")


def hand_in_to(folder: Path, texts: Mapping[str, str]) -> Path:
    """Write submissions as nbgrader collects them, by student."""
    return hand_in_to_lesson(folder, LESSON, texts)


def hand_in_to_lesson(folder: Path, lesson: str, texts: Mapping[str, str]) -> Path:
    """The same, of any lesson."""
    for student, text in texts.items():
        path = folder / student / lesson / f"{lesson}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
    return folder


@dataclass(frozen=True)
class GradedClass:
    """A small class in a course folder of its own: graded, with feedback and report.

    Attributes:
        ran: what the verbs said, by verb.
    """

    root: Path
    results: dict[str, dict[str, Any]]
    ran: dict[str, TimedResult]

    @property
    def folder(self) -> Path:
        return self.root / "class"

    def feedback(self, student: str) -> str:
        return (self.folder / "feedback" / student / LESSON / f"{LESSON}.html").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def released(course: Course) -> Any:
    return nbformat.read(course.student_notebook(LESSON), as_version=nbformat.NO_CONVERT)


@pytest.fixture(scope="session")
def graded_class(course: Course, released: Any, tmp_path_factory: pytest.TempPathFactory) -> GradedClass:
    require("bwrap")
    root = copy_course(course, tmp_path_factory.mktemp("a [bold] course"))
    chosen = ("right_1", "scale_forgotten", "untouched", "cut_in_half")
    handed_in = {s.name: hand_in(s, released) for s in students() if s.name in chosen}
    submitted = hand_in_to(root / "class/submitted", {**handed_in, "[i]hostile": hostile_notebook(released)})
    (submitted / "empty" / LESSON).mkdir(parents=True)
    ran = {
        "grade": run_course(root, "grade", "03", "--submissions", "class/submitted", "--json", "results.json"),
        "feedback": run_course(root, "feedback", "03"),
        "report": run_course(root, "report", "03"),
    }
    assert [r.code for r in ran.values()] == [0, 0, 0], ran
    results = json.loads((root / "results.json").read_text(encoding="utf-8"))
    return GradedClass(root, {r["student"]: r for r in results}, ran)


@pytest.fixture(autouse=True)
def torchs_default_number_type_is_left_alone() -> Iterator[None]:
    """Questions are asked with another default: whatever became of one, the next test must not."""
    yield
    left, _ = torch.get_default_dtype(), torch.set_default_dtype(torch.float32)
    assert left is torch.float32


@pytest.fixture
def new_kernel(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Work in a folder without hints, in a kernel in which nothing has been checked."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(CURRENT, "judged", {})
    monkeypatch.setattr(CURRENT, "checked", {})
