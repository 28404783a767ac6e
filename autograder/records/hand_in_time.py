"""Describe doubts about a submission's time, and its lateness, for the instructor."""

from __future__ import annotations

from datetime import timedelta

from autograder.grading.submissions import LATE, Submission, read_plain


def about_time(submission: Submission) -> str:
    """Return what an instructor must know about the time of a submission, or an empty string.

    Report an unreadable time, and a file that a system marked as late without a time, because neither must be
    mistaken for a punctual submission.
    """
    time, problem = submission.time, submission.time_problem
    if time is None and problem:
        return f"{problem}. Until then it does not count as late"
    if time is None and read_plain(submission.path.with_name(LATE), 1) is not None:
        return (
            "late according to the learning management system, but it is not known by how much, so nothing is taken "
            "off: enter the time in timestamp.txt, as 2026-03-02 12:00:00 UTC"
        )
    return problem


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
