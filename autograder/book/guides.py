"""Add the pages of docs/ to the book, in the order of docs/index.md."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from autograder.book import gathered
from course_lib.course import Course

#: the line in the source of the front page that the tables of contents replace
PLACE = "<!-- guides -->"

_SECTION = re.compile(r"^## (.+)\n\n((?:[-<].*\n)+)", re.MULTILINE)
_PAGE = re.compile(r"^- \[.+?\]\(([^)#]+\.md)\)", re.MULTILINE)
_LINK = re.compile(r"\]\(([^)]+)\)")
#: the book's pages for files that are elsewhere in the course
_ELSEWHERE = {"README.md": "index.md", "README.md#lessons": "index.md#the-lessons"}


def sections(course: Course) -> dict[str, list[str]]:
    """Return the pages that docs/index.md lists, as paths below docs/, by section."""
    text = (course.root / "docs" / "index.md").read_text(encoding="utf-8")
    return {heading: _PAGE.findall(pages) for heading, pages in _SECTION.findall(text)}


def tables_of_contents(course: Course) -> str:
    """Return a table of contents for each section, as MyST."""
    trees = (
        "\n".join(["```{toctree}", ":titlesonly:", ":hidden:", f":caption: {heading}", "", *map(_name, pages), "```"])
        for heading, pages in sections(course).items()
    )
    return "\n\n".join(trees)


def write_guides(course: Course, folder: Path) -> None:
    """Write every page that docs/index.md lists, and the files that it shows or links to, into the book's sources."""
    made_otherwise = {f"{make.__name__}.md" for make in gathered.PAGES}
    for page in (page for pages in sections(course).values() for page in pages):
        if page not in made_otherwise:
            text = (course.root / "docs" / page).read_text(encoding="utf-8")
            target = folder / f"{_name(page)}.md"
            target.write_text(_LINK.sub(lambda link: f"]({_in_the_book(link[1])})", text), encoding="utf-8")
    for other in (path for path in (course.root / "docs").iterdir() if path.is_dir()):
        shutil.copytree(other, folder / other.name, ignore=shutil.ignore_patterns("*.py[co]", "__pycache__"))


def _in_the_book(link: str) -> str:
    """Translate a link in docs/, CONTRIBUTING.md or CHANGELOG.md for the book, which has all pages in one folder."""
    address = link.removeprefix("../").removeprefix("docs/")
    return _ELSEWHERE.get(address, address)


def _name(page: str) -> str:
    return Path(page).stem
