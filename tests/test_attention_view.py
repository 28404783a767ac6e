"""The attention view: without a script, by keyboard, and readable where all style is taken out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import nbformat
import numpy as np
import pytest
import torch
from lab import ARGUMENTS, Notebook, laboratory
from playwright.sync_api import Locator, Page, expect, sync_playwright

from course_lib.app.lab import KERNEL
from course_lib.figures import View, attention_view

QUERIES, KEYS = ["tea", "&", "<b>"], ["du", "<script>alert(1)</script>"]
HEADS = torch.tensor([[[0.1, 0.9], [0.7, 0.3], [1.0, 0.0]], [[0.8, 0.2], [0.4, 0.6], [0.35, 0.65]]])  # (H, T, S)


def two_heads() -> View:
    return attention_view(HEADS, QUERIES, KEYS, title='A "title" <i>', heads=["head 0", "<u>"])


class Tags(HTMLParser):
    """The elements and the text of a piece of HTML."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(re.sub(r"<style>.*?</style>", "", html, flags=re.DOTALL))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def test_no_word_becomes_markup():
    tags = Tags(two_heads().markup)
    assert not {"b", "i", "u", "script"} & {tag for tag, _ in tags.found}
    for text in (*QUERIES, *KEYS, 'A "title" <i>', "<u>: “tea” looks most at “du”: 0.80"):
        assert text in tags.text


def test_it_asks_for_nothing_from_outside_and_runs_no_script():
    markup = two_heads().markup
    assert not re.search(r"https?:|//|url\(|@import|src=|href=", markup)
    for tag, attributes in Tags(markup).found:
        assert tag not in ("script", "link", "iframe", "img", "object")
        assert not [name for name in attributes if name.startswith("on") or name == "action"]


def test_it_has_no_ids_that_could_meet_those_of_another_view():
    assert not [attributes for _, attributes in Tags(two_heads().markup).found if "id" in attributes]
    assert two_heads().markup == two_heads().markup


def test_every_weight_stands_there_as_text():
    text = Tags(two_heads().markup).text
    for said in ("head 0: “tea” looks at du 0.10 <script>alert(1)</script> 0.90", "<u>: “<b>” looks at du 0.35"):
        assert said in text


def test_a_terminal_prints_the_weights():
    assert "head 0, &: du 0.70, <script>alert(1)</script> 0.30; " in str(two_heads())


def test_one_head_needs_no_choice_of_heads():
    view = attention_view(HEADS[0], QUERIES, KEYS)
    assert {attributes["name"] for tag, attributes in Tags(view.markup).found if tag == "input"} == {"word"}
    assert "head" not in Tags(view.markup).text


def test_the_word_with_the_largest_weight_is_chosen_at_first_or_the_one_asked_for():
    def chosen(view: View) -> str | None:
        return next(a["value"] for _, a in Tags(view.markup).found if a.get("name") == "word" and "checked" in a)

    assert chosen(attention_view(HEADS, QUERIES, KEYS)) == "2"
    assert chosen(attention_view(HEADS, QUERIES, KEYS, focus="&")) == "1"


def test_weights_may_carry_a_gradient():
    assert attention_view(HEADS.clone().requires_grad_(), QUERIES, KEYS).markup


@pytest.mark.parametrize(
    "weights, heads, complaint",
    [
        (np.ones((2, 2)), None, r"3 queries and 2 keys; the weights have the shape \(2, 2\)"),
        (np.ones((2, 3, 3)), None, r"the shape \(3, 3\)"),
        (np.ones((2, 3, 2)), ["one"], "2 heads and 1 name"),
    ],
)
def test_what_does_not_fit_is_said(weights, heads, complaint):
    with pytest.raises(ValueError, match=complaint):
        attention_view(weights, QUERIES, KEYS, heads=heads)


# in a browser


@pytest.fixture
def browser_page(chromium: str) -> Iterator[Page]:
    """A page without scripts, of its own: two browsers cannot be driven at once."""
    with sync_playwright() as playwright, playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS) as it:
        yield it.new_page(java_script_enabled=False)


def said(view: Locator) -> str:
    return view.locator("[aria-live]").inner_text()


def test_tab_and_arrow_keys_change_what_is_shown(browser_page: Page):
    browser_page.set_content(two_heads().markup)
    view, keyboard = browser_page.locator("form"), browser_page.keyboard
    assert said(view) == "head 0: “<b>” looks most at “du”: 1.00"
    keyboard.press("Tab")
    keyboard.press("ArrowRight")
    assert said(view) == "<u>: “<b>” looks most at “<script>alert(1)</script>”: 0.65"
    keyboard.press("Tab")
    keyboard.press("ArrowUp")
    assert said(view) == "<u>: “&” looks most at “<script>alert(1)</script>”: 0.60"
    assert view.locator("[role=list]:visible").inner_text().split() == ["du", "0.40", *KEYS[1:], "0.60"]


def test_the_chosen_word_shows_that_it_has_the_focus(browser_page: Page):
    browser_page.set_content(two_heads().markup)
    browser_page.keyboard.press("Tab")
    outline = "label => getComputedStyle(label).outlineStyle + getComputedStyle(label).outlineWidth"
    label = browser_page.locator("label", has=browser_page.locator(":focus"))
    assert label.evaluate(outline) == "solid3px"
    assert browser_page.locator("label").last.evaluate(outline) != "solid3px"


def test_enter_leaves_the_page_as_it_is(browser_page: Page):
    browser_page.set_content(two_heads().markup)
    browser_page.keyboard.press("Tab")
    browser_page.keyboard.press("ArrowRight")
    before = browser_page.url
    browser_page.keyboard.press("Enter")
    assert browser_page.url == before
    assert said(browser_page.locator("form")).startswith("<u>")


def test_two_views_of_the_same_do_not_disturb_each_other(browser_page: Page):
    browser_page.set_content(2 * two_heads().markup)
    first, second = browser_page.locator("form").all()
    second.locator("label", has_text="tea").click()
    assert "“<b>”" in said(first)
    assert "“tea”" in said(second)


def test_without_style_every_weight_can_be_read(browser_page: Page):
    browser_page.set_content(re.sub(r"<style>.*?</style>|style=\"[^\"]*\"", "", two_heads().markup, flags=re.DOTALL))
    shown = browser_page.locator("form").inner_text()
    for said_of_one in ("head 0: “tea” looks at du 0.10", "<u>: “<b>” looks at du 0.35"):
        assert said_of_one in shown
    assert browser_page.locator("svg:visible").count() == 0


@pytest.fixture
def lab(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Notebook]:
    place = tmp_path_factory.mktemp("lab")
    source = f"from course_lib import figures\nfigures.attention_view({HEADS.tolist()}, {QUERIES}, {KEYS})"
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(source), nbformat.v4.new_code_cell("1 + 1")],
        metadata={"kernelspec": KERNEL},
    )
    folder = place / "view"
    folder.mkdir()
    Path(folder / "view.ipynb").write_text(nbformat.writes(notebook), encoding="utf-8")
    with laboratory(chromium, place) as lab, lab.opened(folder) as notebook:
        notebook.run_all()
        yield notebook


@pytest.mark.slow
def test_in_jupyterlab_arrow_keys_choose_words_and_not_cells(lab: Notebook):
    view = lab.page.locator("form.attention-view")
    view.locator("label", has_text="tea").click()
    lab.page.keyboard.press("ArrowDown")
    expect(view.locator("[aria-live]")).to_contain_text("head 0: “&”")
    lab.page.keyboard.press("ArrowDown")
    expect(view.locator("[aria-live]")).to_contain_text("head 0: “<b>”")
    lab.page.keyboard.press("Shift+Tab")
    lab.page.keyboard.press("ArrowRight")
    expect(view.locator("[aria-live]")).to_contain_text("head 1: “<b>”")
