"""Turn a graded submission into a record."""

from __future__ import annotations

from typing import Any

from autograder.exercises import DEFINITIONS
from autograder.grading.graded import Graded
from autograder.records.answers import answers_in
from autograder.records.record import ExerciseRecord, Record
from course_lib.checking.formatting import printable
from course_lib.checking.judge import Verdict

Notebook = Any


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
        earlier=None,
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
        broken_laws=list(verdict.broken_checks),
        sentences=_sentences(verdict),
        carried=list(verdict.carried) if verdict.carried else None,
        error=printable(verdict.error.type) if verdict.error else None,
    )


def _sentences(verdict: Verdict) -> dict[str, str]:
    checks = {
        check_result.check.name: check_result.check.sentence
        for check_result in verdict.check_results
        if not check_result.holds
    }
    named = verdict.misconception
    return checks | ({named: DEFINITIONS[verdict.exercise_id].exercise.misconception(named).sentence} if named else {})
