"""The time and lateness of a submission stay with the file that they belong to."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from collecting import ROSTER, Class, place, scratch
from conftest import LESSON

from autograder.collecting.roster import Roster
from autograder.collecting.times import Times, read_times
from autograder.submissions.submission_time import HandedIn
from course_lib.course import CourseError

MINE, OTHER = (scratch(f"def softmax(x, dim):\n    return {n}") for n in (1, 2))


def read(tmp_path: Path, text: str, timezone: str = "UTC") -> Times:
    return read_times(place(tmp_path, {"t.csv": text}, "tables") / "t.csv", LESSON, ROSTER, timezone=timezone)


def times(tmp_path: Path, text: str) -> Mapping[str, HandedIn]:
    return read(tmp_path, text).by_student


TABLES = {
    "ours": "student,lesson,time\nkim,03,2026-03-02 12:00 UTC\nkim,02,2026-01-01\nada,3,2026-03-02 07:00 EST\nzo,,\n",
    "without lessons": "student,time\nKim Lee,2026-03-02 12:00\n101,2026-03-02 13:00:00+01:00\n",
    "semicolons": "sep=;\nStudent;Time\nkim;2026-03-02 13:00:00 CET\nada.l@uni.example;2026-03-02 13:00:00 +01:00\n",
    "Moodle's grading worksheet": "Identifier,Full name,Email address,Status,Last modified (submission)\n"
    'Participant 1,Kim Lee,kim.lee@uni.example,Submitted,"Monday, 2 March 2026, 12:00 PM"\n'
    'Participant 2,Ada Lovelace,ada.l@uni.example,Submitted,"Monday, 2 March 2026, 12:00 PM"\n'
    "Participant 3,Zoë O'Brien,zo@uni.example,No submission,-\n",
}


@pytest.mark.parametrize("what", TABLES)
def test_times_may_be_given_by_hand(tmp_path: Path, what: str) -> None:
    a_class = Class(tmp_path)
    files = {f"leekim_LATE_102_9_{LESSON}.ipynb": MINE, f"lovelaceada_101_9_{LESSON}.ipynb": MINE}
    a_class.collect(files, times=times(tmp_path, TABLES[what]))
    for student in ("kim", "ada"):
        assert a_class.file(student, "timestamp.txt").read_text() == "2026-03-02 12:00:00 UTC\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n", "needs the columns student and time"),
        ("student,time\nmallory,2026-03-02\n", "line 2 names 'mallory', who does not match exactly one student"),
        ("student,time\nkim,yesterday at noon\n", "line 2: .*'yesterday at noon' cannot be read"),
        ("student,time\n\nkim,12:00\n", "line 3: .*no complete date"),
        ("student,time\nkim,2026-03-02 12:00:00 PST\n", "no time zone PST"),
        ("student,time\nkim,03/02/2026\n", "month first"),
        ("student,time\nkim,2026-03-02\nKim Lee,2026-03-03\n", "line 3 gives kim a second time"),
    ],
)
def test_an_error_in_the_table_of_times_says_where(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(CourseError, match=message):
        times(tmp_path, text)


#: times that a table may have, with the same times in UTC if the course is in Berlin
IN_BERLIN = {
    "2026-11-21 00:03": "2026-11-20 23:03:00 UTC\n",
    "2026-07-21 00:03": "2026-07-20 22:03:00 UTC\n",
    "2026-10-25 02:30": "2026-10-25 00:30:00 UTC\n",
    "Saturday, 21 November 2026, 12:03 AM": "2026-11-20 23:03:00 UTC\n",
    "2026-11-21T00:03:00": "2026-11-20 23:03:00 UTC\n",
    "2026-11-21 00:03 UTC": "2026-11-21 00:03:00 UTC\n",
    "2026-11-21 00:03 +00:00": "2026-11-21 00:03:00 UTC\n",
    "2026-11-21T00:03:00Z": "2026-11-21 00:03:00 UTC\n",
    "2026-07-21 00:03 EST": "2026-07-21 05:03:00 UTC\n",
}


@pytest.mark.parametrize("said", IN_BERLIN)
def test_a_time_without_a_zone_is_read_in_the_courses_zone_and_stored_in_utc(tmp_path: Path, said: str) -> None:
    found = read(tmp_path, f'student,time\nkim,"{said}"\n', "Europe/Berlin")
    a_class = Class(tmp_path)
    a_class.collect({f"kim/{LESSON}.ipynb": MINE}, times=found.by_student)
    assert a_class.file("kim", "timestamp.txt").read_text() == IN_BERLIN[said]
    names_one = said.endswith(("UTC", "Z", "+00:00", "EST"))
    assert ("name no zone were read in Europe/Berlin (late.timezone in course.toml)" in found.note) is not names_one


def test_without_a_zone_in_the_course_a_time_is_read_in_utc_and_one_line_says_so(tmp_path: Path) -> None:
    found = read(tmp_path, "student,time\nkim,2026-07-21 00:03\nada,2026-07-21 00:03 UTC\n")
    assert found.by_student["kim"] == found.by_student["ada"]
    assert "read in UTC" in found.note and "set late.timezone" in found.note and found.note.count("\n") == 0


def test_all_wrong_lines_are_listed_up_to_ten(tmp_path: Path) -> None:
    rows = [f"kim,2026-11-{day} 00:03 CEST\n" for day in range(10, 22)] + [
        "ada,2026-03-02 12:00\n",
        "mallory,2026-03-02\n",
    ]
    with pytest.raises(CourseError) as raised:
        times(tmp_path, "student,time\n" + "".join(rows))
    first, *lines, last = str(raised.value).split("\n")
    assert first.startswith("Nothing was collected. Correct these lines of ") and first.endswith("t.csv:")
    assert [line.partition(":")[0] for line in lines] == [f"line {n}" for n in range(2, 12)]
    assert last == "And 3 more."


SUMMER = {"CEST": "Europe/Berlin", "BST": "Europe/London", "EDT": "America/New_York", "PDT": "America/Los_Angeles"}


@pytest.mark.parametrize(("zone", "place"), SUMMER.items())
def test_a_well_known_abbreviation_comes_with_a_zone_that_can_be_read(tmp_path: Path, zone: str, place: str) -> None:
    with pytest.raises(CourseError, match=f"write it as 2026-07-21 00:03 {place}"):
        times(tmp_path, f"student,time\nkim,2026-07-21 00:03 {zone}\n")
    assert times(tmp_path, f"student,time\nkim,2026-07-21 00:03 {place}\n")["kim"].time


def test_times_by_hand_may_come_after_the_file(tmp_path: Path) -> None:
    a_class = Class(tmp_path)
    a_class.collect({f"kim/{LESSON}.ipynb": MINE})
    assert not a_class.file("kim", "timestamp.txt").exists()
    outcome = a_class.collect({f"kim/{LESSON}.ipynb": MINE}, times=times(tmp_path, "student,time\nkim,2026-03-02\n"))
    assert outcome[f"kim/{LESSON}.ipynb"].became == "same"
    assert a_class.file("kim", "timestamp.txt").read_text() == "2026-03-02 00:00:00 UTC\n"


def test_a_later_file_without_a_time_does_not_inherit_one(tmp_path: Path) -> None:
    a_class = Class(tmp_path)
    first, second = (f"leekim_102_{number}_{LESSON}.ipynb" for number in (9, 10))
    a_class.collect({first: MINE}, times=times(tmp_path, "student,time\nkim,2026-03-02 12:00\n"))
    assert a_class.collect({first: MINE})[first].became == "same"
    assert a_class.file("kim", "timestamp.txt").exists(), "the time belongs to this file"
    outcome = a_class.collect({second: OTHER})[second]
    assert not a_class.file("kim", "timestamp.txt").exists()
    assert outcome.became == "replaced" and outcome.needs_a_look and "its time is unknown" in outcome.note


@pytest.mark.parametrize("said", ["yesterday at noon", "", "12:00", "\x1b[2J"])
def test_a_time_that_cannot_be_read_is_reported_and_never_stored(tmp_path: Path, said: str) -> None:
    a_class = Class(tmp_path)
    files = {
        f"kim/{LESSON}/{LESSON}.ipynb": MINE,
        f"kim/{LESSON}/timestamp.txt": said,
        f"ada/{LESSON}/{LESSON}.ipynb": MINE,
    }
    outcomes = a_class.collect({**files, f"ada/{LESSON}/timestamp.txt": "2026-03-02 12:00:00 UTC"})
    outcome = outcomes[f"kim/{LESSON}/{LESSON}.ipynb"]
    assert (outcome.needs_a_look and "timestamp.txt is empty" in outcome.note) or "the time" in outcome.note
    assert not a_class.file("kim", "timestamp.txt").exists()
    assert a_class.last
    [kim] = [one for one in a_class.last.students if one.student == "kim"]
    assert kim.time_problem and kim.time_problem in "\n".join(a_class.last.in_words())


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_time_may_be_in_any_encoding_and_zone(tmp_path: Path, encoding: str) -> None:
    a_class = Class(tmp_path)
    said = "2026-03-02 04:00:00 America/Los_Angeles\r\n".encode(encoding)
    a_class.collect({f"kim/{LESSON}/{LESSON}.ipynb": MINE, f"kim/{LESSON}/timestamp.txt": said})
    assert a_class.file("kim", "timestamp.txt").read_text() == "2026-03-02 12:00:00 UTC\n"


def test_the_late_mark_of_canvas_is_kept_until_another_file_comes(tmp_path: Path) -> None:
    a_class = Class(tmp_path)
    a_class.collect({f"leekim_LATE_102_9_{LESSON}.ipynb": MINE, f"lovelaceada_101_9_{LESSON}.ipynb": MINE})
    assert "late" in a_class.file("kim", "late.txt").read_text() and not a_class.file("ada", "late.txt").exists()
    assert a_class.last and "Marked as late, without a time: kim." in "\n".join(a_class.last.in_words())
    a_class.collect(
        {f"leekim_LATE_102_9_{LESSON}.ipynb": MINE}, times=times(tmp_path, "student,time\nkim,2026-03-02\n")
    )
    assert "Marked as late" not in "\n".join(a_class.last.in_words()), "the time says more"
    a_class.collect({f"leekim_102_10_{LESSON}.ipynb": OTHER})
    assert not a_class.file("kim", "late.txt").exists()


@pytest.mark.parametrize("folder", ["kim", "hw3-kim", f"kim/{LESSON}/src", f"{LESSON}/kim"])
@pytest.mark.parametrize("roster", [ROSTER, None], ids=["roster", "none"])
def test_a_time_outside_nbgraders_layout_is_ignored_with_a_remark(
    tmp_path: Path, folder: str, roster: Roster | None
) -> None:
    a_class = Class(tmp_path, roster=roster)
    outcomes = a_class.collect({f"{folder}/{LESSON}.ipynb": MINE, f"{folder}/timestamp.txt": "2020-01-01 00:00:00 UTC"})
    assert not list((tmp_path / "submitted").rglob("timestamp.txt"))
    assert roster is None or "timestamp.txt is ignored" in outcomes[f"{folder}/{LESSON}.ipynb"].note
