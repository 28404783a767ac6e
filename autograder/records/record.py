"""What is known of one graded submission: what the grader found, and the points that the gradebook has for it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

from autograder.records.hand_in_time import late_by
from course_lib.checking.formatting import number

if TYPE_CHECKING:
    from course_lib.running.outcome import Status


class ExerciseRecord(TypedDict):
    """One exercise of a submission.

    Attributes:
        sentences: the misconception and the broken laws in words, by name, so that a report need not look them up.
    """

    score: float
    max_score: float
    misconception: str | None
    broken_laws: list[str]
    sentences: dict[str, str]
    carried: list[str] | None
    error: str | None


class Record(TypedDict):
    """One submission, as records and ``--json`` have it.

    On disk the points are the grader's own; wherever a person reads them, they are the gradebook's (`with_standing`).

    Attributes:
        reason: why it was stopped or failed; empty where the status is graded.
        score: None where nobody has given any points.
        late: how many points it has lost for being late.
        asked: whether the student's code has been asked hidden questions, by this grading or an earlier one.
        courses_fault: whether the course, not what was handed in, is why it failed.
        waiting: nbgrader's names of the written answers that wait for a person in formgrader.
        to_review: how many scores, given by a person, wait in formgrader for that person to confirm or change them.
        above_maximum: how many of these are above what their exercise is worth now; the others were given for answers
            that have changed.
        answers: a digest of each answer, by nbgrader's name of the graded cell, see `autograder.records.answers`.
        scored: for each score that waits because its answer has changed, the answer that it was given for.
        decision: what a person decided about a submission that cannot be graded; empty on disk.
        kept: why this is the grade of an earlier file or run; empty where it is the last one's.
        look: what may have cost right code its points, such as a package that the grader lacks.
        time_note: what is doubtful about when it was handed in; where a person reads it, also how late it was.
        file: a digest of the file that was graded; empty if none was, or if an earlier version wrote the record.
        digest: of all that the grade follows from, of the course and of the file with a dash between them; empty where
            grading it again may come to something else.
    """

    student: str
    lesson: str
    status: Status
    reason: str
    courses_fault: bool
    asked: bool
    score: float | None
    late: float
    max_score: float
    waiting: list[str]
    to_review: int
    above_maximum: int
    answers: dict[str, str]
    scored: dict[str, str]
    decision: str
    kept: str
    exercises: dict[str, ExerciseRecord]
    notes: list[str]
    look: list[str]
    sandboxed: bool
    time_note: str
    file: str
    digest: str


@dataclass(frozen=True)
class Standing:
    """One submission as the gradebook has it.

    Attributes:
        score: the sum, less what it loses for being late.
        late: how much that is.
        exercises: the points by exercise id.
        seconds_late: how late it was handed in.
        by_person: nbgrader's names of the cells whose points a person gave.
    """

    score: float
    late: float
    max_score: float
    exercises: dict[str, float]
    waiting: list[str]
    to_review: int
    above_maximum: int
    seconds_late: float
    by_person: frozenset[str]


def with_standing(record: Record, standing: Standing | None) -> Record:
    """The record with the gradebook's points, a person's among them."""
    record = record.copy()
    if standing is None:  # no points stand anywhere
        record["score"] = None
        return record
    failed = record["status"] == "failed"
    record["score"] = None if failed and not standing.by_person else standing.score
    record["late"] = 0.0 if failed and not standing.by_person else standing.late
    record["time_note"] = "; ".join(filter(None, [late_by(standing.seconds_late), record["time_note"]]))
    record["max_score"] = standing.max_score
    record["waiting"] = [] if failed else standing.waiting
    record["to_review"], record["above_maximum"] = standing.to_review, standing.above_maximum
    record["exercises"] = {name: exercise.copy() for name, exercise in record["exercises"].items()}
    for name, exercise in record["exercises"].items():
        exercise["score"] = standing.exercises.get(name, exercise["score"])
    return record


def file_of(record: Record) -> str:
    """The digest of the file that a record is about; earlier versions had it only in the grade's digest."""
    return record["file"] or record["digest"].rpartition("-")[2]


def not_final(record: Record) -> Record:
    """The record of a grade that may be given again."""
    return {**record, "file": file_of(record), "digest": ""}


def in_place_of(failed: Record, earlier: Record) -> Record:
    """An earlier record that stays, because a later file or run could not be graded; it may be tried again."""
    return {**not_final(earlier), "kept": failed["reason"]}


def waits(records: Iterable[Record]) -> str:
    """What waits for a person in formgrader, in words; empty where nothing does."""
    records = list(records)
    found = []
    if written := sum(len(record["waiting"]) for record in records):
        found.append(f"{written} written answer{'' if written == 1 else 's'}")
    above = sum(record["above_maximum"] for record in records)
    if changed := sum(record["to_review"] for record in records) - above:
        found.append(
            "1 score given by hand for an answer that has changed"
            if changed == 1
            else f"{changed} scores given by hand for answers that have changed"
        )
    if above:
        found.append(
            "1 score given by hand that is above its maximum"
            if above == 1
            else f"{above} scores given by hand that are above their maximum"
        )
    if not found:
        return ""
    return f"{' and '.join(found)} {'waits' if written + changed + above == 1 else 'wait'} in formgrader"


def lateness(late: float) -> str:
    """How many points a submission has lost for being late, in words; empty where it has lost none."""
    return f"late: {number(late)} point{'' if late == 1 else 's'} less" if late else ""


def has_all_points(record: Record) -> bool:
    """Whether nothing is missing, by whoever gave the points."""
    return record["score"] is not None and record["score"] >= record["max_score"]


def points(score: float | None, most: float) -> str:
    """``"7.5 / 13"``, or ``"–"`` where nothing was graded."""
    return "–" if score is None else f"{number(score)} / {number(most)}"
