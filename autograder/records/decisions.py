"""Read and write ``decisions.csv``, the instructor's decisions about submissions that cannot be graded.

Each row names a student, a lesson and a decision: a number of points, or ``not handed in``. A decision applies as long
as the submission cannot be graded. Handing in a file that can be graded overrides it, and deleting the row revokes it.
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
        points: the points for the submission, or None if it counts as not handed in.
        reason: the instructor's reason.
    """

    points: float | None
    reason: str = ""

    def __str__(self) -> str:
        """Return the decision in words."""
        said = NOT_HANDED_IN if self.points is None else f"{number(self.points)} points"
        return f"decided: {said}" + (f" ({self.reason})" if self.reason else "")


#: decisions by student and lesson
Decisions = Mapping[tuple[str, str], Decision]


def decisions_file(archive: Archive) -> Path:
    """Return the path of a class's decisions."""
    return archive.folder / "decisions.csv"


def read_decisions(archive: Archive) -> dict[tuple[str, str], Decision]:
    """Read every decision of a class, in the order of the file.

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
    """Parse the decision in a row. Return None if there is none."""
    if said.casefold().replace("-", " ") == NOT_HANDED_IN:
        return Decision(None, reason)
    try:
        points = float(said.replace(",", "."))
    except ValueError:
        return None
    return Decision(points, reason) if math.isfinite(points) and points >= 0 else None


def decide(archive: Archive, student: str, lesson: str, decision: Decision | None) -> None:
    """Write a decision in place of an earlier one. None revokes the earlier one.

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
    """Return whether a submission cannot be graded, so that the instructor has to decide about it."""
    return record["status"] == "failed"


def with_decision(record: Record, decisions: Decisions) -> Record:
    """Return the record with the points that the instructor decided on, if it needs a decision and has one."""
    decision = decisions.get((record["student"], record["lesson"]))
    if decision is None or not needs_decision(record):
        return record
    record = record.copy()
    record["decision"] = str(decision)
    record["score"], record["late"], record["waiting"], record["to_review"] = decision.points, 0.0, [], 0
    record["above_maximum"] = 0
    return record


def decided(book: LessonGrades, archive: Archive) -> LessonGrades:
    """Apply the instructor's decisions about submissions that cannot be graded to the grades.

    Leave out what counts as not handed in. Give the reason for each submission that still needs a decision.

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
