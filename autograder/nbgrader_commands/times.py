"""Make nbgrader's commands and formgrader read ``timestamp.txt`` as `course grade` does.

The originals fail on an invalid time, a byte order mark or UTF-16, and then formgrader's list of submissions never
loads.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

from autograder.submissions.plain_files import read_submitted
from autograder.submissions.submission_time import LONGEST_TIME, TIME, HandedIn, read_time


def read_times_as_we_do() -> None:
    """Replace nbgrader's two readers of times."""
    from nbgrader.apps.api import NbGraderAPI
    from nbgrader.coursedir import CourseDirectory

    CourseDirectory.get_existing_timestamp = _existing
    NbGraderAPI.get_submitted_timestamp = _submitted


def _existing(self: Any, dest_path: str) -> datetime | None:
    """Return the time in a submission's folder. Log a warning if it cannot be read."""
    found = _in_folder(dest_path)
    if found.problem:
        self.log.warning("%s: %s", dest_path, found.problem)
    return found.time


def _submitted(self: Any, assignment_id: str, student_id: str) -> datetime | None:
    """Return the time of a submission for formgrader's lists."""
    return _in_folder(self.coursedir.format_path(self.coursedir.submitted_directory, student_id, assignment_id)).time


def _in_folder(folder: str) -> HandedIn:
    return read_time(read_submitted(Path(folder, TIME), 4 * LONGEST_TIME + 1))
