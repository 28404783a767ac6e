"""The whole bank of hostile submissions in one class, with honest students in between: nobody beats the grader."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from conftest import LESSON, POINTS, TimedResult, copy_course, require, run_course
from hostile import MARK
from hostile_bank import BANK, submissions
from pages import Page, given_numbers, runs_nothing
from tiers import slow

from autograder.demo.classroom import Student, hand_in
from autograder.exercises import of_lesson
from autograder.grading.hidden_keys import lesson_keys
from course_lib.course import Course
from course_lib.running.processes import descendants

#: the attacks of the fast tier, at least one of each kind
ONE_OF_EACH_KIND = (
    *("checks-check_returns_full", "checks-true_to_everything", "hooks-run_cell_replaced", "leaves-files"),
    *("leaves-looks_for_files", "pages-everywhere", "points-graded_message", "points-obeyed_by_terminals"),
    *("reads-others", "reads-tells_hidden", "structure-cut", "structure-more_points", "takes-memory"),
    *("tampers-gradebook", "tampers-library"),
)
#: who is honest, and what that is worth
HONEST = {"a-right": POINTS, "m-untouched": 0.0, "z-right": POINTS}
WORKERS = "2"


def write(folder: Path, student: str, data: bytes) -> None:
    path = folder / student / LESSON / f"{LESSON}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_bytes(data)


@dataclass(frozen=True)
class Attacked:
    """The class after it is graded.

    Attributes:
        before, after: what could have been left outside the class's folder.
    """

    root: Path
    ran: dict[str, TimedResult]
    results: dict[str, dict[str, Any]]
    before: set[str]
    after: set[str]

    def page(self, student: str) -> str:
        return (self.root / "class/feedback" / student / LESSON / f"{LESSON}.html").read_text(encoding="utf-8")


def left_behind(root: Path) -> Iterator[str]:
    """Files under a hostile name where anyone may write, the course's own files, and our own processes."""
    for folder in (Path("/tmp"), Path("/dev/shm"), Path("/var/tmp"), Path.home(), Path.cwd()):
        yield from (str(path) for path in folder.iterdir() if MARK in path.name)
    for path in root.rglob("*"):
        if path.is_file() and not path.is_relative_to(root / "class"):
            yield f"{path} of {path.stat().st_size} bytes"
    yield from (f"process {command}" for command in processes())


def settled(root: Path, before: set[str]) -> set[str]:
    """What is left once nothing more goes away; on a busy machine a process that was killed takes a while to end."""
    until = time.monotonic() + 20
    while (left := set(left_behind(root))) - before and time.monotonic() < until:
        time.sleep(0.1)
    return left


def processes() -> Iterator[str]:
    """The command lines of this process's descendants, and of every process that a hostile submission starts."""
    ours = {os.getpid()}
    for folder in sorted(Path("/proc").glob("[0-9]*"), key=lambda path: int(path.name)):
        try:
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if parent == os.getpid() and "multiprocessing.resource_tracker" in command:
            continue  # Python's own, from when answer keys were made here; it stays as long as this process
        if parent in ours:
            ours.add(int(folder.name))
        if parent in ours or "30.0421" in command:
            yield command


@pytest.fixture(scope="module", params=["one of each kind", slow("all others")])
def attacked(
    request: pytest.FixtureRequest, course: Course, released: Any, tmp_path_factory: pytest.TempPathFactory
) -> Attacked:
    """A class in which honest students hand in, and one attacker of each kind; or all other attackers."""
    require("bwrap")
    root = copy_course(course, tmp_path_factory.mktemp("attacked"), own_secret=True)
    with (root / "course.toml").open("a") as file:
        file.write("memory_mb = 768\n")
    folder = root / "class/submitted"
    for name, points in HONEST.items():
        write(folder, name, hand_in(Student(name, right=points > 0), released).encode())
    for name, data in submissions(released):
        if (name in ONE_OF_EACH_KIND) == (request.param == "one of each kind"):
            write(folder, name, data)
    for name in ("link_to_file", "link_to_folder"):  # to an honest submission, as if it were their own
        place = folder / f"structure-{name}" / LESSON
        honest = folder / "a-right" / LESSON
        place.parent.mkdir()
        if name == "link_to_folder":
            place.symlink_to(honest)
        else:
            place.mkdir()
            (place / f"{LESSON}.ipynb").symlink_to(honest / f"{LESSON}.ipynb")
    evil = folder / "structure-extra_files" / LESSON
    write(folder, evil.parent.name, hand_in(Student("", right=False), released).encode())
    for name in ("sitecustomize.py", "conftest.py", "course_lib.py", "nbgrader_config.py", f"{MARK}.html"):
        (evil / name).write_text(f"open('/tmp/{MARK}-extra', 'w')")
    before = set(left_behind(root))
    ran = {
        "grade": run_course(
            root, "grade", "03", "--submissions", "class/submitted", "--json", "class/r.json", "--workers", WORKERS
        ),
        "feedback": run_course(root, "feedback", "03"),
        "report": run_course(root, "report", "03"),
    }
    assert [r.code for r in ran.values()] == [0, 0, 0], ran
    results = json.loads((root / "class/r.json").read_text(encoding="utf-8"))
    return Attacked(root, ran, {r["student"]: r for r in results}, before, settled(root, before))


def test_the_bank_is_large_and_says_what_each_tries() -> None:
    assert len(BANK) >= 60
    assert len({hostile.tries for hostile in BANK.values()}) == len(BANK)


def test_the_fast_tier_has_an_attack_of_each_kind() -> None:
    assert {name.split("-")[0] for name in ONE_OF_EACH_KIND} == {name.split("-")[0] for name in BANK}
    assert BANK.keys() >= set(ONE_OF_EACH_KIND)


def test_everyone_is_graded_or_has_a_reason(attacked: Attacked) -> None:
    assert attacked.results.keys() == {path.name for path in (attacked.root / "class/submitted").iterdir()}
    for student, result in attacked.results.items():
        assert (result["status"] == "graded") == (not result["reason"]), student
        assert not result["reason"].startswith("grading it failed"), (student, result["reason"])


def test_none_has_more_points_than_its_honest_code_deserves(attacked: Attacked) -> None:
    wrong = {}
    for student in BANK.keys() & attacked.results.keys():
        hostile, result = BANK[student], attacked.results[student]
        points = hostile.least <= (result["score"] or 0) <= hostile.most + 1e-9
        expected = hostile.reason is None or (
            hostile.reason in result["reason"] and bool(result["reason"]) == bool(hostile.reason)
        )
        if not (points and expected):
            wrong[student] = (hostile.tries, result)
    assert not wrong


def test_everyone_has_a_page_of_a_size_that_a_browser_opens(attacked: Attacked) -> None:
    pages = {path.parent.parent.name: path for path in (attacked.root / "class/feedback").rglob("*.html")}
    assert pages.keys() == attacked.results.keys()
    plain = pages["a-right"].stat().st_size
    assert max(path.stat().st_size for path in pages.values()) < plain + 5_000_000


def test_nothing_that_a_terminal_obeys_stands_in_the_results(attacked: Attacked) -> None:
    text = (attacked.root / "class/r.json").read_text(encoding="utf-8")
    assert all(c.isprintable() or c == "\n" for c in text)


@pytest.mark.parametrize("student", ["link_to_file", "link_to_folder", "extra_files"])
def test_files_beside_a_notebook_and_links_earn_nothing(attacked: Attacked, student: str) -> None:
    assert not attacked.results[f"structure-{student}"]["score"]


@pytest.mark.parametrize("student", HONEST)
def test_honest_students_have_exactly_their_points(attacked: Attacked, student: str) -> None:
    assert attacked.results[student]["score"] == HONEST[student], attacked.results[student]
    assert attacked.results[student]["status"] == "graded"


def test_nothing_hidden_stands_in_any_page(attacked: Attacked) -> None:
    numbers = given_numbers(
        lesson_keys(LESSON, (attacked.root / "class/secret.key").read_bytes(), attacked.root / "class")
    )
    public = set(numbers["public"].values())
    hidden = {text for text in numbers["hidden"].values() if len(text) > 20} - public
    secret = (attacked.root / "class/secret.key").read_bytes().hex()
    report = (attacked.root / f"class/reports/{LESSON}.html").read_text()
    assert len(hidden) > 10
    if "reads-tells_hidden" in attacked.results:
        assert any(text in attacked.page("reads-tells_hidden") for text in public), "it tells what it can"
    for student, page in [("report", report), *((name, attacked.page(name)) for name in attacked.results)]:
        assert not [text for text in (*hidden, secret) if text in page], student


@pytest.mark.parametrize("said", ["left", "found", "got", "lifted", "lowered"])
def test_no_page_says_that_something_was_within_reach(attacked: Attacked, said: str) -> None:
    assert not [name for name in attacked.results if f"{MARK} {said}" in attacked.page(name)]


def test_no_page_runs_anything_of_a_students(attacked: Attacked) -> None:
    plain = Page(attacked.page("m-untouched"))
    for student, result in attacked.results.items():
        page = Page(attacked.page(student))
        if result["status"] == "failed":
            assert not page.tags & {"script", "img", "iframe", "link"}, student
        else:
            runs_nothing(page, plain)
    assert "script" not in Page((attacked.root / f"class/reports/{LESSON}.html").read_text()).tags


def test_a_terminal_obeys_none_of_what_is_printed(attacked: Attacked) -> None:
    for ran in attacked.ran.values():
        assert "\x1b]" not in ran.out + ran.err
        assert "\x1b[2J" not in ran.out + ran.err
    assert MARK in attacked.ran["grade"].out, "the error's name is shown"


def test_no_process_and_no_file_is_left(attacked: Attacked) -> None:
    assert attacked.after - attacked.before == set()
    assert attacked.before - attacked.after == set()


def test_the_class_folder_holds_what_the_grader_writes_and_nothing_else(attacked: Attacked) -> None:
    folder, expected = attacked.root / "class", {"gradebook.db", "secret.key", "course.log", "r.json"}
    expected |= {".gitignore", f"reports/{LESSON}.html"}
    diagrams = [path.name for path in (attacked.root / f"notebooks/{LESSON}/diagrams").iterdir()]
    for student, result in attacked.results.items():
        expected |= {
            f"records/{LESSON}/{student}.json",
            f"history/{LESSON}/{student}.jsonl",
            f"feedback/{student}/{LESSON}/{LESSON}.html",
        }
        if result["status"] != "failed":
            expected.add(f"autograded/{student}/{LESSON}/{LESSON}.ipynb")
            expected |= {f"autograded/{student}/{LESSON}/diagrams/{name}" for name in diagrams}
    found = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    kept = {path for path in found if path.startswith("keys/")}
    assert {path for path in found if not path.startswith("submitted/")} - kept == expected
    exercises = {definition.id for definition in of_lesson(LESSON)}
    assert {path.split("/")[1].rpartition("-")[0] for path in kept} == exercises
    assert (folder / "keys").stat().st_mode & 0o077 == 0, "hidden questions are readable by their owner only"


# the grader is killed in the middle


@pytest.mark.slow
def test_a_killed_grader_leaves_no_process_and_a_rerun_gives_the_same_grades(
    course: Course, released: Any, tmp_path: Path
) -> None:
    require("bwrap")
    root = copy_course(course, tmp_path / "killed")
    students = ("right", "stub")
    for name in students:
        write(root / "class/submitted", name, hand_in(Student(name, right=name == "right"), released).encode())
    slow = "import time; time.sleep(2)"  # a cell may wait for 3 s
    write(root / "class/submitted", "slow", hand_in(Student("slow", before=slow), released).encode())
    (root / "class/secret.key").write_bytes(b"one secret for all runs")
    command = [sys.executable, "-m", "course_lib.app", "grade", "03", "--submissions", "class/submitted"]
    command += ["--workers", "1", "--json", "results.json"]
    grader = subprocess.Popen(command, cwd=root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    first = root / f"class/records/{LESSON}/right.json"
    give_up = time.monotonic() + 300
    while not first.exists() and grader.poll() is None and time.monotonic() < give_up:
        time.sleep(0.02)
    time.sleep(0.3)  # the slow one runs
    assert grader.poll() is None, "it is killed in the middle"
    written = first.stat().st_mtime_ns
    started = set(descendants(grader.pid))
    assert started
    os.kill(grader.pid, signal.SIGKILL)
    grader.wait()
    while any(Path(f"/proc/{pid}").exists() for pid in started):
        assert time.monotonic() < give_up, "its processes end with it"
        time.sleep(0.02)

    scores = []
    for folder in ("class", "fresh"):
        (root / folder).mkdir(exist_ok=True)
        (root / folder / "secret.key").write_bytes(b"one secret for all runs")
        arguments = ("--submissions", "class/submitted", "--class", folder, "--json", f"{folder}.json")
        assert run_course(root, "grade", "03", *arguments).code == 0
        assert run_course(root, "feedback", "03", "--class", folder).code == 0
        records = json.loads((root / f"{folder}.json").read_text())
        scores.append({r["student"]: (r["score"], r["status"], r["reason"], str(r["exercises"])) for r in records})
        assert len(list((root / folder / "records" / LESSON).glob("*.json"))) == len(students) + 1
    assert scores[0] == scores[1]
    assert scores[0]["right"][:2] == (POINTS, "graded")
    assert first.stat().st_mtime_ns == written, "who was graded before the end is not graded again"
