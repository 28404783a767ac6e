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

from autograder.exercises import DEFINITIONS
from autograder.gradebook.answers import Answers
from autograder.gradebook.gradebook import Records
from autograder.grading.class_grading import grade_class
from autograder.grading.graded import Graded
from autograder.grading.grader import Grader
from autograder.grading.pool import Pool
from autograder.records.answers import answers_in, answers_of, earlier_answers
from autograder.records.archive import Archive
from autograder.records.changes import Change, changes, late_changes, score_after
from autograder.records.record import ExerciseRecord, Record, file_of, in_place_of
from autograder.records.rescaled import rescaled
from autograder.records.standing import Standing
from autograder.submissions.hand_in import doubts_about
from autograder.submissions.submission import Submission
from course_lib.checking.formatting import printable
from course_lib.checking.judge import Verdict
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
    standing: Standing
    unreadable: Unreadable
    pool: Pool

    @property
    def records(self) -> Records:
        """Return the gradebook."""
        return self.standing.records

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
                if after["status"] != "failed":  # otherwise all the lesson's points go, including the late penalty
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
        record["doubts"] = doubts_about(submission, lambda: self.standing.lateness_costs)
        if notebook is not None:
            archive, lesson = self.standing.archive, record["lesson"]
            record["scored"] = self.records.save(
                student,
                notebook,
                time,
                answers_of(record),
                lambda: _earlier_answers(archive, lesson, student),
                later=is_later(record, earlier),
            )
            self.standing.archive.save(record, notebook, time)
        else:
            record["asked"] |= student in self.standing.asked
            save_failed(record, time, earlier, self.unreadable, self.records, self.standing.archive)


def is_later(record: Record, earlier: Record | None) -> bool:
    """Return whether a record is about another file than the earlier record, as far as that is known."""
    return earlier is not None and bool(file_of(earlier)) and file_of(record) != file_of(earlier)


def keeps(record: Record, unreadable: Unreadable) -> bool:
    """Return whether an earlier grade is kept in place of this one, which may have failed."""
    return record["status"] == "failed" and (record["courses_fault"] or unreadable == "keep")


def save_failed(
    record: Record,
    time: datetime | None,
    earlier: Record | None,
    unreadable: Unreadable,
    records: Records,
    archive: Archive,
) -> None:
    """Record that a submission could not be graded. Keep or remove an earlier grade, depending on the course's policy.

    Args:
        time: the submission time, if it is known.
        earlier: the record of the earlier grade, if there is one.

    Raises:
        CourseError: the gradebook or the archive cannot be written, or the late policy fails.
    """
    student = record["student"]
    if earlier and keeps(record, unreadable):
        records.settle({student: None})  # keep the time of the graded file, too
        archive.save_record(in_place_of(record, earlier))
    else:
        answers = _earlier_answers(archive, record["lesson"], student)
        record["answers"], record["scored"] = dict(answers.current), {**answers.current, **answers.scored}
        records.save_ungraded(student, time, is_later(record, earlier))
        archive.save(record, None)


def _earlier_answers(archive: Archive, lesson: str, student: str) -> Answers:
    path = archive.autograded(student, lesson)
    return earlier_answers(archive.record(lesson, student), path.read_bytes() if path.is_file() else None)


def record_of(graded: Graded, notebook: Notebook | None = None) -> Record:
    """Turn a graded submission into a record.

    Args:
        notebook: the graded notebook, or None if grading failed.
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
        unseen=dict(graded.unseen),
        doubts=[],
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
