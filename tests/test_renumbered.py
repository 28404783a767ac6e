"""Work that was begun before lessons got other numbers is found, at home and in a class."""

from pathlib import Path

import pytest

from autograder.submissions.submission import find_submissions
from course_lib.course import CourseError
from course_lib.own_notebooks import earlier_names, find_notebooks, notebook_in


def write(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{}", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("lesson", "older"),
    [("14_costs", "12_costs"), ("10_search", "10_decoding"), ("11_your_translator", "10_decoding")],
)
def test_a_notebook_is_found_under_the_lessons_earlier_name(tmp_path: Path, lesson: str, older: str) -> None:
    path = write(tmp_path / older / f"{older}.ipynb")
    assert notebook_in(tmp_path, lesson) == path
    assert find_notebooks(tmp_path / older, [lesson, "03_self_attention"])[1] == {lesson: path}
    new = write(tmp_path / lesson / f"{lesson}.ipynb")
    assert notebook_in(tmp_path, lesson) == new, "the lesson's own notebook comes first"


def test_only_the_number_may_differ() -> None:
    names = ["12_costs", "14_costs", "13_families", "costs", "10_decoding", "12_costs_again"]
    assert earlier_names("14_costs", names) == ["12_costs"]
    assert earlier_names("12_projects", names) == []


def test_a_class_with_the_old_numbers_is_told_what_to_rename(tmp_path: Path) -> None:
    write(tmp_path / "ada/12_costs/12_costs.ipynb")
    with pytest.raises(CourseError, match=r"some of 12_costs, as this lesson was called .* Name .* 14_costs"):
        find_submissions(tmp_path, "14_costs")
    with pytest.raises(CourseError, match=r"16_reading\.ipynb\.$"):
        find_submissions(tmp_path, "16_reading")
