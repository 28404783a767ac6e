"""Grade a class into its records. Grading can be repeated: it keeps existing grades and grades nothing twice.

Write each grade first to the gradebook and last to the class's folder, so that a submission with a record is complete.
Grading may be interrupted at any moment and continues from there.
"""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import nbformat

from autograder.gradebook.gradebook import Records
from autograder.grading.class_grading import grade_class
from autograder.grading.grader import Grader
from autograder.grading.pool import Pool
from autograder.records.archive import Archive
from autograder.records.changes import Change, changes, late_changes, score_after
from autograder.records.graded_record import record_of
from autograder.records.graded_so_far import GradedSoFar
from autograder.records.record import Record
from autograder.records.rescaled import rescaled
from autograder.records.saving import Saving, is_later, keeps
from autograder.submissions.hand_in import doubts_about
from autograder.submissions.submission import Submission
from course_lib.course import Unreadable

Notebook = Any


@dataclass(frozen=True)
class Regrading:
    """The grading of one lesson of one class.

    Attributes:
        unreadable: the policy for an earlier grade when a later file cannot be read.
        pool: the pool of processes that run submissions.
    """

    grader: Grader
    graded: GradedSoFar
    unreadable: Unreadable
    pool: Pool

    @property
    def records(self) -> Records:
        """Return the gradebook."""
        return self.graded.records

    def drawn_anew(self, reason: str) -> Regrading:
        """Return a copy with new hidden questions that nobody has seen. Record the reason."""
        return replace(self, grader=self.grader.drawn_anew(reason))

    def grade(self, submissions: Sequence[Submission]) -> Generator[Record]:
        """Grade submissions into the gradebook and the archive. Yield each record as soon as it is saved."""
        handed_in = {submission.student: submission for submission in submissions}
        with contextlib.closing(self._run(submissions)) as run:
            for record, notebook in run:
                self._save(record, notebook, handed_in[record["student"]])
                yield record

    def stage(self, submissions: Sequence[Submission], stage: Archive) -> Generator[Record]:
        """Grade submissions into a separate archive only. Nothing else changes until `keep` is called."""
        with contextlib.closing(self._run(submissions)) as run:
            for record, notebook in run:
                stage.save(record, notebook)
                yield record

    def keep(self, submissions: Sequence[Submission], stage: Archive) -> Generator[Record]:
        """Write staged submissions into the gradebook and the archive."""
        handed_in = {submission.student: submission for submission in submissions}
        for record in stage.records(self.grader.lesson):
            path = stage.autograded(record["student"], record["lesson"])
            notebook = nbformat.read(path, as_version=nbformat.NO_CONVERT) if path.is_file() else None
            self._save(record, notebook, handed_in[record["student"]])
            yield record

    def changes(self, submissions: Sequence[Submission], stage: Archive) -> list[Change]:
        """Return what `keep` would change, by student. Changes of late penalties come last."""
        points, submitted = self.records.submission_points(), {one.student: one.time for one in submissions}
        found: list[Change] = []
        times: dict[str, datetime | None] = {}
        scores: dict[str, float] = {}
        later: list[str] = []
        for record in stage.records(self.grader.lesson):
            student = record["student"]
            if before := self.graded.before.get(student):
                stays, entered = keeps(record, self.unreadable), points[student]
                after = rescaled(before, self.graded.worth) if stays else record
                other = changes(before, after, entered, record["reason"] if stays else "")
                if after["status"] != "failed":  # otherwise all the lesson's points go, including the late penalty
                    times[student] = None if stays else submitted[student]
                    later += [] if stays or not is_later(record, before) else [student]
                    scores[student] = score_after(entered, other)
                found += other
        return found + late_changes(self.records.settle(times, scores, write=False, later=later))

    def _run(self, submissions: Sequence[Submission]) -> Generator[tuple[Record, Notebook | None]]:
        if not submissions:
            return
        with contextlib.closing(grade_class(self.grader, submissions, self.pool)) as graded_class:
            for graded, notebook in graded_class:
                yield record_of(graded, notebook), notebook

    def _save(self, record: Record, notebook: Notebook | None, submission: Submission) -> None:
        student, archive = record["student"], self.graded.archive
        record["doubts"] = doubts_about(submission, lambda: self.graded.lateness_costs)
        record["asked"] |= notebook is None and student in self.graded.asked
        earlier = self.graded.before.get(student)
        path = archive.autograded(student, record["lesson"])
        saving = Saving(
            self.records, archive, self.unreadable, earlier, lambda: path.read_bytes() if path.is_file() else None
        )
        saving.save(record, notebook, submission.time)
