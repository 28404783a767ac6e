"""The book: made whole, without a link that leads nowhere and without the network, and read in a browser."""

from __future__ import annotations

import http.server
import io
import os
import re
import threading
from collections.abc import Iterator
from functools import partial
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Literal
from urllib.parse import unquote, urlsplit

import matplotlib.image
import pytest
from accessibility import serious_findings
from playwright.sync_api import Browser, Page, expect
from tiers import slow_but

from autograder.book import gathered, guides
from autograder.book.make import make_book
from autograder.book.metadata import builds_on
from autograder.exercises import DEFINITIONS, of_lesson
from course_lib.contents import exercises_of, public_lessons
from course_lib.course import Course, CourseError, find_course

LESSONS = find_course(Path(__file__).parent).lessons
TRANSLATOR = "_static/translator"
#: the pages of docs/
GUIDES = [Path(page).stem for pages in guides.sections(find_course(Path(__file__).parent)).values() for page in pages]
PAGES = [
    *("index", "search", TRANSLATOR, "misreadings", "terms", "references", *GUIDES),
    *(f"lessons/{name}/{name}" for name in LESSONS),
]
#: pages that hold what others hold, looked at in the dark too
DARK = (
    "index",
    "terms",
    TRANSLATOR,
    "learning",
    "course_toml",
    "lessons/03_self_attention/03_self_attention",
    "lessons/16_reading/16_reading",
)
#: a page of each kind, in both schemes
ONE_OF_EACH_KIND = [
    *(("index", "light"), ("index", "dark"), ("learning", "light"), (TRANSLATOR, "light")),
    ("lessons/03_self_attention/03_self_attention", "light"),
]
ALSO_LIGHT = [case for case in ONE_OF_EACH_KIND if case[1] == "light" and case[0] in DARK]
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
        self.headings: list[int] = []
        self._in_summary = False
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._in_summary |= tag == "summary"
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
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
    return {page: Links(page) for page in sorted(book.rglob("*.html"))}


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


def test_no_heading_skips_a_level(pages: dict[Path, Links]) -> None:
    for page, found in pages.items():
        assert found.headings[:1] == [1] and found.headings.count(1) == 1, page.name
        assert all(after <= before + 1 for before, after in pairwise(found.headings)), page.name


def test_terms_and_topics_lead_to_their_sections(course: Course, book: Path, pages: dict[Path, Links]) -> None:
    for make in (gathered.terms, gathered.topics):
        places = re.findall(r"\]\((lessons/[^)]*)\)", make(course))
        assert len(places) > 70
        for place in places:
            page, _, anchor = place.partition("#")
            assert anchor in pages[book / page.replace(".ipynb", ".html")].ids, place


def test_a_term_is_found_in_the_section_that_explains_it(course: Course) -> None:
    rows = re.findall(r"^\| (.+) \| \[(\d\d), (.+?)\]\(", gathered.terms(course), re.MULTILINE)
    assert [term for term, *_ in rows] == sorted(gathered.TERMS, key=str.lower)
    texts = {lesson[:2]: course.lesson_text(lesson).read_text(encoding="utf-8").lower() for lesson in LESSONS}
    for term, number, heading in rows:
        bold = f"**{term.lower()}**"
        section = texts[number].split(f"# {heading.lower()}\n")[1].split("\n## ")[0].split("\n### ")[0]
        assert bold in section, term
        assert not [earlier for earlier, text in texts.items() if earlier < number and bold in text], term


def test_there_is_no_index_without_entries(book: Path) -> None:
    assert not (book / "genindex.html").exists()


def test_a_lesson_builds_on_those_whose_parts_it_takes_up(course: Course) -> None:
    before = {lesson: [entry.number for entry in builds_on(course, lesson)] for lesson in LESSONS}
    assert before["00_the_task"] == []
    assert before["04_multi_head_attention"] == ["03"]  # its reference imports the attention of lesson 03
    assert {"05", "06"} <= set(before["15_families"])  # as its exercises say
    assert "08" in before["16_reading"]  # which has no part of its own made of it, but reads one
    assert all(number < lesson[:2] for lesson, numbers in before.items() for number in numbers)


def test_minutes_points_and_what_they_build_on_stand_at_the_head_of_lessons_and_on_the_front_page(
    course: Course, book: Path
) -> None:
    front = (book / "index.html").read_text(encoding="utf-8")
    table = front.split("<table")[1].split("</table>")[0]
    for lesson in public_lessons():
        [row] = [row for row in table.split("</tr>") if f"{lesson.number} {lesson.title}" in row]
        cells = [re.sub("<[^>]+>", "", cell).strip() for cell in row.split("</td>")]
        points = sum(entry.points for entry in exercises_of(lesson.name))
        numbers = [entry.number for entry in builds_on(course, lesson.name)]
        assert cells[1:4] == [str(lesson.minutes), f"{points:g}", ", ".join(numbers) or "–"]
        page = (book / f"lessons/{lesson.name}/{lesson.name}.html").read_text(encoding="utf-8")
        head = re.sub("<[^>]+>|\n", "", page.split("<table")[1].split("</table>")[0])
        assert f"about {lesson.minutes} minutes" in head
        assert (f"{points:g}, and 2 written questions" if points else "none") in head
        assert head.endswith(", ".join(numbers) or "nothing before it")


def test_the_front_page_says_how_to_begin(book: Path, pages: dict[Path, Links]) -> None:
    front, learning = (
        re.sub("<[^>]+>", "", (book / f"{name}.html").read_text(encoding="utf-8")) for name in ("index", "learning")
    )
    assert "make lab" in front and "learning.html" in pages[book / "index.html"].links
    for said in ("python3 -m venv .venv", "course lab", "If you study alone"):
        assert said in learning


def test_every_page_of_the_documentation_is_in_the_book_and_its_links_stay_there(
    course: Course, book: Path, pages: dict[Path, Links]
) -> None:
    front = pages[book / "index.html"].links
    assert len(GUIDES) > 10
    for page in GUIDES:
        assert f"{page}.html" in front, "docs/index.md lists it"
        inside = [link for link in pages[book / f"{page}.html"].links if urlsplit(link).path.endswith(".md")]
        assert not inside, "a link of the book leads to a page, not to its source"


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_exercise_can_be_tried_before_it_is_shown(pages: dict[Path, Links], book: Path, lesson: str) -> None:
    page = book / "lessons" / lesson / f"{lesson}.html"
    folds, exercises = pages[page].folds, len(of_lesson(lesson))
    for fold in ("Show our solution", "Hint 1 of 3", "Hint 3 of 3"):
        assert folds.count(fold) == exercises, fold
    assert sum(fold.startswith("What the course says to one of ") for fold in folds) == exercises
    text = page.read_text(encoding="utf-8")
    plain = re.sub("<[^>]+>", "", text)
    on_paper = [definition.exercise for definition in of_lesson(lesson) if definition.exercise.on_paper]
    assert text.count("YOUR CODE HERE") >= exercises - len(on_paper)
    assert [entry.id for entry in on_paper if f"\n{entry.symbol} = None\n" not in plain] == []
    assert "YOUR ANSWER HERE" not in text
    assert folds.count("A model answer") == text.count("Written question (not graded).")


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
    expect(translator.locator("#said")).to_have_text("In French: Le livre rouge est vieux.")
    # the attention of this very sentence: a row for each French word, and what the chosen one looked at
    rows = translator.locator("#big tbody tr th")
    expect(rows).to_have_text(["Le", "livre", "rouge", "est", "vieux", ".", "end"], ignore_case=True)
    translator.get_by_role("button", name="rouge").click()
    expect(translator.locator("#detail")).to_contain_text("rouge looked most at")
    assert translator.locator("#source .most").inner_text() == "red"


def test_the_search_finds_a_lesson(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_placeholder("Search").first.fill("rotary")
    page.keyboard.press("Enter")
    expect(page.locator("#search-results").get_by_role("link", name="Lesson 13").first).to_be_visible()
    page.locator("#search-results").get_by_role("link", name="Lesson 13").first.click()
    expect(page.locator("h1")).to_contain_text("Relative and rotary positions")


def test_what_the_search_found_stands_below_its_own_heading(page: Page, address: str) -> None:
    page.goto(f"{address}search.html?q=rotary")
    expect(page.locator("#search-results li").first).to_be_visible()
    levels = page.locator("h1, h2, h3").evaluate_all("found => found.map(one => one.tagName).join(' ')")
    assert levels.startswith("H1 H2")


BACKGROUND = "getComputedStyle(document.body).backgroundColor"


def test_the_switch_for_the_dark_reaches_what_lies_in_a_page(page: Page, address: str) -> None:
    # as the system has it, which is light: a frame doesn't go against one that is emulated
    page.emulate_media(color_scheme="null")
    page.goto(address)
    translator = page.frame(url=re.compile("translator"))
    assert translator
    light = translator.evaluate(BACKGROUND)
    page.get_by_role("button", name="Toggle Light").first.click()  # from what the system prefers to the other
    expect(page.locator("body")).to_have_attribute("data-theme", "dark")
    translator.wait_for_function(f"light => {BACKGROUND} !== light", arg=light)
    page.goto(f"{address}lessons/03_self_attention/03_self_attention.html")  # which remembers the switch
    diagram = page.locator('img[src$=".svg"]').first
    diagram.scroll_into_view_if_needed()
    expect(diagram).to_have_js_property("complete", True)
    corner = matplotlib.image.imread(io.BytesIO(diagram.screenshot()))[2, 2, :3]
    assert corner.max() < 0.3, "the diagram's paper is dark, too"


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


@pytest.mark.parametrize(
    ("name", "scheme"),
    slow_but(ONE_OF_EACH_KIND, [(name, "dark" if name in DARK else "light") for name in PAGES] + ALSO_LIGHT),
)
def test_a_page_fits_a_telephone_and_shuts_nobody_out(
    page: Page, address: str, name: str, scheme: Literal["light", "dark"]
) -> None:
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": 400, "height": 800})
    page.goto(f"{address}{name}.html", wait_until="load")
    if page.locator(".math").count():
        expect(page.locator("mjx-container").last).to_be_attached()
    expect(page.locator("mjx-merror")).to_have_count(0)
    if "COURSE_SCREENSHOTS" in os.environ:
        page.screenshot(path=Path(os.environ["COURSE_SCREENSHOTS"]) / f"book-{Path(name).name}-{scheme}.png")
    # code has the same colours everywhere, and it takes axe as long as all the rest
    assert serious_findings(page, without="" if name == DARK[3] else ".highlight") == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 400


def test_every_exercise_is_in_the_book() -> None:
    assert sum(len(of_lesson(lesson)) for lesson in LESSONS) == len(DEFINITIONS)
