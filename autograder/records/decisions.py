"""Read and write ``decisions.csv``, the instructor's decisions about submissions.

Each row names a student, a lesson and a decision, which applies as long as its cause does. Deleting the row revokes it.

- A submission that cannot be graded has a number of points, or counts as ``not handed in``, until a file comes that can
  be graded.
- A submission that was graded, but with doubts about when or whether it was handed in, or about right code that may
  have lost points, is ``accepted`` as it is. A draft may also count as ``not handed in``. ``file`` is the beginning of
  the digest of the accepted file: a later file needs another look at its code.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.class_folder.spreadsheet import harmless
from autograder.class_folder.writing import write_whole
from autograder.gradebook.lesson_grades import LessonGrade, LessonGrades
from autograder.records.archive import Archive
from autograder.records.record import EARNS_LESS, Record, file_of, with_points
from autograder.submissions.hand_in import IS_DRAFT, WHICH_VERSION
from course_lib.checking.formatting import number
from course_lib.course import CourseError

if TYPE_CHECKING:
    from autograder.gradebook.gradebook import Records

NOT_HANDED_IN, ACCEPTED = "not handed in", "accepted"
_COLUMNS = ("student", "lesson", "decision", "reason", "file")
_DIGITS = 16  #: how many digits of a file's digest are written
_NO_FILE = "none"


@dataclass(frozen=True)
class Decision:
    """A decision about one submission.

    Attributes:
        points: the points for the submission, or None if it has its own, or counts as not handed in.
        reason: the instructor's reason.
        accepted: whether a submission that was graded counts as it is, in spite of the doubts about it.
        file: the beginning of the digest of the file that was accepted, empty for any file, or "none" if only when and
            whether it was handed in was accepted.
    """

    points: float | None
    reason: str = ""
    accepted: bool = False
    file: str = ""

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
        decision = _decision(said.get("decision", ""), said.get("reason", ""), said.get("file", ""))
        if not said.get("student") or not said.get("lesson") or decision is None:
            raise CourseError(
                f"{path}, line {line}: a row needs a student, a lesson and a decision, which is a number of points, "
                f"{NOT_HANDED_IN!r} or {ACCEPTED!r}. The columns are {', '.join(_COLUMNS)}."
            )
        found[said["student"].removeprefix("'"), said["lesson"]] = decision
    return found


def _decision(said: str, reason: str, file: str) -> Decision | None:
    """Parse the decision in a row. Return None if there is none."""
    if said.casefold().replace("-", " ") == NOT_HANDED_IN:
        return Decision(None, reason)
    if said.casefold() == ACCEPTED:
        return Decision(None, reason, accepted=True, file=file)
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
        writer.writerow((harmless(name), of, one.cell, harmless(one.reason), one.file))
    write_whole(decisions_file(archive), out.getvalue())


def accept(record: Record, reason: str = "", code: bool = True) -> Decision:
    """Return the decision that a submission counts as it is.

    Args:
        code: whether that includes the doubts about one file. Otherwise only when and whether it was handed in.
    """
    return Decision(None, reason, accepted=True, file=file_of(record)[:_DIGITS] if code else _NO_FILE)


def needs_decision(record: Record) -> bool:
    """Return whether a submission cannot be graded, so that the instructor has to decide about it."""
    return record["status"] == "failed"


def is_open(record: Record) -> bool:
    """Return whether a submission needs a decision or a look, after the decisions that have been made."""
    return (needs_decision(record) and not record["decision"]) or bool(record["doubts"] or record["look"])


def is_replaced(record: Record) -> bool:
    """Return whether a decision counts in place of the points of a submission."""
    return bool(record["decision"]) and (needs_decision(record) or record["score"] is None)


def applies(decision: Decision, record: Record) -> bool:
    """Return whether a decision is about the submission as it is now."""
    if needs_decision(record):
        return not decision.accepted
    if decision.accepted:
        return (record["doubts"], record["look"]) != _unaccepted(decision, record)
    return decision.points is None and IS_DRAFT in record["doubts"]


def _unaccepted(decision: Decision, record: Record) -> tuple[list[str], list[str]]:
    """Return the doubts that remain after a submission was accepted, and what may have cost right code its points.

    A student's later file is accepted only when and as it was handed in.
    """
    if file_of(record).startswith(decision.file):
        return [], []
    return [doubt for doubt in record["doubts"] if doubt.startswith((EARNS_LESS, WHICH_VERSION))], record["look"]


def with_decision(record: Record, decisions: Decisions) -> Record:
    """Return the record with the instructor's decision about it, if there is one that applies."""
    decision = decisions.get((record["student"], record["lesson"]))
    if decision is None or not applies(decision, record):
        return record
    record = record.copy()
    record["decision"] = str(decision)
    if decision.accepted:
        record["doubts"], record["look"] = _unaccepted(decision, record)
    else:
        record["doubts"], record["look"] = [], []
    if not decision.accepted:
        record["score"], record["late"], record["waiting"], record["to_review"] = decision.points, 0.0, [], 0
        record["above_maximum"], record["exercises"] = 0, {}
    return record


def with_current_points(found: Sequence[Record], records: Records) -> list[Record]:
    """Return the records of one lesson, with the gradebook's points if some need a look.

    The points show whether the look is still needed.
    """
    if not any(record["look"] or record["earlier"] for record in found):
        return list(found)
    points = records.submission_points(lesson=found[0]["lesson"])
    return [with_points(record, points.get(record["student"])) for record in found]


def decided(book: LessonGrades, archive: Archive, records: Records) -> LessonGrades:
    """Apply the instructor's decisions to the grades.

    Leave out what counts as not handed in. Give the reason for each submission that still needs a decision, and the
    doubts about the others.

    Args:
        records: the gradebook that the grades are from.

    Raises:
        CourseError: the decisions or a record cannot be read.
    """
    decisions, grades = read_decisions(archive), dict[str, dict[str, LessonGrade]]()
    for lesson, theirs in book.grades.items():
        grades[lesson] = dict(theirs)
        for record in with_current_points(list(archive.records(lesson)), records):
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
        return replace(grade, doubts=tuple(record["doubts"]), look=tuple(record["look"]))
    if decision.accepted:
        doubts, look = _unaccepted(decision, record)
        return replace(grade, doubts=tuple(doubts), look=tuple(look))
    points = decision.points
    return None if points is None else replace(grade, score=points, raw=points, penalty=0.0, ungraded=0)
