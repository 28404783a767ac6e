"""Prepare, run and judge submissions. Workers turn submissions into outcomes, and one process judges them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from secrets import token_bytes
from typing import Any

import nbformat

from autograder.building.release import library_files
from autograder.class_folder.log import shortened
from autograder.grading.bubblewrap import bubblewrap_unavailable
from autograder.grading.feedback_notebook import graded_notebook
from autograder.grading.forbidden_calls import mentioned, mentioned_unseen
from autograder.grading.graded import Graded
from autograder.grading.hidden_keys import LessonKeys, lesson_keys
from autograder.grading.judging import judged, written_elsewhere
from autograder.grading.library import PinnedLibrary, pin_library
from autograder.grading.not_separable import not_separable
from autograder.grading.origin import digest, origin
from autograder.grading.over_ours import Ours, Steps, at_once, over_ours
from autograder.grading.pool import GivenUpError, Ready
from autograder.grading.preload import modules_imported
from autograder.grading.private_folders import folders_of, private_folders
from autograder.grading.rebuild import rebuild
from autograder.grading.sandbox import Sandbox
from autograder.grading.secret import draw_anew, question_secret
from autograder.grading.set_up import SetUpError, run_task, set_up_problem
from autograder.grading.task import Task
from autograder.submissions.submission import Submission
from course_lib.checking.failure import Failure
from course_lib.checking.over_ours import over_sentence
from course_lib.contents import Entry, public_exercises
from course_lib.course import Course, CourseError
from course_lib.our_errors import LOG, about, report
from course_lib.rebuilding.environment import this_environment
from course_lib.rebuilding.findings import costly
from course_lib.rebuilding.rebuild import Rebuilt
from course_lib.running.cells import grade_id, kind_of
from course_lib.running.limits import Limits
from course_lib.running.notebook_file import UnreadableError
from course_lib.running.outcome import Outcome

Notebook = Any


@dataclass(frozen=True)
class Grader:
    """Everything that grading one lesson of one class needs.

    Attributes:
        secret: the seed of the hidden questions.
        folder: the class's folder, where the hidden questions are kept.
        ours: our answers to the written questions that a person grades, by grade id.
        solutions: our cell of each exercise, by exercise id.
        files: makes the library that submissions import: each file's content, by its path in `course_lib`.
        origin: a digest of what determines the grades, see `autograder.grading.origin`.
        graders: the users with whom the class is shared.
        private: folders with students' work, which no submission may see.
    """

    lesson: str
    secret: bytes = field(repr=False)
    folder: Path
    released: Notebook
    ours: Mapping[str, str]
    solutions: Mapping[str, str] = field(repr=False)
    files: Callable[[], Mapping[str, bytes]]
    limits: Limits
    sandboxed: bool
    origin: bytes
    graders: frozenset[int] = frozenset()
    private: tuple[Path, ...] = ()

    @property
    def exercises(self) -> tuple[Entry, ...]:
        """Return the lesson's exercises in order, as students know them. This takes no answer keys."""
        return tuple(exercise for exercise in public_exercises() if exercise.lesson == self.lesson)

    @cached_property
    def ours_to_run(self) -> Ours:
        """Return our versions of the exercises, for those that build on an exercise that a submission lacks."""
        builds_on = {name: key.exercise.builds_on for name, key in self.keys.hidden.items()}
        return Ours(self.solutions, builds_on)

    @property
    def symbols(self) -> dict[str, str]:
        """Return the name that is asked for, by exercise id."""
        return {exercise.id: exercise.symbol for exercise in self.exercises}

    @cached_property
    def library(self) -> PinnedLibrary:
        """Return the library that submissions import. It does not change while this grader exists."""
        return pin_library(self.lesson, self.files())

    @cached_property
    def keys(self) -> LessonKeys:
        """Return the lesson's keys. They are made only when needed, because that takes longer than everything else."""
        return lesson_keys(self.lesson, self.secret, self.folder, self.graders)

    def drawn_anew(self, reason: str) -> Grader:
        """Return a copy with new hidden questions that nobody has seen. Record the reason."""
        draw_anew(self.folder, self.lesson, reason)
        return replace(self, secret=question_secret(self.folder, self.lesson, self.graders))

    def on_trial(self, folder: Path) -> Grader:
        """Return a copy with separate questions, which the class is never asked, for grades that do not count.

        Args:
            folder: the folder for its keys.
        """
        return replace(self, secret=token_bytes(32), folder=folder)

    def sandbox(self) -> Sandbox:
        """Return a new sandbox, whose process starts when it is entered."""
        set_up = (cell.source for cell in self.released.cells if kind_of(cell) == "setup")
        preload = modules_imported(set_up, self.library.folder)
        return Sandbox(
            self.library.folder, self.limits, sandboxed=self.sandboxed, preload=preload, private=self.private
        )

    def ready(self, submission: Submission) -> Ready:
        """Read and rebuild a submission.

        Raises:
            UnreadableError: the file is missing or not a notebook.
        """
        submitted = submission.require()
        return Ready(submission.student, digest(self.origin, submitted), self.rebuild(submitted))

    def rebuild(self, submitted: bytes) -> Rebuilt:
        """Put the submission's sources into the released notebook.

        Raises:
            UnreadableError: the submission is not a notebook.
        """
        return rebuild(self.released, submitted, self.symbols)

    def task(self, rebuilt: Rebuilt) -> Task:
        """Return the submission's own run."""
        return Task(rebuilt.cells, self.limits, rebuilt.later)

    def run(self, sandbox: Sandbox, task: Task) -> Outcome:
        """Run a task of a submission, and make sure that the course's set-up works.

        Raises:
            SetUpError: the course's own set-up cells fail.
        """
        return run_task(sandbox, task, self.keys.questions, self.keys.public_questions)

    def steps(self, outcome: Outcome, own: Task) -> Steps:
        """Return the runs that follow a submission's own run, in which our versions replace missing or wrong ones."""
        return over_ours(
            outcome, own, self.keys.questions, self.ours_to_run, lambda found: judged(self.keys, found).verdicts
        )

    def run_whole(self, sandbox: Sandbox, rebuilt: Rebuilt) -> Outcome:
        """Run a submission and all its steps, if no other submission is at hand.

        Raises:
            SetUpError: the course's own set-up cells fail.
        """
        own = self.task(rebuilt)
        return at_once(self.steps(self.run(sandbox, own), own), lambda task: self.run(sandbox, task))

    def judge(self, one: Ready, outcome: Outcome) -> tuple[Graded, Notebook | None]:
        """Judge an outcome. The graded notebook is None if nothing could be run.

        Judge one outcome at a time, because judging runs the course's own implementations and torch's default dtype is
        global to the process.
        """
        with about(f"{one.student}'s {self.lesson}"):
            return self._judge(one, outcome)

    def _judge(self, one: Ready, outcome: Outcome) -> tuple[Graded, Notebook | None]:
        rebuilt = one.rebuilt
        wrong = costly(rebuilt, this_environment())
        notes = [*dict.fromkeys((*rebuilt.notes, *(one.sentence for one in wrong)))]
        notes += (*mentioned(rebuilt.notebook, self.keys), *mentioned_unseen(outcome.unseen, self.keys))
        found = judged(self.keys, outcome)
        outcome, failed = found.outcome, found.outcome.status == "failed"
        notes += [f"{name}: {over_sentence(over, graded=True)}" for name, over in outcome.over_ours.items()]
        notes += [f"{name}: the version below its check counts, which earns more" for name in found.later]
        if problem := set_up_problem(rebuilt.cells, outcome):
            notes.append(f"{problem}; by itself it runs")
        for name, verdict in found.verdicts.items():
            if verdict.error and Failure.of(verdict.error) is Failure.UNJUDGED:
                notes.append(f"{name} could not be judged ({verdict.error.message}): look at it by hand")
        for name in written_elsewhere(self.keys, outcome, found.verdicts):
            notes.append(
                f"{name}: wrong on the inputs on which it is watched, and right elsewhere: see how it is written"
            )
        lost = {name for name, verdict in found.verdicts.items() if not verdict.passed}
        look = (*(one.text for one in wrong if one.look and one.exercise in lost), *not_separable(found.verdicts))
        graded = Graded(
            one.student,
            self.lesson,
            outcome.status,
            outcome.reason,
            found.verdicts,
            self.keys.max_score,
            tuple(notes),
            look,
            self.sandboxed,
            digest="" if failed or not outcome.final else one.digest,
            file=one.digest.rpartition("-")[2],
            courses_fault=failed,
            asked=True,
            unseen=outcome.unseen,
        )
        return graded, None if failed else graded_notebook(rebuilt, self.keys, outcome, graded, self.ours)

    def failed(self, student: str, reason: str, courses_fault: bool = False) -> Graded:
        """Return the result of a submission that could not be run."""
        max_score = sum(exercise.points for exercise in self.exercises)
        return Graded(
            student, self.lesson, "failed", reason, {}, max_score, sandboxed=self.sandboxed, courses_fault=courses_fault
        )

    def failed_by(self, student: str, error: Exception) -> Graded:
        """Return the result of a submission whose grading raised an error. The error's type shows whose fault it is."""
        if isinstance(error, UnreadableError):
            return self.failed(student, str(error))
        if isinstance(error, SetUpError | GivenUpError):
            return self.failed(student, str(error), courses_fault=True)
        doing = f"grading {student}'s {self.lesson}"
        if isinstance(error, OSError):  # the machine's fault, such as a full disk or a file that may not be read
            LOG.warning("%s failed", doing, exc_info=error)
        else:
            report(error, doing)
        return self.failed(student, f"grading it failed: {shortened(error)}", courses_fault=True)


def make_grader(
    course: Course,
    lesson: str,
    class_folder: Path,
    unsandboxed: bool = False,
    elsewhere: bool = False,
    submissions: Iterable[Submission] = (),
) -> Grader:
    """Prepare to grade a lesson.

    Args:
        class_folder: the folder with the class's secret.
        elsewhere: whether submissions run on other machines, so that this one needs no sandbox.
        submissions: the submissions to grade. They must not see each other.

    Raises:
        CourseError: the lesson is not built, the secret cannot be read or written, or there is no sandbox and none
            was waived.
    """
    follows_from = origin(course, lesson, class_folder, unsandboxed)
    missing = None if unsandboxed or elsewhere else bubblewrap_unavailable()
    if missing:
        raise CourseError(
            f"Submissions are run in a sandbox, and it cannot be used here: {missing}. Install bubblewrap "
            "(Debian, Ubuntu: apt-get install bubblewrap), or pass --unsandboxed if you trust every submission; "
            "the records will say so."
        )
    return Grader(
        lesson=lesson,
        secret=question_secret(class_folder, lesson, course.graders),
        folder=class_folder,
        released=nbformat.read(course.student_notebook(lesson), as_version=nbformat.NO_CONVERT),
        ours=_ours(course, lesson, "written") if course.written == "hand" else {},
        solutions=_ours(course, lesson, "exercise"),
        files=lambda: library_files(course, lesson, whole=False),
        # a new process could call forbidden functions unseen. Ways to use an existing process are noted
        limits=replace(Limits.of(course), answer_alone=True),
        sandboxed=not unsandboxed,
        origin=follows_from,
        graders=course.graders,
        private=(*private_folders(course, class_folder), *folders_of(submissions)),
    )


def _ours(course: Course, lesson: str, kind: str) -> dict[str, str]:
    """Return our version of the cells of a kind, by grade id."""
    path = course.solution_notebook(lesson)
    if not path.is_file():
        raise CourseError(f"{lesson} is not built. Run: course build")
    cells = nbformat.read(path, as_version=nbformat.NO_CONVERT).cells
    return {grade_id(cell): cell.source for cell in cells if kind_of(cell) == kind}
