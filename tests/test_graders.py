"""Grades follow only from files of the class's graders, not from those that another user of the machine made first."""

from __future__ import annotations

import os
from collections.abc import Callable
from getpass import getuser
from pathlib import Path
from typing import Any

import pytest

from autograder.exercises import DEFINITIONS, answer_keys, key_cache
from autograder.exercises.key_cache import kept_at, kept_files, kept_key
from autograder.exercises.sampler import Sampler
from autograder.grading.origin import origin
from autograder.grading.secret import SECRET, course_secret, question_secret, rotate_secret
from autograder.records.archive import Archive, class_archive
from course_lib import owners
from course_lib.course import Course, CourseError, read_course

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="Windows has no owners like these"),
    pytest.mark.filterwarnings("ignore"),  # mistakes overflow
]

SOFTMAX = DEFINITIONS["softmax"]
DRAW = Sampler.hidden(b"a course's secret", "release", SOFTMAX.id)
US = frozenset({os.geteuid()} if os.name == "posix" else {0})


@pytest.fixture
def as_another_user(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Return a function after which every file here belongs to another user."""
    return lambda: monkeypatch.setattr(owners, "trusted_users", lambda: frozenset({max(US) + 1}))


def test_a_class_folder_of_another_user_is_refused_with_a_way_out_and_left_alone(
    course: Course, tmp_path: Path, as_another_user: Callable[[], None]
) -> None:
    (tmp_path / "class").mkdir()
    assert class_archive(course, tmp_path / "class").folder == tmp_path / "class"
    as_another_user()
    with pytest.raises(CourseError, match=rf"belongs to another user.*user number {max(US)}.*graders under.*--class"):
        class_archive(course, tmp_path / "class")
    with pytest.raises(CourseError, match="belongs to another user"):
        Archive(tmp_path / "class").require()
    assert not (tmp_path / "class" / SECRET).exists()


def test_a_link_of_another_user_to_ones_own_folder_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "class").symlink_to(tmp_path)
    assert owners.other_owner(tmp_path / "class") == ""
    found = os.lstat(tmp_path / "class")
    theirs = os.stat_result((*found[:4], found.st_uid + 1, *found[5:]))
    monkeypatch.setattr(Path, "lstat", lambda path: theirs)
    assert str(found.st_uid + 1) in owners.other_owner(tmp_path / "class")


def test_a_secret_that_another_user_made_is_refused_until_it_is_replaced_or_the_user_is_a_grader(
    course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, as_another_user: Callable[[], None]
) -> None:
    secret = course_secret(tmp_path)
    with monkeypatch.context() as theirs:
        theirs.setattr(owners, "trusted_users", lambda: frozenset({max(US) + 1}))
        for read in (course_secret, lambda folder: question_secret(folder, "03_self_attention")):
            with pytest.raises(CourseError, match=r"may know the hidden questions.*course secret --rotate"):
                read(tmp_path)
        with pytest.raises(CourseError, match="may know the hidden questions"):
            origin(course, course.lesson("03"), tmp_path)
        assert course_secret(tmp_path, US) == secret
        assert question_secret(tmp_path, "03_self_attention", US) == secret
    rotate_secret(tmp_path, "another user made it")
    assert course_secret(tmp_path) != secret


def test_course_toml_lists_graders_by_name_or_number(tmp_path: Path, as_another_user: Callable[[], None]) -> None:
    (tmp_path / "class").mkdir()
    for said, graders in ((f'"{getuser()}"', US), (str(max(US)), US), ('"nobody here"', frozenset())):
        (tmp_path / "course.toml").write_text(f"[class]\ngraders = [{said}]\n")
        assert read_course(tmp_path).graders == graders
    (tmp_path / "course.toml").write_text(f"[class]\ngraders = [{max(US)}]\n")
    as_another_user()
    archive = class_archive(read_course(tmp_path))
    archive.require()
    (tmp_path / "course.toml").write_text("[class]\ngraders = 5\n")
    with pytest.raises(CourseError, match=r"class\.graders is 5; it must be a list of users"):
        read_course(tmp_path)


def test_a_kept_key_that_another_user_wrote_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, as_another_user: Callable[[], None]
) -> None:
    made: list[str] = []
    make: Callable[..., Any] = answer_keys.make_key

    def counted(*arguments: Any) -> Any:
        made.append(arguments[0].id)
        return make(*arguments)

    def read_again(**options: Any) -> None:
        monkeypatch.setattr(key_cache, "_IN_MEMORY", {})
        kept_key(SOFTMAX.id, DRAW, tmp_path, **options)

    monkeypatch.setattr(answer_keys, "make_key", counted)
    read_again()
    read_again()
    assert len(made) == 1 and kept_files(SOFTMAX.id, DRAW, tmp_path)
    as_another_user()
    read_again(graders=US)
    assert len(made) == 1, "the class is shared with this user"
    read_again()
    assert len(made) == 2
    assert not kept_files(SOFTMAX.id, DRAW, tmp_path), "they are not released either"


def test_scores_that_another_user_kept_are_worked_out_again(
    tmp_path: Path, as_another_user: Callable[[], None]
) -> None:
    kept = kept_at(tmp_path, SOFTMAX.id, DRAW, "scores")
    key_cache._write_scores(kept, '{"reference": 4.0}')
    assert key_cache._read_scores(kept) == {"reference": 4.0}
    as_another_user()
    assert key_cache._read_scores(kept) is None
