"""What stands of a lesson's grades before it is graded again, and which of them could be others by now.

Most evenings few submissions are new, or none. That is told from digests alone, so nothing that runs or judges code is
loaded for it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from autograder.grading.origin import digest
from autograder.grading.submissions import Submission
from autograder.records.archive import Archive
from autograder.records.changes import Change, changes, late_changes, score_after
from autograder.records.gradebook import Records
from autograder.records.hand_in_time import about_time
from autograder.records.record import Record
from autograder.records.shares import rescaled
from course_lib.running.notebook_file import UnreadableError


@dataclass(frozen=True)
class Standing:
    """The grades of one lesson of one class as they are.

    Attributes:
        origin: of grades that are given now, see `autograder.grading.origin`.
        worth: the points of exercises by now, by their ids; of those that are missing, what they were.
        before: the records of earlier gradings that stand in the gradebook, too, by student.
        asked: the students whose code has been asked hidden questions.
    """

    lesson: str
    origin: bytes
    archive: Archive
    records: Records
    worth: Mapping[str, float] = field(default_factory=dict)
    before: dict[str, Record] = field(init=False)
    asked: set[str] = field(init=False)

    def __post_init__(self) -> None:
        students = self.records.students()
        records = list(self.archive.records(self.lesson))
        known = {record["student"]: record for record in records if record["status"] != "failed"}
        object.__setattr__(self, "before", {student: known[student] for student in known.keys() & students})
        object.__setattr__(self, "asked", {record["student"] for record in records if record["asked"]})

    def left(self, found: Sequence[Submission]) -> list[Submission]:
        """Those submissions that have no grade, or whose grade could be another by now."""
        return [submission for submission in found if not self._stands(submission)]

    def _stands(self, submission: Submission) -> bool:
        record = self.before.get(submission.student)
        if record and record["digest"]:
            with contextlib.suppress(UnreadableError, OSError):  # grading it says what is wrong
                return record["digest"] == digest(self.origin, submission.require())
        return False

    def settle(self, stand: Sequence[Submission], write: bool = True) -> list[Change]:
        """Of submissions whose grade stands: since it was given, they may have come to be late, or late no more.

        Args:
            write: whether that is written, or only told.

        Returns:
            What it changes.
        """
        if write:
            for one in stand:
                record, note = self.before[one.student], about_time(one)
                if record["time_note"] != note:
                    record["time_note"] = note
                    self.archive.hold(record)
        return late_changes(self.records.settle({one.student: one.time for one in stand}, write=write))

    def shares(self, found: Sequence[Submission]) -> list[Change]:
        """What changes for those who have a grade and no submission, where exercises are worth other points by now.

        They keep their share of these. To be told before the gradebook knows of the other points.
        """
        kept = _without_submission(self._other(), found)
        if not kept:
            return []
        standings, other, scores = self.records.standings(), list[Change](), dict[str, float]()
        for student, record in sorted(kept.items()):
            standing = standings[student]
            theirs = changes(self.before[student], record, standing, "there is no submission of it")
            scores[student] = score_after(standing, theirs)
            other += theirs
        return other + late_changes(self.records.settle(dict.fromkeys(kept), scores, write=False))

    def keep_shares(self, found: Sequence[Submission]) -> None:
        """Write it, once the gradebook knows of the other points; whoever is graded again may come to keep a share."""
        other = self._other()
        if not other:
            return
        scores = {
            student: {name: exercise["score"] for name, exercise in record["exercises"].items()}
            for student, record in other.items()
        }
        self.records.give(scores)
        self.before.update(other)
        kept = _without_submission(other, found)
        self.records.settle(dict.fromkeys(kept))
        for record in kept.values():
            self.archive.save_record(record)

    def _other(self) -> dict[str, Record]:
        """By student, the records that are others where exercises are worth other points by now."""
        scaled = {student: rescaled(record, self.worth) for student, record in self.before.items()}
        return {student: record for student, record in scaled.items() if record is not self.before[student]}

    def graded_once_more(self, left: Sequence[Submission]) -> str:
        """Which of those that are to be graded were graded before; nothing where none was.

        Whoever was graded could have learned the hidden questions, see `autograder.grading.secret`.
        """
        again = sum(submission.student in self.asked for submission in left)
        return f"{again} of the {len(left)} to be graded were graded before" if again else ""


def _without_submission(records: Mapping[str, Record], found: Sequence[Submission]) -> dict[str, Record]:
    here = {submission.student for submission in found}
    return {student: record for student, record in records.items() if student not in here}
