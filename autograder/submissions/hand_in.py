"""Describe doubts about when and whether a submission was handed in, and its lateness, for the instructor."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta

from autograder.submissions.submission import DOWNLOAD, DRAFT, LATE, VERSIONS, Submission
from autograder.submissions.submission_time import HandedIn
from course_lib.checking.formatting import printable

#: the doubt about a draft
IS_DRAFT = "Moodle's worksheet calls it a draft, which was not submitted"
#: how the doubt about a submission of several versions begins
WHICH_VERSION = "it is not clear which version counts"
_ENTER = "enter the time in timestamp.txt, as 2026-03-02 12:00:00 UTC"
#: the doubt about a submission whose time is unknown
TIME_UNKNOWN = f"the submission time is unknown, so nothing is taken off for being late: {_ENTER}"


def doubts_about(submission: Submission, may_cost: Callable[[], bool]) -> list[str]:
    """Return the doubts about when and whether a submission was handed in, which ask the instructor for a decision.

    Args:
        may_cost: returns whether being late costs points. It is called only if the time is unknown.
    """
    known = [IS_DRAFT] if _has(submission, DRAFT) else []
    if versions := submission.of_grader(VERSIONS, 2_000):
        known.append(f"{WHICH_VERSION}: {printable(' '.join(versions.decode('utf-8', 'replace').split()))}")
    handed_in = submission.handed_in
    if handed_in.time is not None or handed_in.problem:
        unread = ". Until then it does not count as late" if handed_in.time is None else ""
        problems = [f"{handed_in.problem}{unread}"] if handed_in.problem else []
        return known + (problems or _doubt_about_author(handed_in, may_cost))
    if _has(submission, LATE):
        late = "late according to the learning management system, but it is not known by how much, so nothing is taken"
        return [*known, f"{late} off: {_ENTER}"]
    return known if unmarked_by_canvas(submission) or not may_cost() else [*known, TIME_UNKNOWN]


def _doubt_about_author(handed_in: HandedIn, may_cost: Callable[[], bool]) -> list[str]:
    """Doubt a time that its student may have written, if being late costs points."""
    if not handed_in.author or not may_cost():
        return []
    return [
        f"the time {handed_in.time:%Y-%m-%d %H:%M} UTC is in a timestamp.txt of {handed_in.author}, who could write "
        "any time there: if it is right, accept it, otherwise enter the time in a file of your own"
    ]


def unmarked_by_canvas(submission: Submission) -> bool:
    """Return whether a submission without a time came from Canvas, which marks late files, and was not marked."""
    if submission.time is not None or submission.time_problem or _has(submission, LATE):
        return False
    try:
        record = json.loads(submission.of_grader(DOWNLOAD, 20_000) or b"{}")
        return str(record["source"]).startswith("Canvas: ")
    except (ValueError, RecursionError, LookupError, TypeError):
        return False


def _has(submission: Submission, name: str) -> bool:
    return submission.beside(name, 1) is not None


def late_by(seconds: float) -> str:
    """Describe how late a submission was handed in. Return an empty string if it was on time."""
    if seconds <= 0:
        return ""
    minutes = max(1, round(timedelta(seconds=seconds) / timedelta(minutes=1)))
    days, hours, minutes = minutes // 1440, minutes // 60 % 24, minutes % 60
    parts = [
        f"{n} {unit}{'' if n == 1 else 's'}" for n, unit in ((days, "day"), (hours, "hour"), (minutes, "minute")) if n
    ]
    return f"handed in {' '.join(parts[:2])} late"
