"""What a late submission loses: nbgrader's own policy says, so that `course grade` and `nbgrader autograde` agree.

When a lesson is due and how much longer a student has is entered in the gradebook, from ``deadlines.csv`` and the
roster; so is when a submission came in. What being late costs follows `course.toml`, see `course_lib.late_policy`. A
plug-in that ``nbgrader_config.py`` names as ``c.AssignLatePenalties.plugin_class``, and
``c.LateSubmissionPlugin.penalty_method``, take precedence over that.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

from nbgrader.api import SubmittedAssignment, SubmittedNotebook
from nbgrader.preprocessors import AssignLatePenalties
from traitlets.config import Config, PyFileConfigLoader

from autograder.collecting.roster import Member, enrolled
from autograder.records.archive import Archive
from autograder.records.deadlines_file import DeadlinesFile, read_deadlines
from course_lib.course import Course, CourseError


class Lateness:
    """The late policy of a course. It is read when somebody is late: to read it takes seconds.

    Args:
        folder: the course's, with ``nbgrader_config.py``; None: being late costs nothing.
        members: of the class: some have longer than it, for every lesson or for one.
        deadlines: due dates and extensions from the class's file.
    """

    def __init__(
        self, folder: Path | None = None, members: Iterable[Member] = (), deadlines: DeadlinesFile | None = None
    ) -> None:
        self._folder, self._members = folder, {member.id: member for member in members}
        self._deadlines = deadlines or DeadlinesFile(Path())

    def granted(self, lesson: str, student: str) -> timedelta:
        """How much longer than the class a student has, by the roster and the class's file."""
        member = self._members.get(student)
        rostered = member.extra_time(lesson) if member else timedelta()
        return max(rostered, self._deadlines.extra_time(lesson, student))

    def extend(self, submission: SubmittedAssignment) -> None:
        """Enter the due date of the class's file, and the extra time that a student has, unless there is a longer one.

        If a lesson has no due date, no extension is entered: nbgrader adds an extension to the date without asking
        whether there is one. Once there is, `Records.settle` enters it.
        """
        lesson = submission.assignment.name
        if due := self._deadlines.due.get(lesson):
            submission.assignment.duedate = due
        if submission.assignment.duedate is None:
            return
        extra = self.granted(lesson, submission.student_id)
        if extra > (submission.extension or timedelta()):
            submission.extension = extra

    def penalty(self, notebook: SubmittedNotebook, score: float | None = None) -> float | None:
        """The points that a submitted notebook loses now, at most all that it has.

        Args:
            score: how many these are about to be, if that is not what the gradebook has.

        Raises:
            CourseError: the policy fails.
        """
        submission = notebook.assignment
        seconds = submission.total_seconds_late if submission.assignment.duedate else 0
        if not seconds or self._folder is None:
            return None
        score = notebook.score if score is None else score  # to add it up takes a query
        try:
            lost = self._policy.late_submission_penalty(submission.student_id, score, seconds)
            return None if lost is None else min(max(0.0, float(lost)), score)
        except Exception as error:
            raise CourseError(
                f"What {submission.student_id} loses for being late cannot be worked out, because the late policy of "
                f"{self._folder / _CONFIG} fails: {type(error).__name__}: {error}. Correct it and grade again."
            ) from None

    @cached_property
    def _policy(self) -> Any:
        assert self._folder
        config, folder = Config(), str(self._folder)
        sys.path.insert(0, folder)  # as nbgrader does: a plug-in may lie beside its configuration
        try:
            if (self._folder / _CONFIG).is_file():
                config = PyFileConfigLoader(_CONFIG, path=folder).load_config()
            use_course_policy(config, self._folder)
            step = AssignLatePenalties(config=config)
            step.init_plugin()
        finally:
            sys.path.remove(folder)
        return step.plugin_inst


def use_course_policy(config: Any, folder: Path) -> None:
    """Let nbgrader take off what `course.toml` says, unless a configuration names a plug-in of its own."""
    if "plugin_class" not in config.AssignLatePenalties:
        config.AssignLatePenalties.plugin_class = "autograder.records.late_plugin.CoursePolicy"
    config.CoursePolicy.root = str(folder)


def lateness_of(course: Course, archive: Archive) -> Lateness:
    """The late policy of a course, with the deadlines of a class.

    Raises:
        CourseError: the roster or the class's file of deadlines cannot be read.
    """
    return Lateness(course.root, enrolled(archive.roster, None), read_deadlines(course, archive))


_CONFIG = "nbgrader_config.py"
