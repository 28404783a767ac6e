"""The late policy of `course.toml` as a plug-in of nbgrader, so that `nbgrader autograde` takes off the same points."""

from __future__ import annotations

from pathlib import Path

from nbgrader.plugins import LateSubmissionPlugin
from traitlets import Unicode

from course_lib.course import read_course


class CoursePolicy(LateSubmissionPlugin):  # type: ignore[misc]
    """Takes off what `course.toml` says, unless ``LateSubmissionPlugin.penalty_method`` is set."""

    root = Unicode("", help="The course's folder.").tag(config=True)

    def late_submission_penalty(self, student_id: str, score: float, total_seconds_late: float) -> float | None:
        """The points that a submission loses.

        Raises:
            CourseError: `course.toml` is not right.
        """
        if self.penalty_method != "none":
            return super().late_submission_penalty(student_id, score, total_seconds_late)  # type: ignore[no-any-return]
        root = Path(self.root)
        if not (root / "course.toml").is_file():
            return None
        return read_course(root).late.lost(score, total_seconds_late)
