"""Work out late penalties with nbgrader's own mechanism, so that `course grade` and `nbgrader autograde` agree.

The due dates and extensions in ``deadlines.csv`` and the roster are entered into the gradebook, and so are submission
times. The penalty follows `course.toml`, see `course_lib.late_policy`. Two settings in ``nbgrader_config.py`` take
precedence: the plug-in in ``c.AssignLatePenalties.plugin_class``, and ``c.LateSubmissionPlugin.penalty_method``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

from nbgrader.api import SubmittedAssignment, SubmittedNotebook
from nbgrader.preprocessors import AssignLatePenalties
from traitlets.config import Config, PyFileConfigLoader

from autograder.collecting.roster import Member
from autograder.gradebook.deadlines_file import DeadlinesFile
from course_lib.course import CourseError, read_course


class Lateness:
    """The late policy of a course. It is read only when somebody is late, because that takes seconds.

    Args:
        folder: the course's folder, with ``nbgrader_config.py``. If it is None, being late costs nothing.
        members: the members of the class, some of whom have extensions.
        deadlines: the due dates and extensions in ``deadlines.csv``.
    """

    def __init__(
        self, folder: Path | None = None, members: Iterable[Member] = (), deadlines: DeadlinesFile | None = None
    ) -> None:
        self._folder, self._members = folder, {member.id: member for member in members}
        self._deadlines = deadlines or DeadlinesFile(Path())

    def granted(self, lesson: str, student: str) -> timedelta:
        """Return a student's extension according to the roster and ``deadlines.csv``."""
        member = self._members.get(student)
        rostered = member.extra_time(lesson) if member else timedelta()
        return max(rostered, self._deadlines.extra_time(lesson, student))

    def due(self, lesson: str) -> datetime | None:
        """Return a lesson's due date according to ``deadlines.csv``, if it has one there."""
        return self._deadlines.due.get(lesson)

    def extend(self, submission: SubmittedAssignment) -> None:
        """Enter the due date from ``deadlines.csv``, and a student's extension unless the gradebook has a longer one.

        Enter no extension if a lesson has no due date, because nbgrader would fail to add the two. `Records.settle`
        enters the extension once there is a date.
        """
        lesson = submission.assignment.name
        if due := self.due(lesson):
            submission.assignment.duedate = due
        if submission.assignment.duedate is None:
            return
        extra = self.granted(lesson, submission.student_id)
        if extra > (submission.extension or timedelta()):
            submission.extension = extra

    def penalty(self, notebook: SubmittedNotebook, score: float | None = None) -> float | None:
        """Return the late penalty of a submitted notebook, which is at most its score.

        Args:
            score: the score that the notebook is about to get, if it differs from the gradebook's.

        Raises:
            CourseError: the policy fails.
        """
        submission = notebook.assignment
        seconds = submission.total_seconds_late if submission.assignment.duedate else 0
        if not seconds or self._folder is None:
            return None
        score = notebook.score if score is None else score  # adding it up takes a query
        try:
            lost = self._policy.late_submission_penalty(submission.student_id, score, seconds)
            return None if lost is None else min(max(0.0, float(lost)), score)
        except Exception as error:
            raise CourseError(
                f"What {submission.student_id} loses for being late cannot be worked out, because the late policy of "
                f"{self._folder / _CONFIG} fails: {type(error).__name__}: {error}. Correct it and try again."
            ) from None

    @cached_property
    def costs(self) -> bool:
        """Return whether being late may cost points.

        Loading nbgrader's configuration takes seconds, so only search it for the two settings that replace the policy.
        """
        if self._folder is None:
            return False
        path = self._folder / _CONFIG
        text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
        return read_course(self._folder).late.policy != "none" or any(name in text for name in _OWN_POLICY)

    @cached_property
    def _policy(self) -> Any:
        assert self._folder
        config, folder = Config(), str(self._folder)
        sys.path.insert(0, folder)  # as nbgrader does, because a plug-in may be next to its configuration
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
    """Make nbgrader apply the policy of `course.toml`, unless its configuration names another plug-in."""
    if "plugin_class" not in config.AssignLatePenalties:
        config.AssignLatePenalties.plugin_class = "autograder.gradebook.late_plugin.CoursePolicy"
    config.CoursePolicy.root = str(folder)


_CONFIG = "nbgrader_config.py"
#: nbgrader's settings that replace the late policy of `course.toml`
_OWN_POLICY = ("plugin_class", "penalty_method")
