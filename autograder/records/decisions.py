"""Read and write ``decisions.csv``, the instructor's decisions about submissions.

Each row names a student, a lesson and a decision, which applies as long as its cause does. Deleting the row revokes it.

- A submission that cannot be graded has a number of points, or counts as ``not handed in``, until a file comes that can
  be graded.
- A submission that was graded, but with doubts about when or whether it was handed in, is ``accepted`` as it is. A
  draft may also count as ``not handed in``.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.class_folder.spreadsheet import harmless
from autograder.class_folder.writing import write_whole
from autograder.gradebook.lesson_grades import LessonGrade, LessonGrades
from autograder.records.archive import Archive
from autograder.records.record import Record
from autograder.submissions.hand_in import IS_DRAFT
from course_lib.checking.formatting import number
from course_lib.course import CourseError

NOT_HANDED_IN, ACCEPTED = "not handed in", "accepted"
_COLUMNS = ("student", "lesson", "decision", "reason")


@dataclass(frozen=True)
class Decision:
    """A decision about one submission.

    Attributes:
        points: the points for the submission, or None if it has its own, or counts as not handed in.
        reason: the instructor's reason.
        accepted: whether a submission that was graded counts as it is, in spite of the doubts about it.
    """

    points: float | None
    reason: str = ""
    accepted: bool = False

    @property
    def cell(self) -> str:
        """Return the decision as the file has it."""
        return ACCEPTED if self.accepted else NOT_HANDED_IN if self.points is None else number(self.points)

    def __str__(self) -> str:
        """Return the decision in words."""
        said = self.cell if self.points is None else f"{self.cell} points"
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
                f"{path}, line {line}: a row needs a student, a lesson and a decision, which is a number of points, "
                f"{NOT_HANDED_IN!r} or {ACCEPTED!r}. The columns are {', '.join(_COLUMNS)}."
            )
        found[said["student"].removeprefix("'"), said["lesson"]] = decision
    return found


def _decision(said: str, reason: str) -> Decision | None:
    """Parse the decision in a row. Return None if there is none."""
    if said.casefold().replace("-", " ") == NOT_HANDED_IN:
        return Decision(None, reason)
    if said.casefold() == ACCEPTED:
        return Decision(None, reason, accepted=True)
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
        writer.writerow((harmless(name), of, one.cell, harmless(one.reason)))
    write_whole(decisions_file(archive), out.getvalue())


def needs_decision(record: Record) -> bool:
    """Return whether a submission cannot be graded, so that the instructor has to decide about it."""
    return record["status"] == "failed"


def applies(decision: Decision, record: Record) -> bool:
    """Return whether a decision is about the submission as it is now."""
    if needs_decision(record):
        return not decision.accepted
    if decision.accepted:
        return bool(record["doubts"])
    return decision.points is None and IS_DRAFT in record["doubts"]


def with_decision(record: Record, decisions: Decisions) -> Record:
    """Return the record with the instructor's decision about it, if there is one that applies."""
    decision = decisions.get((record["student"], record["lesson"]))
    if decision is None or not applies(decision, record):
        return record
    record = record.copy()
    record["decision"], record["doubts"] = str(decision), []
    if not decision.accepted:
        record["score"], record["late"], record["waiting"], record["to_review"] = decision.points, 0.0, [], 0
        record["above_maximum"], record["exercises"] = 0, {}
    return record


def decided(book: LessonGrades, archive: Archive) -> LessonGrades:
    """Apply the instructor's decisions to the grades.

    Leave out what counts as not handed in. Give the reason for each submission that still needs a decision, and the
    doubts about the others.

    Raises:
        CourseError: the decisions or a record cannot be read.
    """
    decisions, grades = read_decisions(archive), dict[str, dict[str, LessonGrade]]()
    for lesson, theirs in book.grades.items():
        grades[lesson] = dict(theirs)
        for record in archive.records(lesson):
            student = record["student"]
            if grade := theirs.get(student):
                found = _decided(grade, record, decisions.get((student, lesson)))
                if found is None:
                    del grades[lesson][student]
                else:
                    grades[lesson][student] = found
    return replace(book, grades=grades)


def _decided(grade: LessonGrade, record: Record, decision: Decision | None) -> LessonGrade | None:
    """Return a grade after a decision, or None if the submission counts as not handed in."""
    if decision is None or not applies(decision, record):
        if needs_decision(record):
            return replace(grade, ungraded=0, undecided=record["reason"])
        return replace(grade, doubts=tuple(record["doubts"]))
    if decision.accepted:
        return grade
    points = decision.points
    return None if points is None else replace(grade, score=points, raw=points, penalty=0.0, ungraded=0)
