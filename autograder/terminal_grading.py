"""Grade in the terminal: once, on trial, or again with every change shown before it is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from rich.markup import escape
from rich.table import Table

from autograder.first_few import first_few
from autograder.records.archive import Archive
from autograder.records.changes import Change, in_sum
from autograder.records.decisions import needs_decision, read_decisions, with_decision
from autograder.records.graded_diagrams import put_diagrams
from autograder.records.record import Record
from autograder.records.results import results
from autograder.submissions.submission import Submission, find_submissions
from autograder.terminal import out
from autograder.terminal_lateness import penalties_named
from autograder.terminal_progress import progress_bar
from autograder.terminal_stopping import stopped_once
from course_lib.checking.formatting import many, number, printable
from course_lib.course import Course, CourseError
from course_lib.our_errors import LOG

if TYPE_CHECKING:
    from autograder.gradebook.gradebook import Records
    from autograder.records.graded_so_far import GradedSoFar
    from autograder.records.regrading import Regrading


_LONGEST_WHY = 40  #: how many characters of the reason for a change have room in its row


@dataclass(frozen=True)
class Grading:
    """The inputs, the outputs and the options of grading.

    Attributes:
        submissions: the folder with the submissions.
        workers: the number of submissions that run at once on this machine.
        unsandboxed: whether they run with the grader's own permissions.
        scheduler: the scheduler of a cluster whose workers run them instead.
    """

    course: Course
    lesson: str
    submissions: Path
    archive: Archive
    workers: int
    unsandboxed: bool = False
    scheduler: str | None = None

    @cached_property
    def found(self) -> list[Submission]:
        """Return every submission of the lesson."""
        return find_submissions(self.submissions, self.lesson)

    @contextmanager
    def opened(self, force: bool = False) -> Iterator[GradedSoFar]:
        """Open the gradebook, and return the existing grades.

        Args:
            force: whether grades may be replaced that the class's folder does not know.

        Raises:
            CourseError: there are such grades, and ``force`` is not set.
        """
        from autograder.gradebook.gradebook import Records
        from autograder.gradebook.shares import worth_of
        from autograder.grading.origin import origin
        from autograder.records.graded_so_far import GradedSoFar
        from autograder.records.late_policy import lateness_of

        assert self.found
        self.archive.require()
        follows_from = origin(self.course, self.lesson, self.archive.folder, self.unsandboxed)
        lateness = lateness_of(self.course, self.archive)
        with Records(self.archive.gradebook, self.lesson, self.course.written, lateness) as records:
            if not force:
                self._require_same_folder(records)
            worth = {name.removeprefix("check-"): points for name, points in worth_of(self.released).items()}
            yield GradedSoFar(self.lesson, follows_from, self.archive, records, worth)

    def _require_same_folder(self, records: Records) -> None:
        graded = records.with_points()  # one may be another grader's first, not recorded yet
        if len(graded) > 1 and not any(self.archive.records(self.lesson)):
            raise CourseError(
                f"The gradebook has grades of {many(len(graded), 'student')} for {self.lesson}, but "
                f"{self.archive.folder} has no record of any, so they were given from another folder: graders of one "
                "gradebook share the class's folder. Grade from there, or grade these again with --force."
            )

    @cached_property
    def released(self) -> Any:
        """Return the lesson's notebook in its current build."""
        import nbformat

        return nbformat.read(self.course.student_notebook(self.lesson), as_version=nbformat.NO_CONVERT)

    def opened_to_look(self, folder: Path, force: bool = False) -> AbstractContextManager[GradedSoFar]:
        """Open the gradebook like `opened`, but never create one.

        Args:
            folder: the folder for a temporary gradebook, if there is none yet.
            force: whether grades may be replaced that the class's folder does not know.
        """
        from autograder.class_folder.gradebook_url import file_of

        there = file_of(self.archive.gradebook)
        if there is None or there.is_file():
            return self.opened(force)
        archive = replace(self.archive, url=f"sqlite:///{folder / 'gradebook.db'}")
        return replace(self, archive=archive).opened(force)

    @contextmanager
    def regrading(self, graded: GradedSoFar) -> Iterator[Regrading]:
        """Prepare everything that runs and judges submissions."""
        from autograder.building.missing_keys import make_answer_keys, up_to
        from autograder.grading.cluster import connect
        from autograder.grading.grader import make_grader
        from autograder.grading.pool import LocalPool, Pool
        from autograder.records.regrading import Regrading

        with ExitStack() as stack:
            pool: Pool = LocalPool(self.workers)
            if self.scheduler:
                pool = stack.enter_context(connect(self.scheduler, sandboxed=not self.unsandboxed))
            make_answer_keys(up_to(self.lesson), self.workers)
            elsewhere = bool(self.scheduler)
            grader = make_grader(self.course, self.lesson, self.archive.folder, self.unsandboxed, elsewhere, self.found)
            yield Regrading(grader, graded, self.course.unreadable, pool)


def grade_all(grading: Grading, force: bool = False) -> list[Record]:
    """Grade a folder of submissions with a progress bar. Return the results, sorted by student.

    Submissions whose grade cannot have changed are run again only with ``force``.
    """
    with grading.opened(force) as graded, penalties_named(graded.records):
        left = _left(grading, graded, force)
        _say_longer(grading, graded)
        _say_without_times(grading, graded)
        if shares := graded.shares(grading.found):
            _say_shares(shares)
        for one in graded.decided():
            out.print(escape(f"{one.student} {one.found}: {one.why}."), soft_wrap=True)
        _enter_points(grading, graded, left)
        graded.settle(grading.found, left)
        if left:
            with grading.regrading(graded) as regrading:
                again = regrading
                if reason := graded.graded_once_more(left):
                    again = regrading.drawn_anew(reason)
                    out.print(f"{reason}. They get new hidden questions.")
                said = "were graded and are kept. Run it again to grade the others."
                LOG.info("grading %s: %d of %d submissions", grading.lesson, len(left), len(grading.found))
                _with_progress(grading, again.grade(left), left, said)
                LOG.info("grading %s is done", grading.lesson)
        students = {submission.student for submission in grading.found}
        put_diagrams(grading.course, grading.lesson, grading.archive, students)
        recorded = results(grading.archive, graded.records, grading.lesson)
        return [record for record in recorded if record["student"] in students]


def grade_on_trial(grading: Grading, force: bool = False) -> list[Change]:
    """Grade without writing anything. Show and return what would change.

    The class's hidden questions are not asked, so nobody can learn them.
    """
    found: list[Change] = []
    new: list[Record] = []
    with TemporaryDirectory() as folder, grading.opened_to_look(Path(folder), force) as graded:
        if left := _left(grading, graded, force):
            with grading.regrading(graded) as regrading:
                trial = replace(regrading, grader=regrading.grader.on_trial(Path(folder)))
                stage = Archive(Path(folder) / "stage")
                _with_progress(grading, trial.stage(left, stage), left, "were tried. Nothing was written.")
                found = regrading.changes(left, stage)
                decisions = read_decisions(grading.archive)
                tried = (with_decision(record, decisions) for record in stage.records(grading.lesson))
                new = [record for record in tried if record["student"] not in graded.before]
        found += graded.shares(grading.found) + graded.decided()
        found += graded.settle(grading.found, left, write=False)
        _show(found, len(left) - len(new))
        if first := sum(record["status"] != "failed" for record in new):
            out.print(f"{many(first, 'student')} would be graded for the first time.")
        if failed := [record["student"] for record in new if needs_decision(record) and not record["decision"]]:
            need = f"{many(len(failed), 'student')} would need a decision, because the file cannot be graded"
            out.print(f"{need}: {escape(printable(', '.join(failed)))}.", soft_wrap=True)
    out.print("Nothing was written.")
    return found


def regrade(grading: Grading, force: bool, agreed: Callable[[], bool]) -> list[Change]:
    """Grade again everybody who has a grade. Show and return the changes, and write them if the instructor agrees.

    Args:
        agreed: asks the instructor once everything has been shown.
    """
    with grading.opened(force) as graded, TemporaryDirectory() as folder:
        to_grade = _left(grading, graded, force)
        left = [one for one in to_grade if one.student in graded.before]
        others = graded.shares(grading.found) + graded.decided()
        others += graded.settle(grading.found, to_grade, write=False)
        if not left and not others:
            out.print("No grade could be another by now.")
            return []
        with ExitStack() as stack:
            found, stage = others, Archive(Path(folder))
            if left:
                opened = stack.enter_context(grading.regrading(graded))
                regrading = opened.drawn_anew(graded.graded_once_more(left))
                said = "were graded again. Nothing was written."
                _with_progress(grading, regrading.stage(left, stage), left, said)
                found = regrading.changes(left, stage) + others
            _show(found, len(left))
            if found and not agreed():
                out.print("Nothing was written.")
                return []
            LOG.info("regrading %s: %d submissions", grading.lesson, len(left))
            _enter_points(grading, graded, left)
            graded.settle(grading.found, to_grade)
            if left:
                said = "were written. Run it again to write the others."
                _with_progress(grading, regrading.keep(left, stage), left, said)
                put_diagrams(grading.course, grading.lesson, grading.archive, [one.student for one in left])
    command = grading.archive.options.command("history STUDENT")
    out.print(f"Written. Earlier grades: {escape(command)}", soft_wrap=True)
    return found


def _enter_points(grading: Grading, graded: GradedSoFar, left: Sequence[Submission]) -> None:
    """Enter the current points of exercises, and update grades and penalties, even of those that are graded next."""
    new = graded.records.register(grading.released)
    graded.rescale_points(grading.found)
    if new:
        graded.records.settle(dict.fromkeys(submission.student for submission in left))


def _left(grading: Grading, graded: GradedSoFar, force: bool) -> list[Submission]:
    """Return the submissions to grade, and print how many are kept.

    Raises:
        CourseError: there are submissions to grade, but the build is stale.
    """
    found = grading.found
    left = list(found) if force else graded.left(found)
    if len(left) < len(found):
        kept = f"{len(found) - len(left)} of {len(found)}"
        out.print(f"{kept} are as they were graded before. With --force they are run again.")
    if left:
        from autograder.building.build import require_fresh

        require_fresh(grading.course, [grading.lesson], "grades")
    return left


def _say_longer(grading: Grading, graded: GradedSoFar) -> None:
    """Print the extensions that are longer in the gradebook than in the roster and ``deadlines.csv``."""
    from autograder.gradebook.deadlines_file import read_deadlines
    from autograder.records.deadlines import due_of

    written = read_deadlines(grading.course, grading.archive.folder)
    due = due_of([grading.lesson], graded.records, grading.archive, written).get(grading.lesson)
    if due and due.longer:
        out.print(escape(due.longer_in_words), soft_wrap=True)


def _say_without_times(grading: Grading, graded: GradedSoFar) -> None:
    """Count the submissions from Canvas that have no time and were not marked as late, if being late costs points."""
    from autograder.submissions.hand_in import unmarked_by_canvas

    if (unmarked := sum(map(unmarked_by_canvas, grading.found))) and graded.lateness_costs:
        out.print(
            f"{many(unmarked, 'submission')} from Canvas without a time: Canvas does not call them late, so they count "
            "as on time. If Canvas has no due date or another one, give times with course collect --times.",
            soft_wrap=True,
        )


def _say_shares(found: Sequence[Change]) -> None:
    """Print the students without a submission whose points change because the points of exercises have changed."""
    by_student: dict[str, float] = {}
    for one in found:
        by_student[one.student] = by_student.get(one.student, 0.0) + one.difference
    keep = f"{many(len(by_student), 'student')} without a submission {'keeps' if len(by_student) == 1 else 'keep'}"
    said = first_few(f"{student} {_signed(points)}" for student, points in by_student.items())
    out.print(f"{keep} their share of exercises that are worth other points by now: {escape(said)}.")


def _signed(points: float) -> str:
    points = round(points, 2)
    return f"{'+' if points > 0 else '−' if points < 0 else ''}{number(abs(points))}"


def _with_progress(grading: Grading, run: Generator[Record], left: Sequence[Submission], said: str) -> None:
    """Run grading with a progress bar.

    Args:
        said: the end of the sentence on how many are done if grading is stopped.
    """
    total, done = len(grading.found), 0
    with stopped_once(), progress_bar() as progress:
        bar = progress.add_task(f"Grading {grading.lesson}", total=total, completed=total - len(left))
        try:
            with closing(run):
                for record in run:
                    done += not record["courses_fault"]
                    progress.advance(bar)
        except (CourseError, KeyboardInterrupt) as error:
            progress.stop()
            rest = f"{done} of {len(left)} {said}"
            if isinstance(error, CourseError):
                raise CourseError(f"{error} {rest}") from None
            out.print(f"Stopped. {rest}")
            raise


def _show(found: Sequence[Change], graded: int) -> None:
    """Print a row for each change, and their sum.

    Args:
        graded: the number of submissions that were graded again.
    """
    if found:
        often, times = Counter(one.why for one in found).most_common(1)[0]
        above = often if times > 1 and len(often) > _LONGEST_WHY else ""
        if above:
            out.print(f"Why, unless a row says otherwise: {escape(printable(above))}.", soft_wrap=True)
        table = Table("Student", "Exercise", "Points", "What was found", "Why", box=None, header_style="bold")
        for one in found:
            old, new = ("–" if score is None else number(score).replace("-", "−") for score in (one.old, one.new))
            said, why = escape(printable(one.found)), "" if one.why == above else escape(printable(one.why))
            table.add_row(escape(one.student), one.exercise, f"{old} → {new}", said, why)
        out.print(table)
    students, together = in_sum(found)
    said = "No grade changes."
    if students:
        verb = "changes" if students == 1 else "change"
        said = f"{many(students, 'grade')} {verb}, by {_signed(together)} points in total."
    graded_again = f"{many(graded, 'submission')} graded again. " if graded else ""
    out.print(f"{graded_again}{said}")
