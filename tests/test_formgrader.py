"""A grading person's desk: formgrader in a browser, over a class whose written answers wait."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe
from conftest import LESSON, POINTS, copy_course, hand_in_to, require, run_course
from lab import ARGUMENTS, serving
from nbgrader.api import Gradebook
from playwright.sync_api import Locator, Page, expect, sync_playwright

from autograder.building.notebook import to_text
from autograder.demo.classroom import Student, hand_in
from autograder.grading.sanitize import NOTHING
from course_lib.course import Course
from course_lib.running.cells import grade_id, kind_of

ANSWER = "Because each query has a row of weights of its own, and $\\sqrt{d_k}$ changes *none* of that."
COMMENT = "Symmetric scores, **yes**; <b>weights</b>, no: $w_{ij} \\ne w_{ji}$."

#: what axe finds in nbgrader's own template, by rule: which elements, and why they are not ours to mend
THEIRS = {
    "html-has-lang": "html",  # its header begins the page
    "label": "input.score, input.extra-credit, textarea.comment",  # its boxes stand beside words, not in labels
    "list": "nav ul",  # its navigation nests lists without items
    # Bootstrap 3's and Pygments' colours, in its bar, its buttons and the code that nbconvert highlights
    "color-contrast": "nav a, .scoring-buttons button, .highlight span",
    "link-in-text-block": ".text_cell_render a",  # Bootstrap 3 underlines no links
    "scrollable-region-focusable": ".highlight pre, .output pre",  # nbconvert's code and outputs
}


@dataclass(frozen=True)
class Desk:
    """A class whose written answers wait, and formgrader open at one submission.

    Attributes:
        waiting: nbgrader's names of the answers.
        ours: what we would have answered to the first of them.
        elsewhere: what the page asked other machines for.
    """

    root: Path
    page: Page
    waiting: tuple[str, ...]
    ours: str
    elsewhere: list[str]

    def cell(self, name: str) -> Locator:
        """The student's cell, with the boxes for its points and a comment."""
        return self.page.locator(".nbgrader_cell").filter(has=self.page.locator(f"input#{name}"))

    def type(self, box: Locator, text: str) -> None:
        """Type into a box and leave it, which saves it."""
        with self.page.expect_response(lambda answer: answer.request.method == "PUT") as saved:
            box.fill(text)
            box.blur()
        assert saved.value.ok

    def course(self, *arguments: str) -> str:
        ran = run_course(self.root, *arguments)
        assert ran.code == 0, ran
        return ran.out

    def feedback(self) -> str:
        return (self.root / f"class/feedback/ada/{LESSON}/{LESSON}.html").read_text(encoding="utf-8")


def unexpected(page: Page, known: Mapping[str, str] = {}) -> list[tuple[str, list[str]]]:
    """Serious findings of axe's, by rule, without those at elements that are known for it."""

    def is_known(rule: str, place: str) -> bool:
        at = [place, known.get(rule, "")]
        return bool(at[1]) and page.evaluate("([at, known]) => document.querySelector(at).matches(known)", at)

    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    serious = {
        one["id"]: [place for node in one["nodes"] for place in node["target"] if not is_known(one["id"], place)]
        for one in found
        if one["impact"] in ("serious", "critical")
    }
    return [(rule, places) for rule, places in serious.items() if places]


@pytest.fixture(scope="module")
def desk(course: Course, released: Any, chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    require("bwrap")
    root = copy_course(course, tmp_path_factory.mktemp("desk") / "course")
    (root / "course.toml").write_text('[written]\ngrading = "hand"\npoints = 2\n')
    notebook = nbformat.reads(hand_in(Student("ada"), released), as_version=nbformat.NO_CONVERT)
    written = [cell for cell in notebook.cells if kind_of(cell) == "written"]
    for cell in written:
        cell.source = ANSWER
    hand_in_to(root / "class/submitted", {"ada": to_text(notebook)})
    for verb in (("build", "03"), ("grade", "03", "--submissions", "class/submitted")):
        assert run_course(root, *verb).code == 0
    solved = nbformat.read(root / f"solutions/{LESSON}/{LESSON}.ipynb", as_version=nbformat.NO_CONVERT)
    ours = next(cell.source for cell in solved.cells if kind_of(cell) == "written")
    with Gradebook(f"sqlite:///{root}/class/gradebook.db") as book:
        submission = book.find_submission_notebook(LESSON, LESSON, "ada").id
    with (
        serving(root, tmp_path_factory.mktemp("jupyter"), nbgrader=True) as url,
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS) as browser,
    ):
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        elsewhere: list[str] = []
        page.on(
            "request", lambda asked: None if f"{url.split('/lab')[0]}/" in asked.url else elsewhere.append(asked.url)
        )
        page.goto(url)  # its token becomes a cookie, which saving needs
        page.goto(f"{url.split('/lab')[0]}/formgrader/submissions/{submission}/")
        page.wait_for_function("() => formgrader.loaded && formgrader.grades.loaded && formgrader.comments.loaded")
        yield Desk(root, page, tuple(grade_id(cell) for cell in written), ours, elsewhere)


@pytest.fixture(scope="module")
def while_it_waits(desk: Desk) -> str:
    """The feedback page that formgrader generates before anybody has graded."""
    submission = desk.page.url
    desk.page.goto(submission.split("/submissions")[0] + f"/manage_submissions/{LESSON}")
    with desk.page.expect_response(lambda answer: "generate_feedback" in answer.url) as generated:
        desk.page.locator(".generate-feedback a").click()
    assert generated.value.json()["success"], generated.value.text()
    desk.page.goto(submission)
    return desk.feedback()


@pytest.mark.slow
def test_what_waits_is_not_0_points_in_the_feedback_that_formgrader_generates(desk: Desk, while_it_waits: str) -> None:
    assert while_it_waits.count("not graded yet / 2") == 2 * len(desk.waiting)
    assert "0 / 2" not in while_it_waits and "0.0 / 2.0" not in while_it_waits
    assert "<script" not in while_it_waits and "http" not in while_it_waits


def test_a_score_and_a_comment_given_in_formgrader_stand_in_grades_and_feedback(
    desk: Desk, while_it_waits: str
) -> None:
    refused = run_course(desk.root, "grades", "03", "--to", "grades.csv")
    assert refused.code == 1 and "wait for a person in formgrader" in refused.err
    first, beside = desk.cell(desk.waiting[0]), desk.page.locator(f".cell:has(input#{desk.waiting[0]}) + .cell")
    expect(first).to_contain_text(ANSWER[:40])
    expect(beside).to_be_visible()
    expect(beside).to_contain_text("Students don't see it.")
    expect(beside).to_contain_text(desk.ours.split("$")[0])
    for formula in (first.locator("msqrt").first, beside.locator("math").first):
        assert (formula.bounding_box() or {"height": 0})["height"] > 5
    assert not desk.elsewhere
    for name in desk.waiting:
        desk.type(desk.cell(name).locator("input.score"), "1.5")
    desk.type(first.locator("textarea"), COMMENT)
    desk.page.reload()
    expect(first.locator("input.score")).to_have_value("1.5")
    expect(first.locator("textarea")).to_have_value(COMMENT)

    desk.course("grades", "03", "--to", "grades.csv")
    with (desk.root / "grades.csv").open(encoding="utf-8") as file:
        (ada,) = csv.DictReader(file)
    assert (float(ada["score"]), float(ada["max_score"])) == (POINTS + 2 * 1.5, POINTS + 2 * 2)
    desk.course("feedback", "03")
    page = desk.feedback().replace(NOTHING, "")
    assert page.count("1.5 / 2") == 2 * len(desk.waiting) and "not graded yet" not in page
    assert "Symmetric scores, <strong>yes</strong>; &lt;" in page and "weights&lt;/b&gt;, no: <math" in page
    assert "<b>weights" not in page
    assert desk.ours.split("$")[0] not in page


def test_a_written_answer_stands_below_its_question_and_formulas_need_no_network(
    desk: Desk, while_it_waits: str
) -> None:
    assert desk.page.context.browser
    page = desk.page.context.browser.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto((desk.root / f"class/feedback/ada/{LESSON}/{LESSON}.html").as_uri())
    question, answer = page.locator(".question").first, page.locator(".question + .answer").first
    expect(question).to_contain_text("Written question (2 points).")
    expect(question.locator("strong").first).to_be_visible()
    expect(answer.locator("em")).to_have_text("none")
    for width in (1280, 400):
        page.set_viewport_size({"width": width, "height": 900})
        assert (answer.locator("msqrt").bounding_box() or {"height": 0})["height"] > 10
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert unexpected(page) == []
    assert [url for url in asked if not url.startswith("file:")] == []
    page.close()


def test_formgrader_shows_the_lessons_diagrams(desk: Desk) -> None:
    diagrams = desk.page.locator("img[src*='diagrams/']")
    assert diagrams.count() > 0
    for diagram in diagrams.all():
        diagram.scroll_into_view_if_needed()
        assert diagram.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0


@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.slow
def test_formgrader_shuts_nobody_out_by_what_we_show_there(desk: Desk, width: int) -> None:
    desk.page.set_viewport_size({"width": width, "height": 900})
    assert desk.page.evaluate("document.documentElement.scrollWidth") <= width
    assert unexpected(desk.page, THEIRS) == []


def test_an_automatic_score_is_changed_in_its_checks_box_and_explained_below_the_code(desk: Desk) -> None:
    check = desk.cell("check-softmax")
    code = desk.page.locator(".nbgrader_cell").filter(has=desk.page.locator("textarea#softmax-comment"))
    expect(check.locator("input.score")).to_have_attribute("placeholder", "3")
    expect(code).to_contain_text("def softmax")
    assert check.locator("textarea").count() == 0
    desk.type(check.locator("input.score"), "2")
    desk.type(code.locator("textarea"), "One point less: copied from the hint.")
    desk.course("grade", "03")
    desk.course("feedback", "03")
    assert "2 / 3" in desk.feedback() and "One point less: copied from the hint." in desk.feedback()
    desk.type(check.locator("input.score"), "")
    desk.course("feedback", "03")
    assert "2 / 3" not in desk.feedback() and "3 / 3" in desk.feedback()


def test_the_list_of_students_shows_their_ids(desk: Desk) -> None:
    submission = desk.page.url
    desk.page.goto(submission.split("/submissions")[0] + "/manage_students")
    expect(desk.page.locator("td.id", has_text="ada")).to_be_visible()
    desk.page.goto(submission)
    desk.page.wait_for_function("() => formgrader.loaded && formgrader.grades.loaded && formgrader.comments.loaded")
