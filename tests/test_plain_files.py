"""Nothing that a folder's owner does while it is read lets a reader follow a link out of it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import pytest
from conftest import LESSON
from ordinary_user import run_as_ordinary_user

from autograder.collecting.downloads import downloads
from autograder.submissions import plain_files
from autograder.submissions.plain_files import DEEPEST, names_in, read_plain
from autograder.submissions.submission import NOTE, find_submissions

SECRET = b"a classmate's work"
CALLS = ("open", "scandir", "stat", "lstat", "listdir", "fstat")

needs_links = pytest.mark.skipif(not plain_files._RELATIVE, reason="Windows opens no file relative to a folder")


class Swaps:
    """Replace a file or folder by a link just before the system call of a given number, and undo that afterwards.

    Args:
        path: what is replaced.
        target: where the link leads.
        before: the number of the call, starting at 0.
        lasting: how many calls see the link.
    """

    def __init__(self, path: Path, target: Path, before: int, lasting: int) -> None:
        self.path, self.link, self.away = path, path.with_name(".link"), path.with_name(".away")
        self.link.symlink_to(target)
        self.before, self.lasting, self.calls, self.swapped = before, lasting, 0, False

    def watch(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in CALLS:
            monkeypatch.setattr(os, name, self._watched(getattr(os, name)))

    def _watched(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*arguments: Any, **options: Any) -> Any:
            if self.before <= self.calls < self.before + self.lasting:
                self._swap()
            else:
                self.undo()
            self.calls += 1
            return call(*arguments, **options)

        return watched

    def _swap(self) -> None:
        if not self.swapped:
            self.path.rename(self.away)
            self.link.rename(self.path)
            self.swapped = True

    def undo(self) -> None:
        if self.swapped:
            self.path.rename(self.link)
            self.away.rename(self.path)
            self.swapped = False


def read_submissions(folder: Path) -> list[bytes | None]:
    [submission] = find_submissions(folder, LESSON)
    return [submission.read(100), submission.beside(NOTE, 100), submission.why_missing().encode()]


def read_downloads(folder: Path) -> list[bytes | None]:
    return [one.data for one in downloads(folder)]


@needs_links
@pytest.mark.parametrize("reader", [read_submissions, read_downloads])
@pytest.mark.parametrize("part", ["ada", f"ada/{LESSON}", f"ada/{LESSON}/{LESSON}.ipynb"])
@pytest.mark.parametrize("lasting", [1, 2, 10_000])
def test_whenever_a_part_of_a_path_becomes_a_link_no_classmates_file_is_read(
    tmp_path: Path, reader: Callable[[Path], list[bytes | None]], part: str, lasting: int
) -> None:
    for student, content in (("theirs/kim", SECRET), ("subs/ada", b"mine")):
        (tmp_path / student / LESSON).mkdir(parents=True)
        for name in (f"{LESSON}.ipynb", NOTE):
            (tmp_path / student / LESSON / name).write_bytes(content)
    target = tmp_path / "theirs" / Path("kim", *Path(part).parts[1:])
    before, found = 0, []
    while True:
        swaps = Swaps(tmp_path / "subs" / part, target, before, lasting)
        with pytest.MonkeyPatch.context() as patched:
            swaps.watch(patched)
            read = reader(tmp_path / "subs")
        swaps.undo()
        swaps.link.unlink()
        found += read
        if swaps.calls <= before:
            break
        before += 1
    assert before >= 4, "the swap happened at several moments"
    assert b"mine" in found
    assert not [data for data in found if data and SECRET in data]


@needs_links
def test_links_above_the_named_folder_are_followed_and_none_below_it(tmp_path: Path) -> None:
    (tmp_path / "disk/ada/03").mkdir(parents=True)
    (tmp_path / "disk/ada/03/x").write_bytes(SECRET)
    (tmp_path / "subs").symlink_to(tmp_path / "disk")
    (tmp_path / "disk/kim").symlink_to(tmp_path / "disk/ada")
    (tmp_path / "disk/ada/zo").symlink_to(tmp_path / "disk/ada/03")
    top = tmp_path / "subs"
    assert read_plain(top, PurePath("ada/03/x"), 100) == SECRET
    assert read_plain(top, PurePath("kim/03/x"), 100) is None
    assert read_plain(top, PurePath("ada/zo/x"), 100) is None
    assert read_plain(top / "ada/03", PurePath("../zo/x"), 100) is None
    assert names_in(top, PurePath("ada/03"), 9) == ["x"]
    assert names_in(top, PurePath("kim/03"), 9) == []


@needs_links
def test_pipes_folders_and_missing_files_are_not_read_and_no_descriptor_stays_open(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    before = len(os.listdir("/dev/fd"))
    assert [read_plain(tmp_path, PurePath(name), 9) for name in ("pipe", "folder", "none", "none/x")] == [None] * 4
    assert names_in(tmp_path, PurePath("pipe"), 9) == []
    assert len(os.listdir("/dev/fd")) == before


def test_a_system_that_opens_nothing_relative_to_a_folder_still_refuses_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada/x").write_bytes(b"mine")
    (tmp_path / "kim").symlink_to(tmp_path / "ada")
    (tmp_path / "ada/y").symlink_to(tmp_path / "ada/x")
    monkeypatch.setattr(plain_files, "_RELATIVE", False)
    assert read_plain(tmp_path, PurePath("ada/x"), 2) == b"mi"
    assert read_plain(tmp_path, PurePath("kim/x"), 9) is None
    assert read_plain(tmp_path, PurePath("ada/y"), 9) is None
    assert [str(one.path) for one in downloads(tmp_path)] == ["ada/x"]


def test_folders_nested_too_deep_have_one_row_and_prevent_nothing(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["d"] * (DEEPEST + 5))
    deep.mkdir(parents=True)
    (deep / "x.ipynb").write_text("{}")
    (tmp_path / "ada.ipynb").write_text("{}")
    found = {str(one.path)[:10]: one.problem for one in downloads(tmp_path)}
    assert found.keys() == {"ada.ipynb", "d/d/d/d/d/"}
    assert "move its files up" in found["d/d/d/d/d/"]


def test_a_file_with_many_names_is_read_once_and_each_name_has_a_row(tmp_path: Path) -> None:
    (tmp_path / "eve").mkdir()
    first = tmp_path / "eve/0.ipynb"
    with first.open("wb") as file:
        file.write(b'{"cell_type": "')
        file.truncate(90_000_000)
    for number in range(1, 200):
        os.link(first, tmp_path / f"eve/{number}.ipynb")
    os.link(first, tmp_path / "eve/x.zip")
    began = process_time()
    found = {one.path.name: one for one in downloads(tmp_path)}
    assert process_time() - began < 5
    assert len(found) == 201 and all(one.is_notebook for name, one in found.items() if name != "x.zip")
    assert "another name of eve/0.ipynb" in found["x.zip"].problem
    assert len({id(one.data) for name, one in found.items() if name != "x.zip"}) == 1


@pytest.mark.parametrize(("limit", "most"), [("_MOST_NAMES", 3), ("_MOST_BYTES", 3)])
def test_a_folder_that_holds_too_much_has_one_row_and_keeps_no_other_from_being_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, most: int
) -> None:
    monkeypatch.setattr("autograder.collecting.downloads." + limit, most)
    for name in "abcdef":
        (tmp_path / "eve" / name).mkdir(parents=True)
        (tmp_path / "eve" / name / "x").write_text("1")
    (tmp_path / "zo").mkdir()
    (tmp_path / "zo/x").write_text("1")
    found = {str(one.path): one for one in downloads(tmp_path)}
    assert "Collect that folder by itself" in found["eve"].problem and found["zo/x"].data == b"1"
    assert len(found) < 8


UNREADABLE = """
from pathlib import Path
from autograder.collecting.downloads import downloads
for one in downloads(Path({top!r})):
    print(one.path, one.problem, sep=": ")
"""


def test_files_and_folders_that_may_not_be_read_have_a_row() -> None:
    with TemporaryDirectory() as home:
        top = Path(home, "top")
        for path in ("ada/03.ipynb", "kim/03/03.ipynb", "zo/03.ipynb", "zo.ipynb"):
            (top / path).parent.mkdir(parents=True, exist_ok=True)
            (top / path).write_text("{}")
        (top / "link").symlink_to(top / "kim/03/03.ipynb")
        for path in ("ada/03.ipynb", "kim/03", "zo.ipynb"):
            (top / path).chmod(0)
        said = run_as_ordinary_user(UNREADABLE.format(top=str(top)), Path(home))
    denied = "it can't be read: permission denied"
    assert said.splitlines() == [f"ada/03.ipynb: {denied}", f"kim/03: {denied}", "zo/03.ipynb: ", f"zo.ipynb: {denied}"]


def test_links_among_submissions_are_named_and_the_names_behind_them_are_not_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "many" / LESSON).mkdir(parents=True)
    for number in range(50):
        (tmp_path / "many" / f"{LESSON}{number}.ipynb").touch()
    (tmp_path / "top/ada" / LESSON).mkdir(parents=True)
    (tmp_path / "top/eve").symlink_to(tmp_path / "many")
    (tmp_path / "top/mal").mkdir()
    (tmp_path / "top/mal" / LESSON).symlink_to(tmp_path / "many" / LESSON)
    listed: list[str] = []
    scandir = os.scandir
    monkeypatch.setattr(os, "scandir", lambda path: listed.append(str(path)) or scandir(path))
    found = {one.student: one.problem for one in find_submissions(tmp_path / "top", LESSON)}
    assert found.keys() == {"ada", "eve", "mal"} and found["ada"] == ""
    assert "is a link, which is not followed" in found["eve"] and "is a link" in found["mal"]
    assert not any("many" in path or "eve" in path for path in listed)
