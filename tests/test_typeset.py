"""Prose on pages that need no network: what is typeset, and that nothing else becomes of anybody's text."""

from __future__ import annotations

import re
import time

import nbformat
import pytest
from pages import OF_PROSE, Page

from autograder.grading.rebuild import LONGEST_PROSE
from autograder.grading.sanitize import harmless_markdown
from autograder.records.typeset import ATTRIBUTES, ELEMENTS, formula, lesson_prose, person_prose
from course_lib.course import Course

_DRAWN = re.compile(r"<(math|code|pre)\b.*?</\1>", re.DOTALL)


def test_every_formula_of_every_lesson_is_typeset(course: Course) -> None:
    for lesson in course.lessons:
        for cell in nbformat.read(course.solution_notebook(lesson), as_version=4).cells:
            if cell.cell_type == "markdown":
                assert "$" not in _DRAWN.sub("", lesson_prose(cell.source)), (lesson, cell.source)


def test_a_persons_markdown_is_rendered_with_its_formulas_and_nothing_else() -> None:
    said = person_prose("It **costs** *much* <b>:\n- `$x$`, $\\sqrt{d_k}$ and\n\n$$x < \\frac{1}{2}$$")
    root = '<math display="inline"><mrow><msqrt><mrow><msub><mi>d</mi><mi>k</mi></msub></mrow></msqrt></mrow></math>'
    assert said.startswith("<p>It <strong>costs</strong> <em>much</em> &lt;b&gt;:</p>\n<ul>\n<li><code>$x$</code>, ")
    assert root in said and '<math display="block" tabindex="0">' in said and "<mo>&lt;</mo>" in said
    assert person_prose("one\ntwo") == "<p>one<br />\ntwo</p>\n", "line breaks are kept"
    assert person_prose("# Big\n\n| a |\n|---|\n| b |").startswith("<p><strong>Big</strong></p>\n<table tabindex")


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[here](javascript:alert(1)) ![](https://evil.example/x.png) <https://evil.example>",
        "[here][1]\n\n[1]: https://evil.example",
        "https://evil.example",
        "&lt;script&gt;alert(1)&lt;/script&gt;",
        "# <b>\n<div>\n\n    <i>\n\n```html\n<script>\n```\n\n> <u>",
        "**<b onclick='x'>** `<s>` | a |\n|---|\n| <b> |",
        '<p style="position:fixed">',
    ],
)
def test_a_persons_prose_cannot_add_elements_links_or_images(text: str) -> None:
    for source in (text, harmless_markdown(text)):
        page = Page(person_prose(source))
        assert page.tags <= OF_PROSE and not page.scripts, source
        assert {name for _, name, _ in page.attributes} <= {"tabindex", "start", "style", "class"}
        assert not [
            value for _, name, value in page.attributes if name == "style" and not value.startswith("text-align")
        ]


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
        page = Page(formula(source) + person_prose(f"${source}$ $${source}$$"))
        assert page.tags <= ELEMENTS | {"p"} | (OF_PROSE if "_" in source or "*" in source else set())
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
        "*",
        "**a ",
        "[",
        "![a](",
        "> ",
        "- ",
        "1. a\n",
        "|a",
        "|a\n|-\n",
        "~~~\n",
        "# ",
    ],
)
def test_typesetting_the_longest_prose_takes_no_time(text: str) -> None:
    start = time.process_time()
    person_prose((text * LONGEST_PROSE)[:LONGEST_PROSE])
    assert time.process_time() - start < 3
