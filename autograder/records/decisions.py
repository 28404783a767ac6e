"""What a person decided about submissions that cannot be graded: ``decisions.csv`` in the class's folder.

Each row names a student, a lesson and a decision: a number of points, or ``not handed in``. A decision holds for as
long as the submission cannot be graded; a later file that can be graded takes its place. Deleting a row takes it back.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.records.archive import Archive, write_whole
from autograder.records.lesson_grades import LessonGrade, LessonGrades
from autograder.records.record import Record
from autograder.records.spreadsheet import harmless
from course_lib.checking.formatting import number
from course_lib.course import CourseError

NOT_HANDED_IN = "not handed in"
_COLUMNS = ("student", "lesson", "decision", "reason")


@dataclass(frozen=True)
class Decision:
    """A decision about one submission.

    Attributes:
        points: what it is given; None if it counts as not handed in.
        reason: why, in the person's words.
    """

    points: float | None
    reason: str = ""

    def __str__(self) -> str:
        """The decision in words."""
        said = NOT_HANDED_IN if self.points is None else f"{number(self.points)} points"
        return f"decided: {said}" + (f" ({self.reason})" if self.reason else "")


#: by student and lesson
Decisions = Mapping[tuple[str, str], Decision]


def decisions_file(archive: Archive) -> Path:
    """Where the decisions of a class are."""
    return archive.folder / "decisions.csv"


def read_decisions(archive: Archive) -> dict[tuple[str, str], Decision]:
    """Every decision of a class, in the order of the file.

    Raises:
        CourseError: the file cannot be read, or a row has no student, no lesson or no decision.
    """
    path = decisions_file(archive)
    if not path.is_file():
        return {}
    try:
        text = path.read_text(encoding="utf-8-sig")
        rows = list(csv.DictReader(io.StringIO(text), delimiter=max(",;\t", key=text.partition("\n")[0].count)))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise CourseError(f"{path} cannot be read: {error}. Save it as CSV in UTF-8.") from None
    found = {}
    for line, row in enumerate(rows, start=2):
        said = {
            (name or "").strip(): (value or "").strip() for name, value in row.items() if not isinstance(value, list)
        }
        if not any(said.values()):
            continue
        decision = _decision(said.get("decision", ""), said.get("reason", ""))
        if not said.get("student") or not said.get("lesson") or decision is None:
            raise CourseError(
                f"{path}, line {line}: a row needs a student, a lesson and a decision, which is a number of points or "
                f"{NOT_HANDED_IN!r}. The columns are {', '.join(_COLUMNS)}."
            )
        found[said["student"].removeprefix("'"), said["lesson"]] = decision
    return found


def _decision(said: str, reason: str) -> Decision | None:
    """The decision that a row has; None if it has none."""
    if said.casefold().replace("-", " ") == NOT_HANDED_IN:
        return Decision(None, reason)
    try:
        points = float(said.replace(",", "."))
    except ValueError:
        return None
    return Decision(points, reason) if math.isfinite(points) and points >= 0 else None


def decide(archive: Archive, student: str, lesson: str, decision: Decision | None) -> None:
    """Write a decision, in place of an earlier one; None takes that back.

    Raises:
        CourseError: the file cannot be read or written.
    """
    found = read_decisions(archive)
    found.pop((student, lesson), None)
    if decision:
        found[student, lesson] = decision
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for (name, of), one in found.items():
        said = NOT_HANDED_IN if one.points is None else number(one.points)
        writer.writerow((harmless(name), of, said, harmless(one.reason)))
    write_whole(decisions_file(archive), out.getvalue())


def needs_decision(record: Record) -> bool:
    """Whether a submission cannot be graded, so that a person has to decide what becomes of it."""
    return record["status"] == "failed"


def with_decision(record: Record, decisions: Decisions) -> Record:
    """The record with the points that a person decided on, if it needs a decision and has one."""
    decision = decisions.get((record["student"], record["lesson"]))
    if decision is None or not needs_decision(record):
        return record
    record = record.copy()
    record["decision"] = str(decision)
    record["score"], record["late"], record["waiting"], record["to_review"] = decision.points, 0.0, [], 0
    record["above_maximum"] = 0
    return record


def decided(book: LessonGrades, archive: Archive) -> LessonGrades:
    """The grades with what a person decided about submissions that cannot be graded.

    What counts as not handed in is left out, and what still needs a decision says why.

    Raises:
        CourseError: the decisions or a record cannot be read.
    """
    decisions, grades = read_decisions(archive), dict[str, dict[str, LessonGrade]]()
    for lesson, theirs in book.grades.items():
        grades[lesson] = dict(theirs)
        for record in archive.records(lesson):
            grade = theirs.get(record["student"])
            if grade is None or not needs_decision(record):
                continue
            decision = decisions.get((record["student"], lesson))
            if decision is None:
                grades[lesson][record["student"]] = replace(grade, ungraded=0, undecided=record["reason"])
            elif decision.points is None:
                del grades[lesson][record["student"]]
            else:
                points = decision.points
                grades[lesson][record["student"]] = replace(grade, score=points, raw=points, penalty=0.0, ungraded=0)
    return replace(book, grades=grades)
