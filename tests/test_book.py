"""The book: made whole, without a link that leads nowhere and without the network, and read in a browser."""

from __future__ import annotations

import http.server
import os
import threading
from collections.abc import Iterator
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Literal
from urllib.parse import unquote, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from conftest import require
from playwright.sync_api import Browser, Page, expect, sync_playwright

from autograder.book import gathered
from autograder.book.make import make_book
from autograder.exercises import DEFINITIONS, of_lesson
from course_lib.course import Course, CourseError, find_course

LESSONS = find_course(Path(__file__).parent).lessons
PAGES = ["index", "misreadings", "terms", "references", "topics", *(f"lessons/{name}/{name}" for name in LESSONS)]
#: pages that hold what others hold, looked at in the dark too
DARK = ("index", "terms", "lessons/03_self_attention/03_self_attention", "lessons/14_reading/14_reading")
#: what a page fetches by itself, by tag and attribute
FETCHED = {("script", "src"), ("link", "href"), ("img", "src"), ("iframe", "src"), ("source", "src")}


class Links(HTMLParser):
    """Where a page leads, what it fetches, and where one can be led to in it."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.ids: set[str] = set()
        self.folds: list[str] = []
        self._in_summary = False
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._in_summary |= tag == "summary"
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.ids.add(value)
            if name in ("href", "src") and value is not None:
                (self.fetched if (tag, name) in FETCHED else self.links).append(value)

    def handle_endtag(self, tag: str) -> None:
        self._in_summary &= tag != "summary"

    def handle_data(self, data: str) -> None:
        if self._in_summary and data.strip():
            self.folds.append(data.strip())


@pytest.fixture(scope="module")
def book(course: Course, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_book(course, tmp_path_factory.mktemp("book")).parent


@pytest.fixture(scope="module")
def pages(book: Path) -> dict[Path, Links]:
    return {page: Links(page) for page in sorted(book.rglob("*.html")) if page.name != "translator.html"}


def test_every_page_is_there(book: Path) -> None:
    assert not [page for page in PAGES if not (book / f"{page}.html").is_file()]


def test_every_link_leads_somewhere(pages: dict[Path, Links]) -> None:
    nowhere = []
    for page, found in pages.items():
        for link in found.links + found.fetched:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            anchor = unquote(parts.fragment)
            if not target.is_file() or (anchor and target in pages and anchor not in pages[target].ids):
                nowhere.append(f"{page.name}: {link}")
    assert not nowhere


def test_nothing_is_fetched_from_elsewhere(pages: dict[Path, Links]) -> None:
    away = [link for found in pages.values() for link in found.fetched if urlsplit(link).scheme not in ("", "data")]
    assert not away


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_exercise_can_be_tried_before_it_is_shown(pages: dict[Path, Links], book: Path, lesson: str) -> None:
    page = book / "lessons" / lesson / f"{lesson}.html"
    folds, exercises = pages[page].folds, len(of_lesson(lesson))
    for fold in ("Show our solution", "Hint 1 of 3", "Hint 3 of 3", "What the course says to a common mistake"):
        assert folds.count(fold) == exercises, fold
    text = page.read_text(encoding="utf-8")
    assert text.count("YOUR CODE HERE") >= exercises
    assert "YOUR ANSWER HERE" not in text
    assert folds.count("A model answer") == text.count("Written question.")


def test_what_is_gathered_is_not_empty(course: Course) -> None:
    for make in (gathered.misreadings, gathered.references):
        text = make(course)
        assert [lesson for lesson in LESSONS if f"[Lesson {lesson[:2]}, " not in text] == [], make.__name__
        assert "YOUR" not in text and "{code-cell}" not in text


def test_a_term_that_no_lesson_explains_is_found_out(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gathered, "TERMS", (*gathered.TERMS, "phlogiston"))
    with pytest.raises(LookupError, match="phlogiston"):
        gathered.terms(course)


def test_a_book_needs_its_lessons(course: Course, tmp_path: Path) -> None:
    from dataclasses import replace

    (tmp_path / "lessons").mkdir()
    (tmp_path / "lessons" / "00_the_task.md").touch()
    (tmp_path / "book").mkdir()
    with pytest.raises(CourseError, match="course build 00 --run"):
        make_book(replace(course, root=tmp_path), tmp_path / "out")


# in a browser


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files, and keeps silent."""

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def address(book: Path) -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(book))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    chromium = require("chromium")
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]) as browser,
    ):
        yield browser


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """A page on which nothing may fail, and which may ask for nothing from elsewhere."""
    trouble: list[str] = []
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.on("console", lambda said: trouble.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on(
        "requestfailed",  # what a page was still fetching when its reader went on is no failure
        lambda request: request.failure == "net::ERR_ABORTED" or trouble.append(f"failed: {request.url}"),
    )
    page.on(
        "request",
        lambda request: (
            trouble.append(request.url) if not request.url.startswith((address, "data:", "blob:")) else None
        ),
    )
    yield page
    page.close()
    assert trouble == []


def test_a_sentence_is_translated_on_the_front_page(page: Page, address: str) -> None:
    page.goto(address)
    translator = page.frame_locator("iframe.translator")
    translator.get_by_role("combobox").fill("The red book is old.")
    translator.get_by_role("button", name="Translate").click()
    expect(translator.locator("body")).to_contain_text("livre rouge est vieux")


def test_the_search_finds_a_lesson(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_placeholder("Search").first.fill("rotary")
    page.keyboard.press("Enter")
    expect(page.locator("#search-results").get_by_role("link", name="Lesson 11").first).to_be_visible()
    page.locator("#search-results").get_by_role("link", name="Lesson 11").first.click()
    expect(page.locator("h1")).to_contain_text("Relative and rotary positions")


def test_a_solution_unfolds_and_a_link_leads_on(page: Page, address: str) -> None:
    page.goto(f"{address}lessons/03_self_attention/03_self_attention.html")
    solution = page.locator("details", has=page.get_by_text("Show our solution")).first
    expect(solution.locator("pre")).not_to_be_visible()
    solution.locator("summary").click()
    expect(solution.locator("pre")).to_be_visible()
    page.get_by_role("link", name="Lesson 04, multi-head attention").first.click()
    expect(page.locator("h1")).to_contain_text("Multi-head attention")


def test_formulas_are_drawn(page: Page, address: str) -> None:
    page.goto(f"{address}lessons/03_self_attention/03_self_attention.html")
    expect(page.locator("mjx-container svg").first).to_be_visible()
    expect(page.locator("mjx-merror")).to_have_count(0)


@pytest.mark.parametrize(("name", "scheme"), [*((name, "light") for name in PAGES), *((name, "dark") for name in DARK)])
def test_a_page_fits_a_telephone_and_shuts_nobody_out(
    page: Page, address: str, name: str, scheme: Literal["light", "dark"]
) -> None:
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": 400, "height": 800})
    page.goto(f"{address}{name}.html", wait_until="load")
    if page.locator(".math").count():
        expect(page.locator("mjx-container").last).to_be_attached()
    expect(page.locator("mjx-merror")).to_have_count(0)
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    serious = [
        f"{problem['id']}: {[node['html'][:120] for node in problem['nodes'][:3]]}"
        for problem in found
        if problem["impact"] in ("serious", "critical")
    ]
    if "COURSE_SCREENSHOTS" in os.environ:
        page.screenshot(path=Path(os.environ["COURSE_SCREENSHOTS"]) / f"book-{Path(name).name}-{scheme}.png")
    assert not serious


def test_every_exercise_is_in_the_book() -> None:
    assert sum(len(of_lesson(lesson)) for lesson in LESSONS) == len(DEFINITIONS)
