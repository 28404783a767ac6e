"""The feedback page shows the student, the lesson, what is missing, and what the grader noticed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from accessibility import serious_findings
from conftest import LESSON
from gradebooks import hand_graded, with_points
from nbgrader.api import Gradebook
from playwright.sync_api import Browser
from test_report import RIGHT, record

from autograder.gradebook.gradebook import Records
from autograder.records.archive import Archive
from autograder.records.deadlines import Deadlines
from autograder.records.feedback import Head, feedback_page, write_page
from autograder.records.feedback_parts import Part
from autograder.records.results import result
from course_lib.running.cells import grade_id, kind_of

ANSWER = "Because **each** query has <b>its</b> own row:\n\n- one\n- two $\\sqrt{d_k}$"
NOTES = ["Cell 12 held a copy of `softmax`. The last one was run.", "Two cells <had> no id."]
NO_DEADLINES = Deadlines({})


@pytest.fixture
def page_of(released: Any, tmp_path: Path) -> str:
    """The page of a student who answered the first of two written questions, commented on by a grader."""
    archive = Archive(tmp_path)
    archive.roster.write_text("id,first_name,last_name\nada,Ada,<Lovelace>\n")
    graded = hand_graded(with_points(released, 1), 2)
    first = next(cell for cell in graded.cells if kind_of(cell) == "written")
    first.source = ANSWER
    with Records(archive.gradebook, LESSON, "hand") as book:
        book.register(hand_graded(released, 2))
        book.save("ada", graded)
    archive.save(record("ada", RIGHT, notes=NOTES), graded, None)
    with Gradebook(archive.gradebook) as book:
        comment = book.find_comment(grade_id(first), LESSON, LESSON, "ada")
        comment.manual_comment = "**Good**, but see [this](javascript:alert(1)) and <script>alert(1)</script>"
        book.db.commit()
    with Records(archive.gradebook, LESSON) as book:
        return write_page(archive, book, result(archive, book, LESSON, "ada"), NO_DEADLINES).read_text(encoding="utf-8")


def test_the_page_says_whose_it_is_of_which_lesson_and_when_it_was_graded(page_of: str) -> None:
    assert "<h1>Lesson 03 · Self-attention" in page_of
    assert "Feedback for <strong>Ada &lt;Lovelace&gt;</strong>." in page_of
    assert " UTC." in page_of.split("Graded on")[1][:40]


def test_an_anonymous_page_has_the_id_in_place_of_the_name(page_of: str, tmp_path: Path) -> None:
    assert "Lovelace" in page_of
    archive = Archive(tmp_path)
    with Records(archive.gradebook, LESSON) as book:
        page = write_page(archive, book, result(archive, book, LESSON, "ada"), NO_DEADLINES, anonymous=True)
    assert "Feedback for <strong>ada</strong>" in (said := page.read_text(encoding="utf-8")) and "Lovelace" not in said


def test_markdown_of_students_and_graders_is_rendered_and_nothing_else_is(page_of: str) -> None:
    assert "Because <strong>each</strong> query has &lt;" in page_of and "<li>one</li>" in page_of
    assert "<msqrt>" in page_of
    assert "<strong>Good</strong>" in page_of and "<script" not in page_of and 'href="javascript' not in page_of


def test_a_question_without_an_answer_is_listed(page_of: str) -> None:
    assert page_of.count("You wrote no answer to this question.") == 1
    assert "0 / 2, not answered" in page_of
    assert "YOUR ANSWER HERE" not in page_of and "No response" not in page_of


def test_what_the_grader_noticed_has_a_section_of_its_own(page_of: str) -> None:
    notes = page_of.split("What the grader changed or noticed in your notebook</h2>")[1]
    assert "<li>Cell 12 held a copy of <code>softmax</code>. The last one was run.</li>" in notes
    assert "<li>Two cells &lt;had&gt; no id.</li>" in notes
    assert "What the grader changed" not in feedback_page(record("ada", RIGHT), [])


def test_a_page_without_a_known_name_or_time_says_nothing_of_either() -> None:
    page = feedback_page(record("ada", RIGHT), [Part("exercise_1", "2 / 2", True)], head=Head("Lesson 03 · X"))
    assert "Feedback for" not in page and "Handed in" not in page and "<h1>Lesson 03 · X: 2 / 2</h1>" in page


def test_a_figure_is_shown_with_its_own_description_and_nothing_of_that_is_markup() -> None:
    images = [("AAAA", 'two bars" onload="evil()'), ("BBBB", "")]
    page = feedback_page(record("ada", RIGHT), [Part("exercise_1", "2 / 2", code="draw()", images=images)])
    assert '<img alt="two bars&#34; onload=&#34;evil()" src="data:image/png;base64,AAAA">' in page
    assert '<img alt="A figure of yours" src="data:image/png;base64,BBBB">' in page


@pytest.mark.parametrize("width", [400, 1280])
def test_everyone_can_read_it_at_any_width(page_of: str, browser: Browser, tmp_path: Path, width: int) -> None:
    (tmp_path / "page.html").write_text(page_of, encoding="utf-8")
    shown = browser.new_page(viewport={"width": width, "height": 900})
    shown.goto((tmp_path / "page.html").as_uri())
    assert shown.evaluate("document.documentElement.scrollWidth") <= width
    assert serious_findings(shown) == []
    shown.close()
