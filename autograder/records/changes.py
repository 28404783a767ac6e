"""What grading again changes: whose points, of which exercise, from what to what, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from autograder.records.archive import Moment
from autograder.records.record import ExerciseRecord, Record, Standing

#: an exercise id that stands for the whole lesson
WHOLE = "the whole lesson"


@dataclass(frozen=True)
class Change:
    """A change of one student's points.

    Attributes:
        exercise: its id, or `WHOLE`.
        old, new: the points; None where there are none.
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

    Points that a person gave stay. What a late submission loses is not counted.

    Args:
        standing: what the gradebook has.
        cannot: why the later file could not be graded, where the earlier grade stays.
    """
    student, why = after["student"], f"kept: {cannot}" if cannot else _why(before, after)
    if after["status"] == "failed":
        now = None if not standing.by_person else standing.score
        return [] if cannot else [Change(student, WHOLE, standing.score, now, after["reason"], why)]
    by_person = {name.removeprefix("check-") for name in standing.by_person}
    found = []
    for name, exercise in after["exercises"].items():
        earlier = before["exercises"].get(name)
        old = standing.exercises.get(name)
        if name not in by_person and old != exercise["score"]:
            said = f"{_said(earlier)} → {_said(exercise)}" if earlier else _said(exercise)
            found.append(Change(student, name, old, exercise["score"], said, why))
    return found


def _said(exercise: ExerciseRecord) -> str:
    """What was found in an exercise, in a word or two."""
    if exercise["score"] >= exercise["max_score"]:
        return "right"
    return exercise["misconception"] or exercise["error"] or ", ".join(exercise["broken_laws"]) or "not right"


def _why(before: Record, after: Record) -> str:
    course, _, file = after["digest"].rpartition("-")
    course_before, _, file_before = before["digest"].rpartition("-")
    causes = []
    if file != file_before:
        causes.append("another file" if file and file_before else "graded anew")
    if course != course_before and course and course_before:
        causes.append("the course has changed")
    return " and ".join(causes) or "other questions"


def in_sum(found: Sequence[Change]) -> tuple[int, float]:
    """How many students change, and by how many points together."""
    return len({change.student for change in found}), round(sum(change.difference for change in found), 6)


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
