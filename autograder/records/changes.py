"""Describe what grading again changes: the student, the exercise, the old and new points, and the reason."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from autograder.first_few import first_few
from autograder.gradebook.points import SubmissionPoints, other_points
from autograder.records.archive import Moment
from autograder.records.record import ExerciseRecord, Record, lateness
from autograder.records.report import Cell
from course_lib.checking.formatting import number

if TYPE_CHECKING:
    from autograder.gradebook.due_dates import Penalty

#: an exercise id that stands for the whole lesson
WHOLE = "the whole lesson"
#: an exercise id that stands for the late penalty
LATE = "late"
#: the most failed checks that a summary lists
_MOST_CHECKS = 3


@dataclass(frozen=True)
class Change:
    """A change of one student's points.

    Attributes:
        exercise: the exercise's id, `WHOLE`, or `LATE`.
        old, new: the points, or None if there are none. Those of `LATE` are negative.
        found: what grading found before and what it finds now.
        why: the cause of the change.
    """

    student: str
    exercise: str
    old: float | None
    new: float | None
    found: str
    why: str

    @property
    def difference(self) -> float:
        """Return by how many points the sum changes."""
        return (self.new or 0.0) - (self.old or 0.0)


def changes(before: Record, after: Record, entered: SubmissionPoints, cannot: str = "") -> list[Change]:
    """Return the changes for a student when one record replaces another.

    Manual scores stay. Late penalties are reported by `late_changes`.

    Args:
        before: the earlier record.
        after: the record that replaces it.
        entered: the submission's points in the gradebook.
        cannot: why the later file could not be graded, if the earlier grade stays.
    """
    student = after["student"]
    why = f"kept: {cannot}{_worth_changed(before, after)}" if cannot else _why(before, after)
    if after["status"] == "failed":
        now = None if not entered.by_person else entered.score
        return [] if cannot else [Change(student, WHOLE, entered.score, now, after["reason"], why)]
    by_person = {name.removeprefix("check-") for name in entered.by_person}
    found = list(_kept_by_hand(before, after, entered, by_person))
    for name, exercise in after["exercises"].items():
        earlier = before["exercises"].get(name)
        old, new = entered.exercises.get(name), exercise["score"] + entered.extra.get(name, 0.0)
        if name not in by_person and other_points(old, new):
            said = f"{found_in(earlier)} → {found_in(exercise)}" if earlier else found_in(exercise)
            found.append(Change(student, name, old, new, said, why))
    return found


def _kept_by_hand(before: Record, after: Record, entered: SubmissionPoints, by_person: set[str]) -> Iterator[Change]:
    """Yield the manual scores of exercises whose points have changed. They stay, but the grader should know."""
    for name, exercise in after["exercises"].items():
        earlier, score = before["exercises"].get(name), entered.exercises.get(name)
        if name in by_person and earlier and score is not None and earlier["max_score"] != exercise["max_score"]:
            waits = ", above the new maximum: it waits" if score > exercise["max_score"] else ""
            why = f"{name} is worth {number(exercise['max_score'])} points, not {number(earlier['max_score'])}"
            yield Change(after["student"], name, score, score, f"given by hand, kept{waits}", why)


def kept_decision(student: str, points: float, before: float, now: float) -> Change:
    """Return the change for a student whose points were decided on, when the lesson's points change.

    Args:
        points: the points that the instructor decided on, which stay as they are.
        before: the lesson's points before.
        now: the lesson's points now.
    """
    found = f"decided: {number(points)} of {number(now)}, was {number(points)} of {number(before)}"
    above = ", although it is more than that" if points > now else ""
    why = f"the lesson is worth {number(now)} points, not {number(before)}; a decision stays as it is{above}"
    return Change(student, WHOLE, points, points, found, why)


def score_after(entered: SubmissionPoints, found: Iterable[Change]) -> float:
    """Return a submission's points after these changes, before any late penalty."""
    return entered.score + entered.late + sum(one.difference for one in found)


def late_changes(penalties: Mapping[str, Penalty]) -> list[Change]:
    """Return the changes of late penalties, sorted by student."""
    why = "when it came in or was due, an extension, the late policy, or its points"
    lost = "the new file has no submission time"
    return [
        Change(
            student,
            LATE,
            0.0 - one.before,
            0.0 - one.now,
            f"{_late(one.before)} → {_late(one.now)}",
            lost if one.time_lost else why,
        )
        for student, one in sorted(penalties.items())
    ]


def _late(points: float) -> str:
    return lateness(points) or "nothing less"


def found_in(exercise: ExerciseRecord) -> str:
    """Summarise the result of an exercise: its mistake, its error, or the checks that fail, as the card says them."""
    if exercise["score"] >= exercise["max_score"]:
        return "right"
    cell = Cell.of(exercise)
    if cell.kind in ("named", "error"):
        return cell.says
    if cell.kind == "blank":
        return "not written"
    failed = [f"✗ {exercise['sentences'].get(check, check)}" for check in exercise["broken_laws"]]
    return first_few(failed, _MOST_CHECKS, "; ") or "not right"


def _why(before: Record, after: Record) -> str:
    course, _, file = after["digest"].rpartition("-")
    course_before, _, file_before = before["digest"].rpartition("-")
    causes = []
    if file != file_before:
        causes.append("another file" if file and file_before else "graded again")
    worth = _worth_changed(before, after)
    if worth or (course != course_before and course and course_before):
        causes.append(f"the course has changed{worth}")
    return " and ".join(causes) or "other questions"


def _worth_changed(before: Record, after: Record) -> str:
    """Name the exercises whose points have changed, in brackets. Return an empty string if there are none."""
    worth = {name: exercise["max_score"] for name, exercise in before["exercises"].items()}
    found = [
        f"{name} is worth {number(exercise['max_score'])} points, not {number(worth[name])}"
        for name, exercise in after["exercises"].items()
        if name in worth and exercise["max_score"] != worth[name]
    ]
    return f" ({', '.join(found)})" if found else ""


def in_sum(found: Sequence[Change]) -> tuple[int, float]:
    """Return the number of students whose total changes, and the sum of the changes.

    A gradebook keeps four decimals, so the sum is rounded to two, which are exact in a large class, too.
    """
    totals: dict[str, float] = {}
    for change in found:
        totals[change.student] = totals.get(change.student, 0.0) + change.difference
    without = {one.student for one in found if one.exercise == WHOLE and (one.old is None) != (one.new is None)}
    changed = without | {student for student, total in totals.items() if other_points(0.0, total)}
    return len(changed), round(sum(totals.values()), 2)


def history(moments: Iterable[Moment]) -> Iterator[tuple[Moment, str]]:
    """Yield each of a student's records, with the reason why it differs from the one before."""
    last: dict[str, Moment] = {}
    for moment in moments:
        before = last.get(moment["record"]["lesson"])
        why = _why(before["record"], moment["record"]) if before else "first graded"
        if before and before["version"] != moment["version"]:
            why += f", version {before['version']} → {moment['version']}"
        yield moment, why
        last[moment["record"]["lesson"]] = moment
