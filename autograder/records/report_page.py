"""Render the class report as a page for the instructor, as CSV and as JSON."""

from __future__ import annotations

import csv
import io
import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

from autograder.class_folder.next_command import COURSES_OWN, ClassOptions
from autograder.class_folder.spreadsheet import harmless
from autograder.gradebook.parts import Parts
from autograder.records.decisions import is_replaced
from autograder.records.overall import Mark
from autograder.records.record import Record, points, waits
from autograder.records.report import Cell, class_report
from autograder.records.report_everyone import Everyone, Row, everyone
from course_lib.checking.formatting import number
from course_lib.checking.html import render


@dataclass(frozen=True)
class LessonTrend:
    """One lesson in the comparison of all lessons of the class.

    Attributes:
        students: the number of submissions with points.
        share: the mean share of the points, from 0 to 1.
    """

    lesson: str
    students: int
    share: float


@dataclass(frozen=True)
class ClassOfLesson:
    """Everything that is reported about a lesson.

    Attributes:
        absent: the students of the class who handed nothing in.
        trend: the lessons graded so far, in order.
        graded_by: the version and the policy, one line each.
        anonymous: whether numbers replace the students' names. Absent students are then only counted.
        parts: the points of every part, from the gradebook.
        written: nbgrader's names of the written questions that are worth points, in order.
        names: the students' names by id.
        marks: the overall mark of each student, if more than one lesson has been graded.
        marks_by: how the marks are made, in words.
        options: the options that selected the class.
    """

    lesson: str
    records: Sequence[Record]
    absent: Sequence[str] = ()
    trend: Sequence[LessonTrend] = ()
    graded_by: Sequence[str] = ()
    anonymous: bool = False
    parts: Parts = field(default_factory=dict)
    written: Sequence[str] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    marks: Mapping[str, Mark] = field(default_factory=dict)
    marks_by: str = ""
    options: ClassOptions = COURSES_OWN

    def without_names(self) -> ClassOfLesson:
        """Return a copy with a random number for each student, which can be shown to the class."""
        shuffled = Random().sample(list(self.records), len(self.records))
        numbers = {record["student"]: f"student {number}" for number, record in enumerate(shuffled, start=1)}
        renamed = [{**record, "student": numbers[record["student"]]} for record in shuffled]
        parts = {numbers[student]: theirs for student, theirs in self.parts.items() if student in numbers}
        return replace(self, records=renamed, parts=parts, names={}, marks={}, anonymous=True)  # type: ignore[arg-type]

    @cached_property
    def everyone(self) -> Everyone:
        """Return the table with a row for each student."""
        return everyone(self.records, self.parts, self.written)

    def called(self, student: str) -> str:
        """Return a student's name and id, or only the id if the name is unknown."""
        name = self.names.get(student, "")
        return f"{name} ({student})" if name else student

    @property
    def scores(self) -> list[float]:
        """Return the points of all students who have some."""
        return [record["score"] for record in self.records if record["score"] is not None]

    def as_json(self) -> dict[str, Any]:
        """Return the report as an object for JSON."""
        exercises = []
        for exercise in class_report(self.records):
            found = asdict(exercise)
            found["misconceptions"] = [
                {"name": name, "sentence": sentence, "students": students}
                for name, sentence, students in exercise.misconceptions
            ]
            found["errors"] = [{"error": error, "students": students} for error, students in exercise.errors]
            found["broken"] = [{"law": check, "students": count} for check, count in exercise.broken]
            exercises.append(found)
        return {
            "lesson": self.lesson,
            "handed_in": len(self.records),
            "scores": sorted(self.scores),
            "late": {record["student"]: record["late"] for record in self.records if record["late"]},
            "max_score": max((record["max_score"] for record in self.records), default=0.0),
            "waiting": waits(self.records),
            "absent": len(self.absent) if self.anonymous else list(self.absent),
            "exercises": exercises,
            "written": [{**asdict(one), "title": one.title} for one in self.everyone.columns if one.written],
            "marks": {student: asdict(mark) for student, mark in self.marks.items()},
            "lessons": [asdict(one) for one in self.trend],
        }

    def as_csv(self) -> str:
        """Return CSV with a row for each student: the sum, each part's points and result, and the late deduction."""
        out = io.StringIO()
        rows = csv.writer(out, lineterminator="\n")
        columns = (f"{column.name}{what}" for column in self.everyone.columns for what in ("", ": found"))
        rows.writerow(["student", "name", "status", "points", "of", *columns, "late"])
        for row in self.everyone.rows:
            record = row.record
            score = "" if record["score"] is None else number(record["score"])
            about = (harmless(record["student"]), harmless(self.names.get(record["student"], "")), _status(row))
            cells = [said for cell in row.cells for said in _in_csv(cell)]
            rows.writerow([*about, score, number(record["max_score"]), *cells, number(row.late)])
        return out.getvalue()

    def page(self, feedback: Callable[[str], str] = lambda student: "") -> str:
        """Render a self-contained page.

        Args:
            feedback: returns the relative link to a student's feedback page, or an empty string if there is none.
        """
        most = max((record["max_score"] for record in self.records), default=0.0)
        return render(
            Path(__file__).with_name("report.html"),
            lesson=self.lesson,
            handed_in=len(self.records),
            graded=sum(record["status"] != "failed" for record in self.records),
            mean=statistics.fmean(self.scores) if self.scores else 0.0,
            quartiles=statistics.quantiles(self.scores, method="inclusive") if len(self.scores) > 1 else None,
            most=most,
            waiting=waits(self.records),
            absent="" if self.anonymous else ", ".join(map(self.called, self.absent)),
            absent_count=len(self.absent),
            histogram=list(_histogram(self.scores, most)),
            exercises=class_report(self.records),
            written=[column for column in self.everyone.columns if column.written],
            failed=[record for record in self.records if record["status"] != "graded"],
            everyone=self.everyone,
            names=self.names,
            called=self.called,
            feedback=(lambda student: "") if self.anonymous else feedback,
            points=points,
            trend=self.trend,
            marks=self.marks,
            marks_by=self.marks_by,
            decide=self.options.command(f"decide STUDENT {self.lesson} --points N"),
            graded_by=self.graded_by,
            unsandboxed=sum(not record["sandboxed"] for record in self.records),
            made=datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %Z"),
        )


def _status(row: Row) -> str:
    """Return the status of a submission, and whether its points may still change."""
    record = row.record
    if row.undecided:
        return "needs a decision"
    if is_replaced(record):
        return record["decision"]
    open_still = (("waits for a grader", row.waits), ("needs a look", row.needs_a_look))
    return ", ".join([record["status"], *(what for what, still in open_still if still)])


def _in_csv(cell: Cell | None) -> tuple[str, str]:
    """Return the points and the result of a cell, without points if a person has yet to give them."""
    if cell is None:
        return "", ""
    said = cell.says if cell.kind == "waits" and cell.says else f"{cell.kind} {cell.says}".strip()
    return "" if cell.without_points else number(cell.score), said


def _histogram(scores: Sequence[float], most: float) -> Iterator[tuple[str, int, float]]:
    """Yield a row for each number of points: its label, its number of students, and the bar's relative length."""
    bins = Counter(int(score) for score in scores)
    top = max(bins.values(), default=1)
    for value in range(int(most), -1, -1):
        count = bins.get(value, 0)
        yield f"{value}" if value == int(most) else f"{value} – {value + 1}", count, count / top
