"""Collecting again keeps the newer of two notebooks, whichever download is collected first."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from collecting import Class, scratch
from conftest import LESSON

from autograder.collecting.roster import Member, Roster
from autograder.submissions.submission import DOWNLOAD, find_submissions
from autograder.submissions.submission_time import HandedIn, parse_time

OLD, NEW, OWN = (scratch(f"def softmax(x, dim):\n    return {n}") for n in (1, 2, 3))
AT = {"kim": parse_time("2026-03-02 12:00:00 UTC")}

#: the names of an earlier and a later file of one student
EARLIER_AND_LATER = {
    "Canvas's number": (f"mülleranna_102_91002_{LESSON}-2.ipynb", f"mülleranna_LATE_102_92002_{LESSON}-3.ipynb"),
    "a number with more digits": (f"leekim_102_9_{LESSON}.ipynb", f"leekim_102_10_{LESSON}.ipynb"),
    "the number of an archive": ("leekim_102_9_all.zip/x.ipynb", "leekim_102_10_y.ipynb"),
    "Teams' version": (f"Submitted files/Kim Lee/L3/Version 9/{LESSON}.ipynb",
                       f"Submitted files/Kim Lee/L3/Version 10/{LESSON}.ipynb"),
    "Blackboard's time": ("HW_kim_attempt_2025-02-10-23-58-12_x.ipynb", "HW_kim_attempt_2025-02-11-20-01-40_a.ipynb"),
    "the copy's number": (f"kim/{LESSON}.ipynb", f"kim/{LESSON} (1).ipynb"),
}  # fmt: skip


@pytest.mark.parametrize("timed", [False, True], ids=["no times", "a time for the newer one"])
@pytest.mark.parametrize("what", EARLIER_AND_LATER)
def test_an_older_download_never_replaces_newer_work(tmp_path: Path, what: str, timed: bool) -> None:
    earlier, later = EARLIER_AND_LATER[what]
    a_class = Class(tmp_path)
    a_class.collect({later: NEW}, times=AT if timed else {})
    outcome = a_class.collect({earlier: OLD})[earlier]
    assert outcome.became == "not used" and not outcome.needs_a_look and later in outcome.note, outcome
    assert "return 2" in a_class.content("kim")
    assert a_class.file("kim", "timestamp.txt").is_file() is timed
    assert a_class.collect({later: NEW})[later].became == "same"


@pytest.mark.parametrize("what", EARLIER_AND_LATER)
def test_a_newer_download_replaces_older_work_without_a_look(tmp_path: Path, what: str) -> None:
    earlier, later = EARLIER_AND_LATER[what]
    a_class = Class(tmp_path)
    a_class.collect({earlier: OLD})
    outcome = a_class.collect({later: NEW})[later]
    assert outcome.became == "replaced" and not outcome.needs_a_look
    assert "return 2" in a_class.content("kim")
    again = a_class.collect({earlier: OLD})[earlier]
    assert again.became == "not used" and "return 2" in a_class.content("kim")


@pytest.mark.parametrize("times", [({}, {}), (AT, {}), ({}, AT), (AT, AT)], ids=["none", "first", "second", "equal"])
def test_if_the_order_is_not_clear_the_first_stays_with_its_time_and_both_are_shown(
    tmp_path: Path, times: tuple[dict[str, HandedIn], dict[str, HandedIn]]
) -> None:
    path = f"Kim Lee_12_assignsubmission_file_/{LESSON}.ipynb"
    a_class = Class(tmp_path)
    a_class.collect({path: NEW}, times=times[0])
    outcome = a_class.collect({path: OLD}, times=times[1])[path]
    assert outcome.became == "not used" and outcome.needs_a_look and "return 2" in a_class.content("kim")
    assert f"delete submitted/kim/{LESSON}/{LESSON}.ipynb and collect again" in outcome.note
    assert a_class.file("kim", "timestamp.txt").is_file() is bool(times[0])
    a_class.file("kim").unlink()
    assert a_class.collect({path: OLD})[path].became == "new" and "return 1" in a_class.content("kim")


def test_the_same_content_from_an_older_download_does_not_hide_that_it_was_handed_in_again(tmp_path: Path) -> None:
    a_class = Class(tmp_path)
    for number, content in ((30, NEW), (10, NEW), (20, OLD)):
        a_class.collect({f"leekim_102_{number}_x.ipynb": content})
    assert "return 2" in a_class.content("kim")


def test_collecting_the_classs_own_folder_keeps_what_is_known_of_the_download(tmp_path: Path) -> None:
    a_class = Class(tmp_path)
    a_class.collect({"leekim_102_30_x.ipynb": NEW})
    a_class.collect_from(tmp_path / "submitted")
    assert set(path.name for path in a_class.file("kim").parent.iterdir()) == {f"{LESSON}.ipynb", DOWNLOAD}
    a_class.collect({"leekim_102_20_x.ipynb": OLD})
    assert "return 2" in a_class.content("kim")


def test_a_file_from_another_account_does_not_replace_a_collected_one(tmp_path: Path) -> None:
    a_class = Class(tmp_path, roster=Roster([Member("kim", "Kim", "Lee")]))
    a_class.collect({"leekim_102_9_x.ipynb": NEW})
    outcome = a_class.collect({"leekim_555_10_x.ipynb": OLD})["leekim_555_10_x.ipynb"]
    assert outcome.became == "not used" and outcome.needs_a_look and "different accounts" in outcome.note
    assert "return 2" in a_class.content("kim")


@pytest.mark.parametrize(
    "record", [b"", b"{", b"[1]", b"\xff", b'{"path": 3, "number": "x"}', b"[" * 9_000, b"9" * 19_000]
)
def test_a_record_that_cannot_be_used_only_makes_the_order_unclear(tmp_path: Path, record: bytes) -> None:
    a_class = Class(tmp_path)
    a_class.collect({"leekim_102_9_x.ipynb": OLD})
    a_class.file("kim", DOWNLOAD).write_bytes(record)
    outcome = a_class.collect({"leekim_102_10_x.ipynb": NEW})["leekim_102_10_x.ipynb"]
    assert outcome.became == "not used" and outcome.needs_a_look and "return 1" in a_class.content("kim")


def test_a_record_does_not_describe_a_notebook_that_somebody_has_changed(tmp_path: Path) -> None:
    a_class = Class(tmp_path)
    a_class.collect({"leekim_102_9_x.ipynb": OLD})
    a_class.file("kim").write_bytes(OWN)
    outcome = a_class.collect({"leekim_102_10_x.ipynb": NEW})["leekim_102_10_x.ipynb"]
    assert outcome.became == "not used" and outcome.needs_a_look and "return 3" in a_class.content("kim")


def test_a_record_holds_a_name_of_any_encoding_and_is_never_a_submission(tmp_path: Path) -> None:
    a_class = Class(tmp_path)
    a_class.collect({"kim/\udcff\N{SNOWMAN} x.ipynb": NEW})
    record = json.loads(a_class.file("kim", DOWNLOAD).read_text(encoding="ascii"))
    assert record["path"] == "kim/\udcff\N{SNOWMAN} x.ipynb"
    a_class.file("kim").unlink()
    [submission] = find_submissions(tmp_path / "submitted", LESSON)
    assert submission.why_missing().endswith(f"{LESSON}.ipynb")
