"""Find out which of a lesson's grades still hold, before the lesson is graded again.

On most evenings, few submissions are new or none. Digests alone show which, so the code that runs and judges
submissions is not loaded for this.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from autograder.gradebook.gradebook import Records
from autograder.gradebook.points import other_points
from autograder.grading.origin import digest
from autograder.records.archive import Archive
from autograder.records.changes import Change, changes, kept_decision, late_changes, score_after
from autograder.records.decisions import needs_decision, read_decisions
from autograder.records.record import Record
from autograder.records.rescaled import rescaled
from autograder.submissions.hand_in import doubts_about
from autograder.submissions.submission import Submission
from course_lib.running.notebook_file import UnreadableError


@dataclass(frozen=True)
class GradedSoFar:
    """The existing grades of one lesson of one class.

    Attributes:
        origin: the digest of the current course, see `autograder.grading.origin`.
        worth: the current points by exercise id. Exercises that are missing keep theirs.
        before: the records of earlier gradings that are also in the gradebook, by student.
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

    @cached_property
    def lateness_costs(self) -> bool:
        """Return whether being late costs points in this lesson."""
        return self.records.lateness_costs()

    def left(self, found: Sequence[Submission]) -> list[Submission]:
        """Return the submissions that have no grade, or whose grade may have changed."""
        return [submission for submission in found if not self._stands(submission)]

    def _stands(self, submission: Submission) -> bool:
        record = self.before.get(submission.student)
        if record and record["digest"]:
            with contextlib.suppress(UnreadableError, OSError):  # grading reports the error
                return record["digest"] == digest(self.origin, submission.require())
        return False

    def settle(self, found: Sequence[Submission], left: Sequence[Submission], write: bool = True) -> list[Change]:
        """Update the late penalties of everyone whose grade holds, because a due date or time may have changed.

        Args:
            found: all submissions of the lesson.
            left: the submissions that will be graded.
            write: whether to write the changes, or only return them.

        Returns:
            The changes of late penalties.
        """
        stand = [submission for submission in found if submission not in left]
        if write:
            for one in stand:
                record, doubts = self.before[one.student], doubts_about(one, lambda: self.lateness_costs)
                if record["doubts"] != doubts:
                    record["doubts"] = doubts
                    self.archive.hold(record)
        scaled = self._other()  # `shares` returns their changes
        absent = self.records.students() - {one.student for one in found} - scaled.keys()
        times = dict.fromkeys(absent) | {one.student: one.time for one in stand}
        return late_changes(self.records.settle(times, write=write))

    def shares(self, found: Sequence[Submission]) -> list[Change]:
        """Return the changes for students with a grade but no submission, if the points of exercises have changed.

        These students keep their share of the points. Call this before the gradebook knows the new points.
        """
        kept = _without_submission(self._other(), found)
        if not kept:
            return []
        points, other, scores = self.records.submission_points(), list[Change](), dict[str, float]()
        for student, record in sorted(kept.items()):
            entered = points[student]
            theirs = changes(self.before[student], record, entered, "there is no submission of it")
            scores[student] = score_after(entered, theirs)
            other += theirs
        return other + late_changes(self.records.settle(dict.fromkeys(kept), scores, write=False))

    def decided(self) -> list[Change]:
        """Return the decisions about submissions that cannot be graded, if the lesson's points have changed.

        A decision stays the same number of points. Call this before the gradebook knows the new points.
        """
        mine = {
            student: one for (student, lesson), one in read_decisions(self.archive).items() if lesson == self.lesson
        }
        if not mine or not self.worth:
            return []
        points, now, found = self.records.submission_points(), round(sum(self.worth.values()), 6), list[Change]()
        for record in filter(needs_decision, self.archive.records(self.lesson)):
            student = record["student"]
            decision, entered = mine.get(student), points.get(student)
            if decision and decision.points is not None and entered and other_points(entered.max_score, now):
                found.append(kept_decision(student, decision.points, entered.max_score, now))
        return found

    def rescale_points(self, found: Sequence[Submission]) -> None:
        """Scale the grades once the gradebook knows the new points, including those that will be graded again."""
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
        """Return the records that change because the points of exercises have changed, by student."""
        scaled = {student: rescaled(record, self.worth) for student, record in self.before.items()}
        return {student: record for student, record in scaled.items() if record is not self.before[student]}

    def graded_once_more(self, left: Sequence[Submission]) -> str:
        """Count the submissions to be graded that were graded before, in words, or return an empty string.

        Students whose work was graded could have learned the hidden questions, see `autograder.grading.secret`.
        """
        again = sum(submission.student in self.asked for submission in left)
        return f"{again} of the {len(left)} to be graded were graded before" if again else ""


def _without_submission(records: Mapping[str, Record], found: Sequence[Submission]) -> dict[str, Record]:
    here = {submission.student for submission in found}
    return {student: record for student, record in records.items() if student not in here}
