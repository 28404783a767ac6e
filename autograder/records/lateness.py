"""What a late submission loses: nbgrader's own policy says, so that `course grade` and `nbgrader autograde` agree.

When a lesson is due, how much longer a student has and when a submission came in stand in the gradebook; who has longer
for every lesson, or for one, may stand in the roster, from which it is entered there. What being late costs stands in
``nbgrader_config.py``: ``c.LateSubmissionPlugin.penalty_method``, or a plug-in of one's own as
``c.AssignLatePenalties.plugin_class``. Without either it costs nothing.
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

from autograder.collecting.roster import Member
from course_lib.course import CourseError


class Lateness:
    """The late policy of a course. It is read when somebody is late: to read it takes seconds.

    Args:
        folder: the course's, with ``nbgrader_config.py``; None: being late costs nothing.
        members: of the class: some have longer than it, for every lesson or for one.
    """

    def __init__(self, folder: Path | None = None, members: Iterable[Member] = ()) -> None:
        self._folder, self._members = folder, {member.id: member for member in members}

    def extend(self, submission: SubmittedAssignment) -> None:
        """Enter the extra time that its student has by the roster, unless a longer extension stands there.

        Of a lesson without a due date nothing is entered: nbgrader adds an extension to the date without asking whether
        there is one. Once there is, `Records.settle` enters it.
        """
        if submission.assignment.duedate is None:
            return
        member = self._members.get(submission.student_id)
        extra = member.extra_time(submission.assignment.name) if member else timedelta()
        if extra > (submission.extension or timedelta()):
            submission.extension = extra

    def penalty(self, notebook: SubmittedNotebook, score: float | None = None) -> float | None:
        """The points that a submitted notebook loses by now, at most all that it has.

        Args:
            score: how many these are about to be, where that is not what the gradebook has.

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
                f"What {submission.student_id} loses for being late cannot be told, because the late policy of "
                f"{self._folder / _CONFIG} fails: {type(error).__name__}: {error}. Mend it and grade again."
            ) from None

    @cached_property
    def _policy(self) -> Any:
        assert self._folder
        config, folder = Config(), str(self._folder)
        sys.path.insert(0, folder)  # as nbgrader does: a plug-in may lie beside its configuration
        try:
            if (self._folder / _CONFIG).is_file():
                config = PyFileConfigLoader(_CONFIG, path=folder).load_config()
            step = AssignLatePenalties(config=config)
            step.init_plugin()
        finally:
            sys.path.remove(folder)
        return step.plugin_inst


_CONFIG = "nbgrader_config.py"
