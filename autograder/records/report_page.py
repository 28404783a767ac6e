"""The class report as a page for the instructor, and as a table of numbers."""

from __future__ import annotations

import csv
import io
import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Any

from autograder.records.record import Record, lateness, points, waits
from autograder.records.report import Cell, class_report
from autograder.records.spreadsheet import harmless
from course_lib.checking.formatting import number
from course_lib.checking.html import render


@dataclass(frozen=True)
class LessonTrend:
    """A lesson of the class, beside the others.

    Attributes:
        students: how many submissions have points.
        share: the mean share of the points, from 0 to 1.
    """

    lesson: str
    students: int
    share: float


@dataclass(frozen=True)
class ClassOfLesson:
    """All that is reported of a lesson.

    Attributes:
        absent: students of the class who handed nothing in.
        trend: the lessons graded so far, in order.
        graded_by: the version and the policy, a line each.
        anonymous: whether names are numbers: who an absent student is, is then not said at all.
    """

    lesson: str
    records: Sequence[Record]
    absent: Sequence[str] = ()
    trend: Sequence[LessonTrend] = ()
    graded_by: Sequence[str] = ()
    anonymous: bool = False

    def without_names(self) -> ClassOfLesson:
        """The same, with a number for each student that says nothing about who it is: for a projector."""
        shuffled = Random().sample(list(self.records), len(self.records))
        renamed = [{**record, "student": f"student {number}"} for number, record in enumerate(shuffled, start=1)]
        return replace(self, records=renamed, anonymous=True)  # type: ignore[arg-type]

    @property
    def scores(self) -> list[float]:
        """The points of all who have some."""
        return [record["score"] for record in self.records if record["score"] is not None]

    def as_json(self) -> dict[str, Any]:
        """For a program that asks."""
        exercises = []
        for exercise in class_report(self.records):
            found = asdict(exercise)
            found["misconceptions"] = [
                {"name": name, "sentence": sentence, "students": students}
                for name, sentence, students in exercise.misconceptions
            ]
            found["errors"] = [{"error": error, "students": students} for error, students in exercise.errors]
            found["broken"] = [{"law": law, "students": count} for law, count in exercise.broken]
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
            "lessons": [asdict(one) for one in self.trend],
        }

    def as_csv(self) -> str:
        """A row for each student: points, what being late cost, and for each exercise its points and what was found."""
        names = [exercise.exercise_id for exercise in class_report(self.records)]
        out = io.StringIO()
        rows = csv.writer(out, lineterminator="\n")
        columns = (f"{name}{what}" for name in names for what in ("", ": found"))
        rows.writerow(["student", "status", "points", "of", "late", *columns])
        for record in self.records:
            score = "" if record["score"] is None else number(record["score"])
            most, late = number(record["max_score"]), number(record["late"])
            row = [harmless(record["student"]), record["status"], score, most, late]
            for name in names:
                result = record["exercises"].get(name)
                cell = Cell.of(result) if result and record["status"] != "failed" else None
                row += [number(cell.score), f"{cell.kind} {cell.says}".strip()] if cell else ["", ""]
            rows.writerow(row)
        return out.getvalue()

    def page(self, feedback: Callable[[str], str] = lambda student: "") -> str:
        """A page that needs nothing else.

        Args:
            feedback: where the page of a student lies, seen from this one; empty where there is none.
        """
        most = max((record["max_score"] for record in self.records), default=0.0)
        exercises = class_report(self.records)
        names = [exercise.exercise_id for exercise in exercises]
        return render(
            Path(__file__).with_name("report.html"),
            lesson=self.lesson,
            handed_in=len(self.records),
            graded=sum(record["status"] != "failed" for record in self.records),
            mean=statistics.fmean(self.scores) if self.scores else 0.0,
            quartiles=statistics.quantiles(self.scores, method="inclusive") if len(self.scores) > 1 else None,
            most=most,
            waiting=waits(self.records),
            absent="" if self.anonymous else ", ".join(self.absent),
            absent_count=len(self.absent),
            histogram=list(_histogram(self.scores, most)),
            exercises=exercises,
            failed=[record for record in self.records if record["status"] != "graded"],
            everyone=[
                (
                    record["student"],
                    "" if self.anonymous else feedback(record["student"]),
                    points(record["score"], record["max_score"]),
                    _cells(record, names),
                    _notes(record),
                )
                for record in self.records
            ],
            trend=self.trend,
            graded_by=self.graded_by,
            unsandboxed=sum(not record["sandboxed"] for record in self.records),
            made=datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %Z"),
        )


def _cells(record: Record, names: Sequence[str]) -> list[Cell | None]:
    """An exercise each; None where there is no result."""
    if record["status"] == "failed":
        return [None] * len(names)
    return [Cell.of(found) if (found := record["exercises"].get(name)) else None for name in names]


def _notes(record: Record) -> str:
    kept = record["kept"] and f"the grade of an earlier file; the last one could not be graded: {record['kept']}"
    return "; ".join(
        filter(None, [record["reason"], kept, lateness(record["late"]), *record["notes"], waits([record])])
    )


def _histogram(scores: Sequence[float], most: float) -> Iterator[tuple[str, int, float]]:
    """A row for each number of points: its label, how many students have so many, and their share of the most."""
    bins = Counter(int(score) for score in scores)
    top = max(bins.values(), default=1)
    for value in range(int(most), -1, -1):
        count = bins.get(value, 0)
        yield f"{value}" if value == int(most) else f"{value} – {value + 1}", count, count / top
