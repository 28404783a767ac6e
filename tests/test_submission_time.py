"""A submission time is read exactly as nbgrader reads it, and reported if it can't be read."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest
from nbgrader.utils import parse_utc

from autograder.submissions.submission import Submission
from autograder.submissions.submission_time import read_time

NOON = datetime(2026, 3, 2, 12)
TIMES = {
    "2026-03-02 12:00:00 UTC": NOON,
    "2026-03-02 12:00:00.000000 UTC": NOON,
    "2026-03-02 12:00:00": NOON,
    "2026-03-02T12:00:00Z": NOON,
    "2026-03-02 13:00:00+01:00": NOON,
    "2026-03-02 13:00:00 CET": NOON,
    "2026-03-02 07:00:00 EST": NOON,
    "2026-03-02 04:00:00 America/Los_Angeles": NOON,
    "2026-03-02 17:30:00 Asia/Kolkata": NOON,
    "Mon Mar 2 12:00:00 2026": NOON,
    "Mon Mar  2 12:00:00 UTC 2026": NOON,
    "Mar 2, 2026 at 12pm": NOON,
    "Monday, 2 March 2026, 12:00 PM": NOON,
    "20260302T120000Z": NOON,
    "2026-03-02": datetime(2026, 3, 2),
    "22.11.2026 10:00": datetime(2026, 11, 22, 10),
}


@pytest.mark.parametrize("text", TIMES)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le"])
def test_a_time_is_read_as_nbgrader_reads_it_in_any_encoding(text: str, encoding: str) -> None:
    read = read_time(f"{text}\r\n".encode(encoding))
    assert (read.time, read.problem) == (TIMES[text], "")
    assert read.time == parse_utc(text)


DOUBTFUL = {
    "2026-03-02 12:00:00 PST": "nbgrader knows no time zone PST",
    "2026-03-02 12:00:00 CEST": "nbgrader knows no time zone CEST",
    "2026-03-02 03:00 PM": "nbgrader knows no time zone PM",
    "Mar 2 2026 12:00 EDT": "nbgrader knows no time zone EDT",
    "2026-03-02 12:00:00 +0100": "without a space before it",
    "03/02/2026 12:00": "with the month first",
    "03.02.2026 12:00": "with the month first",
}


@pytest.mark.filterwarnings("ignore::dateutil.parser.UnknownTimezoneWarning")  # parse_utc itself causes this warning
@pytest.mark.parametrize("text", DOUBTFUL)
def test_a_doubtful_time_is_read_as_nbgrader_reads_it_and_reported(text: str) -> None:
    read = read_time(text.encode())
    assert read.time == parse_utc(text) and DOUBTFUL[text] in read.problem


NO_TIMES = {
    "": "is empty",
    "\n\n": "is empty",
    "yesterday at noon": "cannot be read",
    "soon\x1b[2J": "cannot be read",
    "12:00": "no complete date",
    "Monday": "no complete date",
    "2026": "no complete date",
    "26 Nov": "no complete date",
    "99999999999": "cannot be read",
    "0001-01-01 00:00+14:00": "cannot be read",
    "9999-12-31 23:59:59 UTC": "is in no year in which a class could take place",
    "2026-02-30 12:00:00 UTC": "cannot be read",
    "2026-03-02 12:00:00 /etc/localtime": "cannot be read",
    "2026-03-02 12:00:00 ../../etc/localtime": "cannot be read",
    "1E99999999": "cannot be read",
    "2026-03-02 12:00:00 UTC" * 10: "cannot be read",
    "x" * 5000: "longer than any time",
}


@pytest.mark.parametrize("text", NO_TIMES)
def test_an_invalid_time_is_reported_and_never_guessed(text: str) -> None:
    read = read_time(text.encode())
    assert read.time is None and NO_TIMES[text] in read.problem and read.problem.isprintable()


def test_a_line_end_after_utf_16_costs_nothing() -> None:
    assert read_time("2026-03-02 12:00:00 UTC".encode("utf-16") + b"\n").time == NOON


def test_a_submission_knows_its_time_and_what_is_wrong_with_it(tmp_path: Path) -> None:
    path = tmp_path / "kim/03/03.ipynb"
    path.parent.mkdir(parents=True)
    assert (Submission("kim", path).time, Submission("kim", path).time_problem) == (None, ""), "a missing file is fine"
    path.with_name("timestamp.txt").write_text("2026-03-02 13:00:00 CET")
    assert (Submission("kim", path).time, Submission("kim", path).time_problem) == (NOON, "")
    path.with_name("timestamp.txt").write_text("soon")
    assert Submission("kim", path).time is None and "'soon' cannot be read" in Submission("kim", path).time_problem
