"""Make the book: write its sources from the lessons with their outputs, and let Sphinx make pages from them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import nbformat

from autograder.book import gathered, guides
from autograder.book.metadata import PLACE, lesson_head, table_of_lessons
from autograder.book.page import lesson_page
from course_lib.course import Course, CourseError
from course_lib.diagrams import FOLDER as DIAGRAMS

#: a function that is called with the name of each page
Tell = Callable[[str], object]


def write_sources(course: Course, folder: Path, tell: Tell = lambda page: None) -> None:
    """Write everything that Sphinx reads into an empty folder.

    Raises:
        CourseError: a lesson's notebook with solutions is missing.
    """
    shutil.copytree(course.root / "book", folder, dirs_exist_ok=True)
    for lesson in course.lessons:
        tell(lesson)
        solution, student = course.solution_notebook(lesson), course.student_notebook(lesson)
        if not (solution.is_file() and student.is_file()):
            raise CourseError(f"{lesson} is not built. Run: course build {lesson[:2]} --run")
        page = lesson_page(*(nbformat.read(path, as_version=nbformat.NO_CONVERT) for path in (solution, student)))
        page.cells[0].source = lesson_head(course, lesson, page.cells[0].source)
        place = folder / "lessons" / lesson
        place.mkdir(parents=True)
        nbformat.write(page, place / f"{lesson}.ipynb", version=nbformat.NO_CONVERT)
        if (solution.parent / DIAGRAMS).is_dir():
            shutil.copytree(solution.parent / DIAGRAMS, place / DIAGRAMS)
    front = folder / "index.md"
    text = front.read_text(encoding="utf-8")
    text = text.replace(PLACE, table_of_lessons(course)).replace(guides.PLACE, guides.tables_of_contents(course))
    front.write_text(text, encoding="utf-8")
    guides.write_guides(course, folder)
    for make in gathered.PAGES:
        (folder / f"{make.__name__}.md").write_text(make(course), encoding="utf-8")
    (folder / "static" / "translator.html").write_text(_translator(), encoding="utf-8")


def make_book(course: Course, folder: Path, tell: Tell = lambda page: None) -> Path:
    """Make the book in a folder, and return its front page. Replace what was there before.

    Raises:
        CourseError: Sphinx is not installed, or finds something wrong, such as a broken link.
    """
    try:
        from sphinx.cmd.build import build_main
    except ImportError:
        raise CourseError('The book is made by Sphinx, which is not installed: pip install -e ".[dev]"') from None
    source, html = folder / "source", folder / "html"
    for old in (source, html, folder / "doctrees"):
        shutil.rmtree(old, ignore_errors=True)
    source.mkdir(parents=True)
    write_sources(course, source, tell)
    tell("pages")
    wrong = build_main(
        ["-W", "--keep-going", "-q", "-b", "html", "-d", str(folder / "doctrees"), str(source), str(html)]
    )
    if wrong:
        raise CourseError("Sphinx found something wrong with the book. Its messages are above.")
    return html / "index.html"


def _translator() -> str:
    """Return the course's translator as a page that computes in the reader's browser."""
    from course_lib.translator.page import make_page
    from course_lib.translator.saved import shipped_translator

    return make_page(shipped_translator(), "", half=False)
