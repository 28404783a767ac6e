"""A lesson without exercises: it is optional on the map, never next, and there is nothing to check or to grade."""

import shutil
from pathlib import Path

import pytest
from conftest import copy_course, run_course

from course_lib import lesson_end
from course_lib.contents import exercises_of, public_lessons
from course_lib.course import Course
from course_lib.journey.map import Map, share
from course_lib.journey.progress import LessonProgress, Progress

LESSON = "12_projects"


def progress(done: int) -> Progress:
    """The progress of a student who has all points of the first lessons."""
    lessons = public_lessons()
    earned = {entry.id: entry.points for lesson in lessons[:done] for entry in exercises_of(lesson.name)}
    return Progress(tuple(LessonProgress(lesson, earned) for lesson in lessons))


@pytest.mark.parametrize(("done", "comes"), [(0, "00"), (11, "11"), (12, "13"), (13, "13")])
def test_what_comes_next_leaves_it_out(done: int, comes: str) -> None:
    following = progress(done).next
    assert following and following[0].lesson.number == comes


def test_on_the_map_it_is_optional_and_neither_done_nor_begun() -> None:
    found = progress(len(public_lessons()))
    (project,) = (lesson for lesson in found.lessons if lesson.lesson.name == LESSON)
    assert (project.done, project.begun, share(project)) == (False, False, 0)
    assert found.next is None
    (line,) = (line for line in repr(Map(found)).splitlines() if "Two projects" in line)
    assert "optional" in line and "✓" not in line
    assert ">optional<" in Map(found)._repr_html_()


def test_its_end_names_what_comes_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    end = lesson_end(LESSON)
    assert (end.says, end.next) == ("This lesson has no exercises", "lesson 00, The task and its yardstick")


def test_there_is_nothing_to_check_or_to_grade(course: Course, tmp_path: Path) -> None:
    root = copy_course(course, tmp_path / "course")
    shutil.copytree(root / "notebooks" / LESSON, root / "class/submitted/ada" / LESSON)
    graded = run_course(root, "grade", "12")
    assert graded.code and "has no points, so there is nothing to grade" in graded.err
    for verb in ("check", "doctor"):
        said = run_course(root, verb, f"notebooks/{LESSON}/{LESSON}.ipynb")
        assert said.code and "no exercises, so there is nothing to check" in said.out + said.err
