"""Settings decide which code runs, so those of another user of the machine are refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from course_lib import component_files, owners
from course_lib.course import CourseError, course_here


@pytest.fixture
def below(tmp_path: Path) -> Path:
    """A folder below one with a ``course.toml`` that names an extension."""
    (tmp_path / "theirs" / "components").mkdir(parents=True)
    (tmp_path / "theirs" / "components" / "added.py").write_text("")
    (tmp_path / "course.toml").write_text('[extensions]\nfolders = ["theirs"]\n')
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


def test_ones_own_settings_are_read(below: Path) -> None:
    found = course_here(below)
    assert found is not None
    assert found.root == below.parent.resolve()


@pytest.mark.skipif(os.name != "posix", reason="Windows has no owners like these")
def test_settings_of_another_user_are_refused(below: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(owners, "trusted_users", lambda: frozenset({os.geteuid() + 1}))
    with pytest.raises(CourseError, match="belongs to another user"):
        course_here(below)


@pytest.mark.skipif(os.name != "posix", reason="Windows has no owners like these")
def test_an_extension_of_another_user_is_refused(below: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(component_files, "extension_folders", lambda: (below.parent / "theirs",))
    read_components = component_files.component_modules.__wrapped__
    assert "added" in read_components()
    monkeypatch.setattr(owners, "trusted_users", lambda: frozenset({os.geteuid() + 1}))
    with pytest.raises(CourseError, match=r"added\.py belongs to another user"):
        read_components()
