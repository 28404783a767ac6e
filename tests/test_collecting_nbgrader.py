"""nbgrader and formgrader read the same times as we do, and no time makes them fail."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest
from collecting import place, scratch
from conftest import LESSON
from nbgrader.apps.api import NbGraderAPI
from nbgrader.coursedir import CourseDirectory

from autograder.nbgrader_commands.times import read_times_as_we_do
from autograder.submissions.submission_time import TIME, read_time

SAID = {
    "nbgrader's": b"2026-03-02 12:00:00 UTC",
    "another zone": b"2026-03-02 13:00:00 CET",
    "byte order mark": b"\xef\xbb\xbf2026-03-02 12:00:00 UTC\r\n",
    "UTF-16": "2026-03-02 12:00:00 UTC".encode("utf-16"),
    "no time": b"yesterday at noon",
    "half a time": b"12:00",
    "empty": b"",
    "too large": b"99999999999",
    "no text": b"\xff\xfe\xfd",
    "an unknown zone": b"2026-03-02 12:00:00 PST",
}


@pytest.mark.parametrize("what", SAID)
def test_formgrader_and_nbgrader_read_what_we_read_and_never_crash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    monkeypatch.setattr(CourseDirectory, "get_existing_timestamp", CourseDirectory.get_existing_timestamp)
    monkeypatch.setattr(NbGraderAPI, "get_submitted_timestamp", NbGraderAPI.get_submitted_timestamp)
    read_times_as_we_do()
    files = {f"kim/{LESSON}/{LESSON}.ipynb": scratch("x = 1"), f"kim/{LESSON}/{TIME}": SAID[what]}
    folder = place(tmp_path, files, "submitted")
    directory = CourseDirectory(root=str(tmp_path))
    expected = read_time(SAID[what])
    assert directory.get_existing_timestamp(str(folder / "kim" / LESSON)) == expected.time
    assert NbGraderAPI(directory).get_submitted_timestamp(LESSON, "kim") == expected.time
    assert expected.time in (None, datetime(2026, 3, 2, 12))
    assert directory.get_existing_timestamp(str(tmp_path / "nowhere")) is None


def test_a_time_behind_a_link_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CourseDirectory, "get_existing_timestamp", CourseDirectory.get_existing_timestamp)
    monkeypatch.setattr(NbGraderAPI, "get_submitted_timestamp", NbGraderAPI.get_submitted_timestamp)
    read_times_as_we_do()
    (tmp_path / "secret").write_text("2026-03-02 12:00:00 UTC")
    (tmp_path / TIME).symlink_to(tmp_path / "secret")
    assert CourseDirectory(root=str(tmp_path)).get_existing_timestamp(str(tmp_path)) is None
