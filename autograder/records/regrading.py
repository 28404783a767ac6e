"""Grading a class into its records, again and again: what is graded is kept, and nothing is graded twice.

A grade goes into the gradebook first and into the class's folder last, so that what has a record is complete: grading
may be stopped at any moment, and goes on where it was.
"""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import nbformat

from autograder.exercises import DEFINITIONS
from autograder.grading.class_grading import grade_class
from autograder.grading.graded import Graded
from autograder.grading.grader import Grader
from autograder.grading.pool import Pool
from autograder.grading.submissions import Submission
from autograder.records.answers import Answers, answers_in, answers_of
from autograder.records.archive import Archive
from autograder.records.changes import Change, changes, late_changes, score_after
from autograder.records.gradebook import Records
from autograder.records.hand_in_time import about_time
from autograder.records.record import ExerciseRecord, Record, file_of, in_place_of
from autograder.records.shares import rescaled
from autograder.records.standing import Standing
from course_lib.checking.formatting import printable
from course_lib.checking.judge import Verdict
from course_lib.course import Unreadable

Notebook = Any


@dataclass(frozen=True)
class Regrading:
    """The grading of one lesson of one class.

    Attributes:
        unreadable: what becomes of an earlier grade when a later file cannot be read.
        pool: where submissions are run.
    """

    grader: Grader
    standing: Standing
    unreadable: Unreadable
    pool: Pool

    @property
    def records(self) -> Records:
        """The gradebook."""
        return self.standing.records

    def drawn_anew(self, reason: str) -> Regrading:
        """The same with hidden questions that nobody has seen; the reason is recorded."""
        return replace(self, grader=self.grader.drawn_anew(reason))

    def grade(self, submissions: Sequence[Submission]) -> Generator[Record]:
        """Grade submissions into gradebook and archive; each as soon as that is done."""
        handed_in = {submission.student: submission for submission in submissions}
        with contextlib.closing(self._run(submissions)) as run:
            for record, notebook in run:
                self._save(record, notebook, handed_in[record["student"]])
                yield record

    def stage(self, submissions: Sequence[Submission], stage: Archive) -> Generator[Record]:
        """Grade submissions into an archive of its own, and nowhere else: until `keep`, nothing is changed by it."""
        with contextlib.closing(self._run(submissions)) as run:
            for record, notebook in run:
                stage.save(record, notebook)
                yield record

    def keep(self, submissions: Sequence[Submission], stage: Archive) -> Generator[Record]:
        """Write what was staged of submissions into gradebook and archive."""
        handed_in = {submission.student: submission for submission in submissions}
        for record in stage.records(self.grader.lesson):
            path = stage.autograded(record["student"], record["lesson"])
            notebook = nbformat.read(path, as_version=nbformat.NO_CONVERT) if path.is_file() else None
            self._save(record, notebook, handed_in[record["student"]])
            yield record

    def changes(self, submissions: Sequence[Submission], stage: Archive) -> list[Change]:
        """What `keep` would change, by student; what is lost for being late comes last."""
        standings, submitted = self.records.standings(), {one.student: one.time for one in submissions}
        found: list[Change] = []
        times: dict[str, datetime | None] = {}
        scores: dict[str, float] = {}
        later: list[str] = []
        for record in stage.records(self.grader.lesson):
            student = record["student"]
            if before := self.standing.before.get(student):
                stays, standing = keeps(record, self.unreadable), standings[student]
                after = rescaled(before, self.standing.worth) if stays else record
                other = changes(before, after, standing, record["reason"] if stays else "")
                if after["status"] != "failed":  # else the whole lesson's points go, with what was taken off
                    times[student] = None if stays else submitted[student]
                    later += [] if stays or not is_later(record, before) else [student]
                    scores[student] = score_after(standing, other)
                found += other
        return found + late_changes(self.records.settle(times, scores, write=False, later=later))

    def _run(self, submissions: Sequence[Submission]) -> Generator[tuple[Record, Notebook | None]]:
        if not submissions:
            return
        with contextlib.closing(grade_class(self.grader, submissions, self.pool)) as graded_class:
            for graded, notebook in graded_class:
                yield record_of(graded, notebook), notebook

    def _save(self, record: Record, notebook: Notebook | None, submission: Submission) -> None:
        student, time, earlier = record["student"], submission.time, self.standing.before.get(record["student"])
        record["time_note"] = about_time(submission)
        if notebook is not None:
            archive, lesson = self.standing.archive, record["lesson"]
            record["scored"] = self.records.save(
                student,
                notebook,
                time,
                answers_of(record),
                lambda: earlier_answers(archive, lesson, student),
                later=is_later(record, earlier),
            )
            self.standing.archive.save(record, notebook, time)
        else:
            record["asked"] |= student in self.standing.asked
            save_failed(record, time, earlier, self.unreadable, self.records, self.standing.archive)


def is_later(record: Record, earlier: Record | None) -> bool:
    """Whether a record is about a later file than an earlier one, as far as that is known."""
    return earlier is not None and bool(file_of(earlier)) and file_of(record) != file_of(earlier)


def keeps(record: Record, unreadable: Unreadable) -> bool:
    """Whether an earlier grade, if there is one, stands in the place of this one, which may have failed."""
    return record["status"] == "failed" and (record["courses_fault"] or unreadable == "keep")


def save_failed(
    record: Record,
    time: datetime | None,
    earlier: Record | None,
    unreadable: Unreadable,
    records: Records,
    archive: Archive,
) -> None:
    """Write that a submission could not be graded: an earlier grade stays, or by the course's policy there is none.

    Args:
        time: when it was handed in, if that is known.
        earlier: the record of the earlier grade, if there is one.

    Raises:
        CourseError: gradebook or archive cannot be written, or the late policy fails.
    """
    student = record["student"]
    if earlier and keeps(record, unreadable):
        records.settle({student: None})  # the time of the file that was graded stays, too
        archive.save_record(in_place_of(record, earlier))
    else:
        answers = earlier_answers(archive, record["lesson"], student)
        record["answers"], record["scored"] = dict(answers.current), {**answers.current, **answers.scored}
        records.save_ungraded(student, time, is_later(record, earlier))
        archive.save(record, None)


def earlier_answers(archive: Archive, lesson: str, student: str) -> Answers:
    """The answers that were graded before. Those of a record without answers are read from the graded notebook."""
    record = archive.record(lesson, student)
    found = answers_of(record) if record else Answers()
    path = archive.autograded(student, lesson)
    if not found.current and path.is_file():
        with contextlib.suppress(Exception):  # a notebook that cannot be read has no answers that anybody knows
            return replace(found, current=answers_in(nbformat.read(path, as_version=nbformat.NO_CONVERT)))
    return found


def record_of(graded: Graded, notebook: Notebook | None = None) -> Record:
    """A graded submission as a record.

    Args:
        notebook: as it was graded; None if it could not be.
    """
    return Record(
        student=graded.student,
        lesson=graded.lesson,
        status=graded.status,
        reason=printable(graded.reason),
        courses_fault=graded.courses_fault,
        asked=graded.asked,
        score=graded.score if graded.status != "failed" else None,
        late=0.0,
        max_score=graded.max_score,
        waiting=[],
        to_review=0,
        above_maximum=0,
        answers=answers_in(notebook) if notebook is not None else {},
        scored={},
        decision="",
        kept="",
        exercises={name: _exercise(verdict) for name, verdict in graded.verdicts.items()},
        notes=[printable(note) for note in graded.notes],
        look=[printable(one) for one in graded.look],
        sandboxed=graded.sandboxed,
        time_note="",
        file=graded.file,
        digest=graded.digest,
    )


def _exercise(verdict: Verdict) -> ExerciseRecord:
    return ExerciseRecord(
        score=verdict.score,
        max_score=verdict.max_score,
        misconception=verdict.misconception,
        broken_laws=list(verdict.broken_laws),
        sentences=_sentences(verdict),
        carried=list(verdict.carried) if verdict.carried else None,
        error=printable(verdict.error.type) if verdict.error else None,
    )


def _sentences(verdict: Verdict) -> dict[str, str]:
    laws = {ruling.law.name: ruling.law.sentence for ruling in verdict.rulings if not ruling.holds}
    named = verdict.misconception
    return laws | ({named: DEFINITIONS[verdict.exercise_id].exercise.misconception(named).sentence} if named else {})
