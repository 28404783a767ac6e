"""Prose on pages that need no network: what is typeset, and that nothing else becomes of anybody's text."""

from __future__ import annotations

import re
import time

import nbformat
import pytest
from pages import Page

from autograder.grading.rebuild import LONGEST_PROSE
from autograder.grading.sanitize import harmless_markdown
from autograder.records.typeset import ATTRIBUTES, ELEMENTS, formula, lesson_prose, plain_prose
from course_lib.course import Course

_DRAWN = re.compile(r"<(math|code|pre)\b.*?</\1>", re.DOTALL)


def test_every_formula_of_every_lesson_is_typeset(course: Course) -> None:
    for lesson in course.lessons:
        for cell in nbformat.read(course.solution_notebook(lesson), as_version=4).cells:
            if cell.cell_type == "markdown":
                assert "$" not in _DRAWN.sub("", lesson_prose(cell.source)), (lesson, cell.source)


def test_a_formula_becomes_mathml_and_prose_stays_as_it_was_typed() -> None:
    said = plain_prose("It *costs* <b>:\n  `$x$`, $\\sqrt{d_k}$ and\n$$x < \\frac{1}{2}$$")
    root = '<math display="inline"><mrow><msqrt><mrow><msub><mi>d</mi><mi>k</mi></msub></mrow></msqrt></mrow></math>'
    assert said.startswith(f"It *costs* &lt;b&gt;:\n  <code>$x$</code>, {root} and\n")
    assert '<math display="block" tabindex="0">' in said and "<mo>&lt;</mo>" in said


def test_a_lessons_own_text_brings_no_html_no_images_and_no_links_to_what_is_not_there() -> None:
    text = "## Why?\n\n**It** <b>is</b> ![a map](a.svg) [there](../b.ipynb) [here](https://c.org) [no](javascript:d)"
    assert lesson_prose(text) == (
        "<p><strong>Why?</strong></p>\n<p><strong>It</strong> &lt;b&gt;is&lt;/b&gt; <em>a map</em> <a>there</a> "
        '<a href="https://c.org">here</a> [no](javascript:d)</p>\n'
    )


@pytest.mark.parametrize(
    "latex",
    [
        r"\text{<script>alert(1)</script>}",
        r"\text{&lt;script&gt;alert(1)&lt;/script&gt;}",
        r"\href{javascript:alert(1)}{x}",
        r"\style{position:fixed}{x}",
        r"\class{card}{x}",
        r'\color{red"onclick="alert(1)}{x}',
        r"\hspace{-100em}x",
        r"\verb|<b>|",
        r"\unicode{60}b\unicode{62}",
        r"\newcommand{\a}{\a\a}\a",
        r"\mathbb",
        r"x^x^x",
        "{" * 400 + "}" * 400,
        "x" * 600,
    ],
)
def test_what_no_formula_needs_stays_text(latex: str) -> None:
    for source in (latex, harmless_markdown(latex)):
        page = Page(formula(source) + plain_prose(f"${source}$ $${source}$$"))
        assert page.tags <= ELEMENTS
        assert {name for _, name, _ in page.attributes} <= ATTRIBUTES
        assert page.typeset.count("$") in (0, 8) and not page.scripts


@pytest.mark.parametrize(
    "text",
    [
        "$",
        "$a ",
        "$a$1",
        "`",
        "\\$",
        "$$ ",
        f"${'{' * 240}{'}' * 240}$ ",
        f"${'x^2' * 160}$ ",
        "$" + r"\sqrt{" * 90 + "$ ",
    ],
)
def test_typesetting_the_longest_prose_takes_no_time(text: str) -> None:
    start = time.process_time()
    plain_prose((text * LONGEST_PROSE)[:LONGEST_PROSE])
    assert time.process_time() - start < 3
