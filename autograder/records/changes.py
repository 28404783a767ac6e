"""What grading again changes: whose points, of which exercise, from what to what, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from autograder.records.archive import Moment
from autograder.records.record import ExerciseRecord, Record, Standing, lateness
from course_lib.checking.formatting import number

if TYPE_CHECKING:
    from autograder.records.due_dates import Penalty

#: an exercise id that stands for the whole lesson
WHOLE = "the whole lesson"
#: and one for what is taken off for being late
LATE = "late"


@dataclass(frozen=True)
class Change:
    """A change of one student's points.

    Attributes:
        exercise: its id, `WHOLE`, or `LATE`.
        old, new: the points; None where there are none; of `LATE` below 0.
        found: what was found before and what is found now.
        why: what the grade follows from and is another by now.
    """

    student: str
    exercise: str
    old: float | None
    new: float | None
    found: str
    why: str

    @property
    def difference(self) -> float:
        """By how many points it changes the sum."""
        return (self.new or 0.0) - (self.old or 0.0)


def changes(before: Record, after: Record, standing: Standing, cannot: str = "") -> list[Change]:
    """What changes for a student when one record takes the place of another.

    Points that a person gave stay. What a late submission loses is told by `late_changes`.

    Args:
        standing: what the gradebook has.
        cannot: why the later file could not be graded, where the earlier grade stays.
    """
    student = after["student"]
    why = f"kept: {cannot}{_worth_changed(before, after)}" if cannot else _why(before, after)
    if after["status"] == "failed":
        now = None if not standing.by_person else standing.score
        return [] if cannot else [Change(student, WHOLE, standing.score, now, after["reason"], why)]
    by_person = {name.removeprefix("check-") for name in standing.by_person}
    found = list(_kept_by_hand(before, after, standing, by_person))
    for name, exercise in after["exercises"].items():
        earlier = before["exercises"].get(name)
        old = standing.exercises.get(name)
        if name not in by_person and other_points(old, exercise["score"]):
            said = f"{_said(earlier)} → {_said(exercise)}" if earlier else _said(exercise)
            found.append(Change(student, name, old, exercise["score"], said, why))
    return found


def _kept_by_hand(before: Record, after: Record, standing: Standing, by_person: set[str]) -> Iterator[Change]:
    """Scores that a person gave for exercises whose points have changed: they stay, and the person should know."""
    for name, exercise in after["exercises"].items():
        earlier, score = before["exercises"].get(name), standing.exercises.get(name)
        if name in by_person and earlier and score is not None and earlier["max_score"] != exercise["max_score"]:
            waits = ", above the new maximum: it waits" if score > exercise["max_score"] else ""
            why = f"{name} is worth {number(exercise['max_score'])} points, not {number(earlier['max_score'])}"
            yield Change(after["student"], name, score, score, f"given by hand, kept{waits}", why)


def score_after(standing: Standing, found: Iterable[Change]) -> float:
    """The points that a submission has once all this has changed, before any are taken off for being late."""
    return standing.score + standing.late + sum(one.difference for one in found)


def late_changes(penalties: Mapping[str, Penalty]) -> list[Change]:
    """What changes because submissions lose more or fewer points for being late, by student."""
    why = "when it came in or was due, an extension, the late policy, or its points"
    return [
        Change(student, LATE, 0.0 - one.before, 0.0 - one.now, f"{_late(one.before)} → {_late(one.now)}", why)
        for student, one in sorted(penalties.items())
    ]


def _late(points: float) -> str:
    return lateness(points) or "nothing less"


def _said(exercise: ExerciseRecord) -> str:
    """What was found in an exercise, in a word or two."""
    if exercise["score"] >= exercise["max_score"]:
        return "right"
    return exercise["misconception"] or exercise["error"] or ", ".join(exercise["broken_laws"]) or "not right"


def other_points(old: float | None, new: float) -> bool:
    """Whether points are other ones: a gradebook reads them with four decimals, and scales them with their exercise."""
    return old is None or bool(round(old - new, 3))


def _why(before: Record, after: Record) -> str:
    course, _, file = after["digest"].rpartition("-")
    course_before, _, file_before = before["digest"].rpartition("-")
    causes = []
    if file != file_before:
        causes.append("another file" if file and file_before else "graded anew")
    worth = _worth_changed(before, after)
    if worth or (course != course_before and course and course_before):
        causes.append(f"the course has changed{worth}")
    return " and ".join(causes) or "other questions"


def _worth_changed(before: Record, after: Record) -> str:
    """Which exercises are worth other points by now, in brackets; empty where none is."""
    worth = {name: exercise["max_score"] for name, exercise in before["exercises"].items()}
    found = [
        f"{name} is worth {number(exercise['max_score'])} points, not {number(worth[name])}"
        for name, exercise in after["exercises"].items()
        if name in worth and exercise["max_score"] != worth[name]
    ]
    return f" ({', '.join(found)})" if found else ""


def in_sum(found: Sequence[Change]) -> tuple[int, float]:
    """How many students change, and by how many points together."""
    students = {change.student for change in found if change.old != change.new}
    return len(students), round(sum(change.difference for change in found), 6)


def history(moments: Iterable[Moment]) -> Iterator[tuple[Moment, str]]:
    """Each of a student's records, and why it is another than the one before."""
    last: dict[str, Moment] = {}
    for moment in moments:
        before = last.get(moment["record"]["lesson"])
        why = _why(before["record"], moment["record"]) if before else "first graded"
        if before and before["version"] != moment["version"]:
            why += f", version {before['version']} → {moment['version']}"
        yield moment, why
        last[moment["record"]["lesson"]] = moment
