"""Lesson 11: the sentence of lesson 00 comes back, and the translator's page is written and shown."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from lab import laboratory
from playwright.sync_api import expect

from course_lib.course import Course
from course_lib.translator import SavedTranslatorError, first_sentence, load_translator, share_translator
from course_lib.translator.first_sentence import GIVEN

LESSON = "11_your_translator"


def typed(folder: Path, *cells: str) -> Path:
    """Write a notebook of lesson 00 with these code cells."""
    (folder / "00_the_task").mkdir()
    written = [{"cell_type": "code", "source": cell, "metadata": {}, "outputs": []} for cell in cells]
    notebook = {"cells": written, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (folder / "00_the_task/00_the_task.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    return folder


def test_the_sentence_typed_in_lesson_00_is_found_and_nothing_is_run(tmp_path: Path) -> None:
    cells = ('my_sentence = "The cat sleeps."', "my_sentence = input()", "1 / 0", "this is not code", "my_sentence = 3")
    assert first_sentence(typed(tmp_path, *cells)) == "The cat sleeps."


@pytest.mark.parametrize("cells", [(), ("my_sentence = ''",), (f"my_sentence = {'x' * 300!r}",), ("(" * 10_000,)])
def test_without_a_sentence_it_is_the_lessons_own(tmp_path: Path, cells: tuple[str, ...]) -> None:
    assert first_sentence(typed(tmp_path, *cells)) == GIVEN


def test_the_lessons_own_sentence_is_the_one_in_lesson_00_and_can_be_translated(course: Course) -> None:
    assert f'my_sentence = "{GIVEN}"' in course.lesson_text("00_the_task").read_text(encoding="utf-8")
    assert load_translator().translate(GIVEN)


def test_a_page_is_written_and_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shown = share_translator("a page.html", by="<b>Ada</b>")
    assert "<title>" in (tmp_path / "a page.html").read_text(encoding="utf-8")
    assert 'src="a%20page.html"' in shown._repr_html_()
    assert "<b>" not in shown._repr_html_()
    assert str(shown).startswith("a page.html: ")
    with pytest.raises(SavedTranslatorError, match="cannot be written"):
        share_translator("nowhere/page.html")


def test_while_a_notebook_is_graded_no_page_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COURSE_PARTS", "reference")
    assert "no page is written" in str(share_translator())
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_solved_notebooks_end_with_the_students_own_page_in_the_notebook(
    course: Course, chromium: str, tmp_path: Path
) -> None:
    for lesson in course.lessons[: course.lessons.index(LESSON) + 1]:
        shutil.copytree(course.solution_notebook(lesson).parent, tmp_path / "solved" / lesson)
    with laboratory(chromium, tmp_path, tmp_path / "solved") as lab, lab.opened_in_place(lab.home / LESSON) as notebook:
        notebook.run_all()
        expect(notebook.panel.get_by_text("parts are yours.")).to_contain_text("All ")
        page = notebook.panel.frame_locator("iframe")
        page.get_by_label("Write an English sentence").fill("The red book is old.")
        page.get_by_role("button", name="Translate", exact=True).click()
        expect(page.locator("#said")).to_have_text("In French: Le livre rouge est vieux.")
