"""Save one graded submission: in the gradebook, as the graded notebook, and last as the record.

`course grade` and nbgrader's own autograding both save with this module, so a record always marks a complete result.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from autograder.gradebook.answers import Answers
from autograder.gradebook.gradebook import Records
from autograder.records.answers import answers_of, earlier_answers
from autograder.records.archive import Archive
from autograder.records.record import Earlier, Record, file_of, in_place_of
from autograder.submissions.hand_in import TIME_UNKNOWN
from course_lib.course import Unreadable

Notebook = Any


@dataclass(frozen=True)
class Saving:
    """What saving one submission needs.

    Attributes:
        unreadable: the policy for an earlier grade when a later file cannot be read.
        earlier: the record of the earlier grade, if there is one.
        graded_before: returns the content of the notebook that was graded before, or None if there is none. It is
            called only if the earlier answers are needed and the record lacks them.
    """

    records: Records
    archive: Archive
    unreadable: Unreadable
    earlier: Record | None
    graded_before: Callable[[], bytes | None]

    def save(self, record: Record, notebook: Notebook | None, time: datetime | None) -> None:
        """Save a graded submission, or one that could not be graded if the notebook is None.

        Args:
            time: the submission time, if it is known.

        Raises:
            CourseError: the gradebook or the archive cannot be written, or the late policy fails.
        """
        if notebook is None:
            self._save_failed(record, time)
            return
        student, later = record["student"], is_later(record, self.earlier)
        record["earlier"] = self._best_before(record, later)
        record["scored"] = self.records.save(
            student, notebook, time, answers_of(record), lambda: self._answers_before(record), later
        )
        self.archive.save(record, notebook, time)

    def _save_failed(self, record: Record, time: datetime | None) -> None:
        """Keep or remove an earlier grade, depending on the course's policy."""
        student = record["student"]
        if self.earlier and keeps(record, self.unreadable):
            self.records.settle({student: None})  # keep the time of the graded file, too
            self.archive.save_record(in_place_of(record, self.earlier))
        else:
            answers = self._answers_before(record)
            record["doubts"] = [doubt for doubt in record["doubts"] if doubt != TIME_UNKNOWN]  # nothing to take off
            record["answers"], record["scored"] = dict(answers.current), {**answers.current, **answers.scored}
            self.records.save_ungraded(student, time, is_later(record, self.earlier))
            self.archive.save(record, None)

    def _best_before(self, record: Record, later: bool) -> Earlier | None:
        """Return the best grade of the files that this one replaced, as far as it is known."""
        if self.earlier is None:
            return None
        found = [self.earlier["earlier"]]
        if later and (points := self.records.submission_points(record["student"]).get(record["student"])):
            found.append(Earlier(file=file_of(self.earlier), score=points.score))
        others = [one for one in found if one and one["file"] != file_of(record)]
        return max(others, key=lambda one: one["score"], default=None)

    def _answers_before(self, record: Record) -> Answers:
        return earlier_answers(self.archive.record(record["lesson"], record["student"]), self.graded_before)


def is_later(record: Record, earlier: Record | None) -> bool:
    """Return whether a record is about another file than the earlier record, as far as that is known."""
    return earlier is not None and bool(file_of(earlier)) and file_of(record) != file_of(earlier)


def keeps(record: Record, unreadable: Unreadable) -> bool:
    """Return whether an earlier grade is kept in place of this one, which may have failed."""
    return record["status"] == "failed" and (record["courses_fault"] or unreadable == "keep")
