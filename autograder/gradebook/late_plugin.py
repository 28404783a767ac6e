"""Provide the late policy of `course.toml` as an nbgrader plug-in, so that `nbgrader autograde` applies it, too."""

from __future__ import annotations

from pathlib import Path

from nbgrader.plugins import LateSubmissionPlugin
from traitlets import Unicode

from course_lib.course import read_course


class CoursePolicy(LateSubmissionPlugin):  # type: ignore[misc]
    """Deduct points according to `course.toml`, unless ``LateSubmissionPlugin.penalty_method`` is set."""

    root = Unicode("", help="The course's folder.").tag(config=True)

    def late_submission_penalty(self, student_id: str, score: float, total_seconds_late: float) -> float | None:
        """Return the points that a submission loses.

        Raises:
            CourseError: `course.toml` is invalid.
        """
        if self.penalty_method != "none":
            return super().late_submission_penalty(student_id, score, total_seconds_late)  # type: ignore[no-any-return]
        root = Path(self.root)
        if not (root / "course.toml").is_file():
            return None
        return read_course(root).late.lost(score, total_seconds_late)
