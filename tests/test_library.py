"""The library that submissions import stays as it is while anybody grades with it; its failures cost nobody a point."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import nbformat
import pytest
from conftest import TimedResult, cache_beside, copy_course, hand_in_to_lesson, require, run_course
from ordinary_user import USER

from autograder.building import build
from autograder.building.release import library_files, put_in_place, release_library
from autograder.demo.classroom import Student, hand_in
from autograder.exercises import public_keys
from autograder.grading import library
from autograder.grading.class_grading import grade_class
from autograder.grading.grader import make_grader
from autograder.grading.library import pin_library
from autograder.grading.pool import LocalPool
from autograder.submissions.submission import find_submissions
from course_lib.course import Course, CourseError, find_course

LESSON = "04_multi_head_attention"  # whose set-up cell imports components, without which no exercise can be right
FILES = {"__init__.py": b"", "components/one.py": b"one = 1\n"}


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store of one's own, from which everything that nobody holds is removed at once."""
    monkeypatch.setattr(library, "UNUSED_SECONDS", -1.0)
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache_beside(tmp_path / "cache")))
    return library.library_store()


def content(folder: Path) -> dict[str, bytes]:
    package = folder / "course_lib"
    return {path.relative_to(package).as_posix(): path.read_bytes() for path in package.rglob("*") if path.is_file()}


def test_a_library_lies_in_a_folder_named_by_its_content(store: Path) -> None:
    held, again = pin_library("03", FILES), pin_library("03", FILES)
    other = pin_library("03", {**FILES, "components/one.py": b"one = 2\n"})
    assert held.folder == again.folder != other.folder
    assert content(held.folder) == FILES
    assert held.folder.parent == store


def test_a_library_is_removed_once_nobody_holds_it(store: Path) -> None:
    held, again = pin_library("03", FILES), pin_library("03", FILES)
    folder = held.folder
    del held
    other = pin_library("04", {"__init__.py": b"# another\n"})
    assert content(folder) == FILES, "the second one still holds it"
    del again
    third = pin_library("05", {"__init__.py": b"# a third\n"})
    assert {path.name for path in store.iterdir()} == {other.folder.name, third.folder.name}


def test_a_library_that_another_process_holds_is_not_removed(store: Path) -> None:
    code = (
        "import sys\nfrom autograder.grading import library\n"
        f"held = library.pin_library('03', {FILES!r})\nprint(held.folder, flush=True)\nsys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout and other.stdin
        folder = Path(other.stdout.readline().strip())
        first = pin_library("04", {"__init__.py": b"# another\n"})
        assert content(folder) == FILES
        other.stdin.close()
    second = pin_library("05", {"__init__.py": b"# a third\n"})
    assert {path.name for path in store.iterdir()} == {first.folder.name, second.folder.name}


def test_a_library_that_is_kept_for_the_next_grading_goes_after_a_week(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library, "UNUSED_SECONDS", 7 * 24 * 3600.0)
    folder = pin_library("03", FILES).folder
    pin_library("04", {})
    assert folder.is_dir()
    old = (folder / "in-use.lock").stat().st_mtime - 8 * 24 * 3600
    os.utime(folder / "in-use.lock", (old, old))
    pin_library("05", {})
    assert not folder.exists()


def test_a_library_that_somebody_damaged_is_made_again(store: Path) -> None:
    held = pin_library("03", FILES)
    (held.folder / "course_lib/components/one.py").unlink()
    assert content(pin_library("03", FILES).folder) == FILES


def test_a_library_with_more_than_was_released_is_made_again(store: Path) -> None:
    package = pin_library("03", FILES).folder / "course_lib"
    (package / "components/__pycache__").mkdir()
    (package / "components/__pycache__/one.cpython-311.pyc").write_bytes(b"planted")
    assert content(pin_library("03", FILES).folder) == FILES


def test_a_library_that_somebody_else_may_change_is_made_again(store: Path, tmp_path: Path) -> None:
    package = pin_library("03", FILES).folder / "course_lib"
    (package / "components/one.py").chmod(0o666)
    assert stat.S_IMODE((pin_library("03", FILES).folder / "course_lib/components/one.py").stat().st_mode) == 0o644
    (tmp_path / "one.py").write_bytes(FILES["components/one.py"])
    (package / "components/one.py").unlink()
    (package / "components/one.py").symlink_to(tmp_path / "one.py")
    assert not (pin_library("03", FILES).folder / "course_lib/components/one.py").is_symlink()


@pytest.mark.parametrize("where", ["", "released"])
def test_a_cache_that_another_user_made_first_is_refused(store: Path, where: str) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can make another user's folder")
    folder = pin_library("03", FILES).folder.parents[1] / where
    os.chown(folder, USER, USER)
    with pytest.raises(CourseError, match=rf"{folder} belongs to another user .*XDG_CACHE_HOME"):
        pin_library("03", FILES)


def test_a_cache_that_everybody_may_change_is_refused(store: Path) -> None:
    pin_library("03", FILES)
    cache = store.parent
    for folder, mode, why in ((cache, 0o777, "can be changed"), (cache.parent, 0o777, "can be replaced")):
        folder.chmod(mode)
        with pytest.raises(CourseError, match=f"{cache} {why} by everybody"):
            pin_library("03", FILES)
        with pytest.raises(CourseError, match=f"{cache} {why} by everybody"):
            public_keys._folder()
        folder.chmod(0o755)
    cache.parent.chmod(0o1777)
    pin_library("03", FILES)


def test_a_cache_below_another_users_folder_is_refused(store: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can make another user's folder")
    pin_library("03", FILES)
    above = store.parent.parent
    above.chmod(0o1777)
    os.chown(above, USER, USER)
    with pytest.raises(CourseError, match=rf"can be replaced by the owner of {above}, .*XDG_CACHE_HOME"):
        pin_library("03", FILES)


def test_a_cache_that_only_its_group_may_change_is_closed(store: Path) -> None:
    folder = pin_library("03", FILES).folder
    for each in (store.parent, store, folder):
        each.chmod(0o775)
    pin_library("03", FILES)
    assert [stat.S_IMODE(each.stat().st_mode) for each in (store.parent, store, folder)] == [0o755] * 3


def test_a_folder_is_replaced_as_a_whole(tmp_path: Path) -> None:
    put_in_place({"old.py": b""}, tmp_path / "there")
    put_in_place({"new.py": b""}, tmp_path / "there")
    assert [path.name for path in tmp_path.iterdir()] == ["there"]
    assert [path.name for path in (tmp_path / "there").iterdir()] == ["new.py"]


def test_where_no_library_can_be_written_one_sentence_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cache").write_text("a file")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with pytest.raises(CourseError, match=r"cannot be written to .*XDG_CACHE_HOME"):
        pin_library("03", FILES)


# --- the same in a class --------------------------------------------------------------------------------------------


@pytest.fixture
def root(course: Course, store: Path, tmp_path: Path) -> Path:
    """A course in which four have handed in: two right, two whose own code breaks the set-up cell after it."""
    require("bwrap")
    root = copy_course(course, tmp_path / "a course")
    released = nbformat.read(course.student_notebook(LESSON), as_version=nbformat.NO_CONVERT)
    breaks = "import sys\nsys.modules['course_lib.experiments'] = None"
    names = {"a_right": "", "b_breaks_it": breaks, "c_breaks_it": breaks, "d_right": ""}
    hand_in_to_lesson(
        root / "class/submitted",
        LESSON,
        {name: hand_in(Student(name, before=before), released) for name, before in names.items()},
    )
    return root


def grade(root: Path, *arguments: str) -> TimedResult:
    return run_course(
        root, "grade", "04", "--submissions", "class/submitted", "--json", "results.json", "--workers", "1", *arguments
    )


def results(root: Path) -> dict[str, dict[str, Any]]:
    return {r["student"]: r for r in json.loads((root / "results.json").read_text(encoding="utf-8"))}


def everything_in(folder: Path) -> Iterator[tuple[Path, int]]:
    yield from ((path, path.stat().st_mtime_ns) for path in sorted(folder.rglob("*")) if "class" not in path.parts)


@pytest.mark.slow
def test_a_second_grading_and_a_build_in_the_middle_of_one_change_no_grade(root: Path) -> None:
    course = find_course(root)
    checkout = list(everything_in(root))
    grader = make_grader(course, LESSON, root / "class")
    found = find_submissions(root / "class/submitted", LESSON)
    running = grade_class(grader, found, LocalPool(1))
    graded = [next(running)[0]]
    command = [sys.executable, "-m", "course_lib.app", "grade", "04", "--submissions", "class/submitted"]
    command += ["--class", str(root / "class/second"), "--workers", "1"]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as second:
        graded.append(next(running)[0])
        assert list(everything_in(root)) == checkout, "grading writes nothing into the checkout"
        for _ in build.build_lesson(course, LESSON):
            pass
        pin_library("another", {})  # removes what nobody holds
        graded += [one for one, _ in running]
        out, _ = second.communicate()
    assert second.returncode == 0, out
    assert [one.status for one in graded] == ["graded"] * 4
    right = [one for one in graded if one.student.endswith("right")]
    assert [(one.score, one.notes) for one in right] == [(one.max_score, ()) for one in right]
    records = (root / f"class/second/records/{LESSON}").glob("*.json")
    theirs = {r["student"]: r["score"] for r in (json.loads(path.read_text()) for path in records)}
    assert theirs == {one.student: one.score for one in graded}
    assert content(grader.library.folder) == library_files(find_course(root), LESSON, whole=False)


def broken(course: Course, lesson: str, whole: bool) -> Mapping[str, bytes]:
    return {
        **library_files(course, lesson, whole),
        "experiments/multi_head_attention.py": b"raise ImportError('it was left out')\n",
    }


@pytest.mark.slow
def test_where_the_courses_own_set_up_fails_nobody_loses_a_point(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    where = "the course's own set-up cell failed: cell 'setup' stopped with ImportError: it was left out"
    with monkeypatch.context() as patch:
        patch.setattr("autograder.grading.grader.library_files", broken)
        ran = grade(root)
        assert ran.code == 1
        assert f"because in two submissions in a row {where}" in ran.err
        assert "0 of 4 were graded" in ran.err
        records = {p.stem: json.loads(p.read_text()) for p in (root / f"class/records/{LESSON}").glob("*.json")}
        assert {(r["student"], r["status"], r["score"], r["reason"], r["digest"]) for r in records.values()} == {
            ("a_right", "failed", None, where, ""),
            ("b_breaks_it", "failed", None, where, ""),
        }
    ran = grade(root)
    assert ran.code == 0, ran
    mended = results(root)
    assert {student: r["status"] for student, r in mended.items()} == dict.fromkeys(mended, "graded")
    assert mended["a_right"]["score"] == mended["d_right"]["score"] == mended["a_right"]["max_score"]
    for student in ("b_breaks_it", "c_breaks_it"):  # which stops no run, though two of them follow each other
        assert "by itself it runs" in mended[student]["notes"][0]
        assert mended[student]["digest"], "the failure is its own: another run would come to the same"
    with monkeypatch.context() as patch:
        patch.setattr("autograder.grading.grader.library_files", broken)
        assert grade(root, "--force").code == 1
    assert grade(root).code == 0
    assert {s: r["score"] for s, r in results(root).items()} == {s: r["score"] for s, r in mended.items()}


def test_a_release_is_what_a_student_receives(course: Course, tmp_path: Path) -> None:
    assert content(release_library(course, LESSON, tmp_path, whole=False)) == library_files(course, LESSON, whole=False)
