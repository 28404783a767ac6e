"""The way in and on: from START_HERE to a lesson, through an exercise, to the next one, and back to the map."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import nbformat
import pytest
from accessibility import serious_findings
from conftest import copy_course, run_course
from lab import Laboratory, Notebook, jupyter_folders, laboratory
from playwright.sync_api import expect

from autograder.exercises import DEFINITIONS
from course_lib.app.workspace import show_map
from course_lib.contents import public_lessons
from course_lib.course import Course

MAP = '[role="group"]'
FIRST, SECOND = DEFINITIONS["pad_batch"], DEFINITIONS["vocabulary"]
BEGIN = f"lesson 00, {public_lessons()[0].title}"  #: what the map leads to before anything is written


@dataclass
class Way:
    """What a student met on the way, as texts.

    Attributes:
        shut_out: what is serious for axe in the map.
        trouble: what the browser's console called an error, and requests that went elsewhere or failed.
    """

    toolbar: str
    at_once: str
    untouched: str
    mistaken: str
    right: str
    end: str
    after: str
    shut_out: list[str]
    trouble: list[str]


@pytest.fixture(scope="module")
def lab(course: Course, chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Laboratory]:
    with laboratory(chromium, tmp_path_factory.mktemp("way"), course.root / "notebooks") as lab:
        yield lab


def _leads_elsewhere(url: str) -> bool:
    """Whether a request goes to another machine, or is about JupyterLab's news and updates, which lie on one."""
    place = url.split("?", maxsplit=1)[0]
    return "127.0.0.1" not in place or place.endswith(("announcements", "/lab/api/news", "/lab/api/update"))


@pytest.fixture(scope="module")
def way(course: Course, lab: Laboratory) -> Way:
    lesson = course.lessons[0]
    page = lab.browser.new_page(viewport={"width": 1280, "height": 1000})
    trouble: list[str] = []
    page.on("console", lambda said: trouble.append(said.text) if said.type == "error" else None)
    page.on("requestfailed", lambda request: trouble.append(request.url))
    page.on("request", lambda asked: trouble.append(asked.url) if _leads_elsewhere(asked.url) else None)
    with pytest.MonkeyPatch.context() as patch:
        for name, place in jupyter_folders(lab.home.parent / "jupyter").items():
            patch.setenv(name, place)
        show_map(lab.home)  # as `course lab` does, before it opens START_HERE
    page.goto(lab.url)
    start = Notebook(page, lab.home / course.start_notebook.name)
    the_map = start.panel.locator(MAP)
    at_once = the_map.inner_text()
    start.run_all()
    untouched = the_map.inner_text()
    picture(the_map, "map-untouched")
    shut_out = serious_findings(page, f".jp-NotebookPanel {MAP}")
    the_map.get_by_role("link", name=BEGIN, exact=True).click()
    notebook = Notebook(page, lab.home / lesson / f"{lesson}.ipynb")
    toolbar = page.locator(".jp-NotebookPanel-toolbar").last.inner_text() + page.locator("#jp-MainMenu").inner_text()
    notebook.run("setup")
    mistake = FIRST.exercise.misconceptions[0].name
    notebook.write(FIRST.id, FIRST.implementation(mistake).source)
    notebook.run(FIRST.id, f"check-{FIRST.id}")
    mistaken = notebook.card(FIRST.id).inner_text()
    notebook.write(FIRST.id, FIRST.reference.source)
    notebook.run(FIRST.id, f"check-{FIRST.id}")
    right = notebook.card(FIRST.id).inner_text()
    picture(notebook.card(FIRST.id), "card-with-the-next-section")
    last = notebook.panel.locator(".jp-Notebook .jp-Cell").last
    last.locator(".cm-content").click()
    page.keyboard.press("ControlOrMeta+Enter")
    expect(last.get_by_role("link", name=SECOND.exercise.symbol)).to_be_visible()
    end = last.locator(".jp-OutputArea").inner_text()
    last.get_by_role("link", name=SECOND.exercise.symbol).click()
    waiting = notebook.panel.locator(".jp-Cell", has_text=f"class {SECOND.exercise.symbol}").first
    expect(waiting).to_be_in_viewport()
    notebook.save()
    page.locator(".lm-TabBar-tab", has_text=course.start_notebook.name).click()
    start = Notebook(page, lab.home / course.start_notebook.name)
    start.run_all()
    after = the_map.inner_text()
    picture(the_map, "map-after")
    page.close()
    return Way(toolbar, at_once, untouched, mistaken, right, end, after, shut_out, trouble)


def picture(what: object, name: str) -> None:
    """Leave a picture for a person to look at, where pictures are wanted."""
    if "COURSE_SCREENSHOTS" in os.environ:
        what.screenshot(path=Path(os.environ["COURSE_SCREENSHOTS"]) / f"{name}.png")  # type: ignore[attr-defined]


def test_the_map_says_what_lies_ahead(way: Way, course: Course) -> None:
    assert "points lie ahead of you" in way.untouched
    assert way.untouched.count(" of ") >= len(course.lessons)
    assert f"next: {BEGIN}" in way.untouched


def test_the_map_is_there_before_anything_is_run(way: Way) -> None:
    assert way.at_once == way.untouched


def test_nothing_of_an_instructor_is_shown(way: Way) -> None:
    assert "Notebook" in way.toolbar
    assert "Validate" not in way.toolbar
    assert "Nbgrader" not in way.toolbar


def test_a_mistake_is_named_and_nothing_is_said_of_what_comes_next(way: Way) -> None:
    assert FIRST.exercise.misconceptions[0].sentence.replace("`", "") in way.mistaken
    assert "in this lesson" in way.mistaken
    assert "next:" not in way.mistaken


def test_the_right_answer_leads_on(way: Way) -> None:
    assert (
        f"{FIRST.exercise.points:g} of 18 points in this lesson · next: read on to section 3, Who numbers" in way.right
    )


def test_the_lesson_ends_with_what_its_cards_say(way: Way) -> None:
    assert f"{FIRST.exercise.points:g} of 18 points in this lesson · next: {SECOND.exercise.symbol}" in way.end


def test_the_map_remembers(way: Way) -> None:
    assert f"{FIRST.exercise.points:g} of 18" in way.after
    assert f"next: {SECOND.exercise.symbol}" in way.after


def test_what_was_saved_can_be_handed_in(way: Way, lab: Laboratory, course: Course) -> None:
    lesson = course.lessons[0]
    said = run_course(lab.home, "check", f"{lesson}/{lesson}.ipynb", "--json")
    points = {name: one["score"] for name, one in json.loads(said.out)["exercises"].items()}
    assert points == {FIRST.id: FIRST.exercise.points} | dict.fromkeys(list(points)[1:], 0)


def test_what_was_saved_is_handed_in(way: Way, lab: Laboratory, course: Course, tmp_path: Path) -> None:
    lesson = course.lessons[0]
    saved = lab.home / lesson / f"{lesson}.ipynb"
    looked_at = run_course(lab.home, "doctor", str(saved))
    assert looked_at.code == 0 and "Nothing else was found." in looked_at.out
    (tmp_path / "downloads/ada").mkdir(parents=True)
    shutil.copy(saved, tmp_path / "downloads/ada")
    root = copy_course(course, tmp_path / "course")
    collected = run_course(root, "collect", "00", str(tmp_path / "downloads"))
    assert collected.code == 0, collected.out + collected.err
    kept = root / f"class/submitted/ada/{lesson}/{lesson}.ipynb"
    assert sources(kept) == sources(saved) and FIRST.reference.source.strip() in sources(kept)


def sources(notebook: Path) -> list[str]:
    return [cell.source.strip() for cell in nbformat.read(notebook, as_version=nbformat.NO_CONVERT).cells]


def test_the_map_shuts_nobody_out(way: Way) -> None:
    assert way.shut_out == []


def test_nothing_is_asked_of_the_network_and_nothing_fails(way: Way) -> None:
    assert way.trouble == []
