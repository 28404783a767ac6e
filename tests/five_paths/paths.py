"""The five paths: a class whose students have handed in, and what each path says about their notebooks."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook
from odd_notebooks.entry import Odd
from odd_notebooks.notebook import plain, solved

PATHS = ("cards", "check", "grade", "collect", "nbgrader")
_HERE = Path(__file__).parent


@dataclass(frozen=True)
class Seen:
    """What one path says about a notebook.

    Attributes:
        points: the points by exercise; empty if the path gave none.
        waiting: the written questions that wait for a person.
        says: the reason why the path gave no points or stopped.
    """

    points: Mapping[str, float] = field(default_factory=dict)
    waiting: tuple[str, ...] = ()
    says: str = ""

    @property
    def score(self) -> float | None:
        return round(sum(self.points.values()), 6) if self.points else None


@dataclass(frozen=True)
class Class:
    """The course folder in which every notebook of the bank is handed in, with `written.grading` set to "hand"."""

    root: Path
    entries: Sequence[Odd]

    @property
    def lessons(self) -> list[str]:
        return sorted({entry.lesson for entry in self.entries})

    def of(self, lesson: str) -> list[Odd]:
        return [entry for entry in self.entries if entry.lesson == lesson]

    def released(self, lesson: str) -> Path:
        return self.root / "notebooks" / lesson / f"{lesson}.ipynb"

    def home(self, entry: Odd) -> Path:
        """The student's own copy: the file that they check and that doctor looks at."""
        return self.root / "home" / entry.name / (entry.file or f"{entry.lesson}.ipynb")

    def hand_in(self) -> None:
        """Write every notebook three times: at home, as nbgrader collects it, and as a download."""
        number = 0
        for lesson in self.lessons:
            released = json.loads(self.released(lesson).read_text(encoding="utf-8"))
            solutions = json.loads((self.root / "solutions" / lesson / f"{lesson}.ipynb").read_text(encoding="utf-8"))
            for entry in self.of(lesson):
                data = entry.made(solved(released, plain(solutions)))
                name = entry.file or f"{lesson}.ipynb"
                places = (
                    self.home(entry),
                    self.root / "class/submitted" / entry.name / lesson / name,
                    self.root / "downloads" / lesson / self.download(entry, name, number),
                )
                for path in places:
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(data)
                number += 1
        with (self.root / "students.csv").open("w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(("id", "first_name", "last_name", "lms_user_id"))
            rows.writerows((e.name, _first(e), "Odd", 1000 + i) for i, e in enumerate(self.entries))

    def download(self, entry: Odd, name: str, number: int) -> str:
        """Return the name of the downloaded file, in the style of nbgrader, Canvas and Moodle in turn."""
        canvas = (
            f"odd{_first(entry).replace(' ', '').lower()}_{1000 + self.entries.index(entry)}_{9000 + number}_{name}"
        )
        moodle = f"{_first(entry)} Odd_{500 + number}_assignsubmission_file_/{name}"
        return (f"{entry.name}/{entry.lesson}/{name}", canvas, moodle)[number % 3]

    def jobs(self) -> Path:
        """Write the jobs file that `kernel`, `course_check` and `doctors` read."""
        jobs = []
        for entry in self.entries:
            folder = self.root / "ran" / entry.name
            folder.mkdir(parents=True, exist_ok=True)
            jobs.append({
                "name": entry.name, "lesson": entry.lesson, "path": str(self.home(entry)),
                "folder": str(folder), "released": str(self.released(entry.lesson)),
            })  # fmt: skip
        path = self.root / "jobs.json"
        path.write_text(json.dumps(jobs), encoding="utf-8")
        return path

    def run(self, *command: str) -> str:
        """Run a Python module or script in the course folder, and return what it printed."""
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        environment = {**os.environ, "PATH": path, "OMP_NUM_THREADS": "1", "COLUMNS": "200"}
        done = subprocess.run(
            [sys.executable, *command], cwd=self.root, env=environment, capture_output=True, text=True, check=False
        )
        (self.root / f"said-{'-'.join(c.rpartition('/')[2] for c in command[:4])}.txt").write_text(
            done.stdout + done.stderr
        )
        return done.stdout + done.stderr

    def through_all(self) -> dict[str, dict[str, Seen]]:
        """Run all paths, two processes at a time, and return their findings by path and entry."""
        jobs = str(self.jobs())
        with ThreadPoolExecutor(2) as lanes:
            graders = [lanes.submit(self._grade, lesson) for lesson in self.lessons]
            collected = [lanes.submit(self._collect, lesson) for lesson in self.lessons]
            by_nbgrader = [lanes.submit(self._autograde, lesson) for lesson in self.lessons]
            cards = lanes.submit(self._script, "kernel.py", jobs)
            checked = lanes.submit(self._script, "course_check.py", jobs)
            return {
                "cards": {n: _by_cards(said) for n, said in cards.result().items()},
                "check": {n: _by_check(said) for n, said in checked.result().items()},
                "grade": _joined(one.result() for one in graders),
                "collect": _joined(one.result() for one in collected),
                "nbgrader": _joined(one.result() for one in by_nbgrader),
            }

    def _script(self, name: str, jobs: str) -> dict[str, Any]:
        results = self.root / f"{name}.json"
        said = self.run(str(_HERE / name), jobs, str(results))
        assert results.is_file(), said
        found: dict[str, Any] = json.loads(results.read_text(encoding="utf-8"))
        return found

    def _grade(self, lesson: str) -> dict[str, Seen]:
        return self._graded(lesson, "graded", "--submissions", "class/submitted")

    def _collect(self, lesson: str) -> dict[str, Seen]:
        self.run(
            "-m",
            "course_lib.app",
            "collect",
            lesson,
            f"downloads/{lesson}",
            "--roster",
            "students.csv",
            "--class",
            "collected",
        )
        return self._graded(lesson, "collected")

    def _graded(self, lesson: str, folder: str, *more: str) -> dict[str, Seen]:
        results = self.root / f"{folder}-{lesson}.json"
        said = self.run(
            "-m", "course_lib.app", "grade", lesson, "--class", folder, "--workers", "1", "--json", str(results), *more
        )
        assert results.is_file(), said
        return {one["student"]: _by_record(one) for one in json.loads(results.read_text(encoding="utf-8"))}

    def _autograde(self, lesson: str) -> dict[str, Seen]:
        said = self.run("-m", "nbgrader", "autograde", lesson, "--create")
        found = {}
        with Gradebook(f"sqlite:///{self.root}/class/gradebook.db") as book:
            for submission in book.assignment_submissions(lesson):
                grades = [grade for notebook in submission.notebooks for grade in notebook.grades]
                points = {g.name.removeprefix("check-"): g.score for g in grades if g.name.startswith("check-")}
                written = sorted(g.name for g in grades if g.name.startswith("written-") and g.needs_manual_grade)
                if any(grade.auto_score is not None for grade in grades):
                    waiting = tuple(name.removeprefix("written-") for name in written)
                    found[submission.student.id] = Seen(points, waiting)
        for entry in self.of(lesson):
            found.setdefault(entry.name, Seen(says=_lines_about(said, entry.name)))
        return found

    def doctor(self) -> dict[str, str]:
        """Return what `course doctor` says about each notebook."""
        said = self._script("doctors.py", str(self.jobs()))
        return {name: " ".join(text.split()) if "\n" not in text else text for name, text in said.items()}

    def feedback(self, lesson: str) -> None:
        """Write the feedback pages for everything that `course grade` has graded."""
        self.run("-m", "course_lib.app", "feedback", lesson, "--class", "graded")

    def page(self, entry: Odd) -> str:
        path = self.root / "graded/feedback" / entry.name / entry.lesson / f"{entry.lesson}.html"
        return path.read_text(encoding="utf-8") if path.is_file() else ""


def _first(entry: Odd) -> str:
    return entry.name.replace("_", " ").title()


def _by_cards(said: dict[str, Any]) -> Seen:
    return Seen(says=str(said)) if "died" in said else Seen(said)


def _by_check(said: dict[str, Any]) -> Seen:
    if "refused" in said:
        return Seen(says=said["refused"])
    return Seen({name: one["score"] for name, one in said["exercises"].items()}, says=said["reason"])


def _by_record(record: dict[str, Any]) -> Seen:
    if record["score"] is None:
        return Seen(says=record["reason"])
    points = {name: one["score"] for name, one in record["exercises"].items()}
    return Seen(points, tuple(name.removeprefix("written-") for name in record["waiting"]), record["reason"])


def _joined(found: Iterable[Mapping[str, Seen]]) -> dict[str, Seen]:
    return {name: seen for one in found for name, seen in one.items()}


def _lines_about(said: str, name: str) -> str:
    return " ".join(line for line in said.splitlines() if name in line)[:300]
