"""What another user of the machine put among downloads, or into the folder that is collected into, is not believed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from collecting import Class, place, scratch
from conftest import LESSON
from ordinary_user import USER

WORK = scratch("def softmax(x, dim):\n    return 1")
NOTEBOOK, SAID = f"ada/{LESSON}/{LESSON}.ipynb", f"ada/{LESSON}/timestamp.txt"

pytestmark = pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can give files to others")


@pytest.mark.parametrize("folder", ["ada", f"ada/{LESSON}"])
def test_nothing_is_written_to_a_folder_that_another_user_made(tmp_path: Path, folder: str) -> None:
    a_class = Class(tmp_path)
    made = tmp_path / "submitted" / folder
    made.mkdir(parents=True)
    os.chown(made, USER, USER)
    found = a_class.collect({NOTEBOOK: WORK, f"kim/{LESSON}/{LESSON}.ipynb": WORK})
    assert f"belongs to user number {USER}" in found[NOTEBOOK].note and found[NOTEBOOK].needs_a_look
    assert a_class.has("ada") == "to decide" and a_class.has("kim") == "collected"
    assert not a_class.file("ada").exists()


@pytest.mark.parametrize("lesson", ["", LESSON])
def test_nothing_is_written_through_a_link(tmp_path: Path, lesson: str) -> None:
    a_class = Class(tmp_path)
    (tmp_path / "loot").mkdir()
    link = tmp_path / "submitted/ada" / lesson
    link.parent.mkdir(parents=True)
    link.symlink_to(tmp_path / "loot")
    found = a_class.collect({NOTEBOOK: WORK})
    assert "is a link, which is not followed" in found[NOTEBOOK].note and found[NOTEBOOK].needs_a_look
    assert list((tmp_path / "loot").iterdir()) == []


def test_a_time_that_its_student_may_have_written_is_ignored_and_reported(tmp_path: Path) -> None:
    files = {NOTEBOOK: WORK, SAID: "2026-03-02 12:00:00 UTC"}
    ours, theirs = (place(tmp_path, files, name) for name in ("ours", "theirs"))
    os.chown(theirs / SAID, USER, USER)
    a_class = Class(tmp_path)
    found = a_class.collect_from(theirs)[NOTEBOOK]
    assert f"its timestamp.txt is ignored, because it belongs to user number {USER}" in found.note
    assert not a_class.file("ada", "timestamp.txt").exists()
    a_class.collect_from(ours)
    assert a_class.file("ada", "timestamp.txt").read_text() == "2026-03-02 12:00:00 UTC\n"
