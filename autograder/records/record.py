"""Describe one graded submission: the grader's result, and the points in the gradebook."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TypedDict

from autograder.gradebook.points import SubmissionPoints
from autograder.submissions.hand_in import late_by
from course_lib.checking.formatting import number

if TYPE_CHECKING:
    from course_lib.running.outcome import Status


#: how the doubt about a late file begins that earns less than the one it replaced
EARNS_LESS = "handed in late in place of an earlier file that earned more"


class ExerciseRecord(TypedDict):
    """The result of one exercise of a submission.

    Attributes:
        sentences: the misconception and the broken checks in words, by name, so that a report needn't look them up.
    """

    score: float
    max_score: float
    misconception: str | None
    broken_laws: list[str]
    sentences: dict[str, str]
    carried: list[str] | None
    error: str | None


class Earlier(TypedDict):
    """The best grade of the files that a later file replaced.

    Attributes:
        file: the digest of that file.
        score: its points after its late penalty, when it was replaced.
    """

    file: str
    score: float


class Record(TypedDict):
    """The result of one submission, as records and ``--json`` contain it.

    On disk, the points are the grader's own. Everything shown to a person uses the gradebook's (`with_points`).

    Attributes:
        reason: why the submission was stopped or failed, or empty if its status is graded.
        score: the points, or None if there are none.
        late: the late penalty in points.
        asked: whether this grading or an earlier one has asked the student's code hidden questions.
        courses_fault: whether the failure is the course's fault and not the submission's.
        waiting: nbgrader's names of the written answers that wait for a person in formgrader.
        to_review: the number of manual scores that wait for a person to confirm or change them in formgrader.
        above_maximum: how many of these scores are above the exercise's new maximum. The others wait because their
            answers have changed.
        answers: a digest of each answer, by nbgrader's name of the graded cell, see `autograder.records.answers`.
        scored: the answer that each score was given for, for the scores that wait because their answer has changed.
        decision: the instructor's decision about a submission that cannot be graded or is in doubt; empty on disk.
        earlier: the best grade of the files that this one replaced, or None.
        kept: why this is the grade of an earlier file or run, or empty if it is the last one's.
        look: what may have cost correct code its points, such as a package that the grader lacks. A sentence about one
            exercise begins with its id.
        unseen: code that ran although it is in no cell, with the name of its file; for `course integrity`.
        doubts: the doubts about when and whether it was handed in, until the instructor accepts them.
        time_note: how late the submission was, in words; empty on disk.
        file: a digest of the graded file, or empty if there is none or an earlier version wrote the record.
        digest: the digests of the course and of the file, joined by a dash; empty if grading again may have another
            result.
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
    earlier: Earlier | None
    kept: str
    exercises: dict[str, ExerciseRecord]
    notes: list[str]
    look: list[str]
    sandboxed: bool
    unseen: dict[str, str]
    doubts: list[str]
    time_note: str
    file: str
    digest: str


def with_points(record: Record, entered: SubmissionPoints | None) -> Record:
    """Return the record with the gradebook's points, including manual scores."""
    record = record.copy()
    if entered is None:  # the gradebook has no points
        record["score"] = None
        return record
    failed = record["status"] == "failed"
    record["score"] = None if failed and not entered.by_person else entered.score
    record["late"] = 0.0 if failed and not entered.by_person else entered.late
    record["time_note"] = late_by(entered.seconds_late)
    record["max_score"] = entered.max_score
    record["waiting"] = [] if failed else entered.waiting
    record["to_review"], record["above_maximum"] = entered.to_review, entered.above_maximum
    record["look"] = list(_open_look(record, entered))
    if doubt := _earns_less(record, entered):
        record["doubts"] = [*record["doubts"], doubt]
    record["exercises"] = {name: exercise.copy() for name, exercise in record["exercises"].items()}
    for name, exercise in record["exercises"].items():
        exercise["score"] = entered.exercises.get(name, exercise["score"])
    return record


def _open_look(record: Record, entered: SubmissionPoints) -> Iterator[str]:
    """Yield what may have cost right code its points, unless a person has given points for all these exercises.

    Args:
        record: with the grader's own points.
    """
    lost = {name for name, exercise in record["exercises"].items() if exercise["score"] < exercise["max_score"]}
    for said in record["look"]:
        concerned = {name for name in lost if said.startswith(f"{name} ")} or lost
        if not entered.by_person.issuperset(f"check-{name}" for name in concerned):
            yield said


def _earns_less(record: Record, entered: SubmissionPoints) -> str:
    """Return the doubt about a late file that earns less than the one it replaced, or an empty string."""
    earlier, now = record["earlier"], entered.score
    if earlier is None or not entered.late or now >= earlier["score"]:
        return ""
    before, most = number(earlier["score"]), number(entered.max_score)
    return f"{EARNS_LESS}: {number(now)} of {most} points after the late penalty, and the earlier file had {before}"


def file_of(record: Record) -> str:
    """Return the digest of a record's file. Earlier versions stored it only in the grade's digest."""
    return record["file"] or record["digest"].rpartition("-")[2]


def not_final(record: Record) -> Record:
    """Return the record without a digest, so that the submission is graded again."""
    return {**record, "file": file_of(record), "digest": ""}


def in_place_of(failed: Record, earlier: Record) -> Record:
    """Keep an earlier record because a later file or run could not be graded. Grading will be tried again."""
    return {**not_final(earlier), "kept": failed["reason"]}


def waits(records: Iterable[Record]) -> str:
    """Describe what waits for a person in formgrader. Return an empty string if nothing does."""
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
    """Describe the late penalty in words. Return an empty string if there is none."""
    return f"late: {number(late)} point{'' if late == 1 else 's'} less" if late else ""


def has_all_points(record: Record) -> bool:
    """Return whether the submission has full points, from the grader or from a person."""
    return record["score"] is not None and record["score"] >= record["max_score"]


def points(score: float | None, most: float) -> str:
    """Format points as ``"7.5 / 13"``, or as ``"–"`` if nothing was graded."""
    return "–" if score is None else f"{number(score)} / {number(most)}"
