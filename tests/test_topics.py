"""The table of the lectures' topics names sections that there are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from course_lib.course import Course, find_course

ROOT = find_course(Path(__file__).parent).root
TEXT = (ROOT / "docs" / "topics.md").read_text(encoding="utf-8")
ROWS = [
    tuple(cell.strip() for cell in line.strip("|").split(" | "))
    for line in TEXT.splitlines()
    if line.startswith("| ") and line != "| topic | where |"
]
LINK = re.compile(r"\[(\d\d), (.*?)\]\(\.\./notebooks/(\w+)/\3\.ipynb\)")


@pytest.mark.parametrize(("topic", "where"), ROWS, ids=[topic for topic, _ in ROWS])
def test_every_section_that_a_topic_names_exists(course: Course, topic: str, where: str) -> None:
    for place in where.split("; "):
        link = LINK.fullmatch(place)
        assert link, f"{place!r} is no section"
        number, heading, lesson = link.groups()
        assert lesson in course.lessons and lesson.startswith(number)
        text = (course.root / "lessons" / f"{lesson}.md").read_text(encoding="utf-8")
        assert f"\n## {heading}\n" in text or f"\n### {heading}\n" in text, f"{lesson} has no section {heading!r}"


def test_all_five_lectures_have_a_table() -> None:
    for lecture in ("COS 484", "CS224N", "CS 4644/7643", "CSCE 638", "CSC401"):
        (table,) = [part for part in TEXT.split("\n## ")[1:] if part.startswith(lecture)]
        assert table.count("](../notebooks/") >= 15
