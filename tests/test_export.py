"""`course export`: one file that translates in a browser as the course does in Python, and asks for nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any, cast

import pytest
import torch
from conftest import run_course
from playwright.sync_api import Browser, Page, expect
from small_translator import DAMAGES, ENGLISH, FRENCH, damage, small
from torch.nn.utils.rnn import pad_sequence

from course_lib.components import Transformer, greedy_decode
from course_lib.corpus import generate
from course_lib.translator import SavedTranslator, save_translator
from course_lib.translator.page import LARGEST, make_page
from course_lib.translator.saved import shipped_translator
from course_lib.translator.torch_transformer import TorchTransformer

CLOSE = 1e-4


@pytest.fixture(autouse=True)
def nobody_is_graded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COURSE_PARTS", raising=False)


@pytest.fixture(scope="module")
def shipped() -> SavedTranslator:
    return shipped_translator()


@dataclass
class Opened:
    """A page from a file, without a network, and what went wrong in it."""

    page: Page
    said: list[str] = field(default_factory=list)
    asked_for: list[str] = field(default_factory=list)


def opened(browser: Browser, file: Path, first: str = "", **settings: Any) -> Opened:
    context = browser.new_context(offline=True, reduced_motion="reduce", **settings)
    context.set_default_timeout(20_000)
    found = Opened(context.new_page())
    found.page.on("console", lambda message: found.said.append(message.text))
    found.page.on("pageerror", lambda error: found.said.append(str(error)))
    found.page.on("request", lambda request: found.asked_for.append(request.url))
    found.page.goto(file.as_uri())
    if first:
        ask(found.page, first)
    expect(found.page.locator("#said")).to_contain_text("In French")
    return found


@pytest.fixture(scope="module")
def on_screen(browser: Browser, shipped: SavedTranslator, tmp_path_factory: pytest.TempPathFactory) -> Opened:
    file = tmp_path_factory.mktemp("export") / "translator.html"
    file.write_text(make_page(shipped), encoding="utf-8")
    return opened(browser, file)


def written_by_torch(saved: SavedTranslator, sentences: Sequence[Sequence[str]]) -> list[list[str]]:
    network = cast(Transformer, TorchTransformer(saved.configuration, saved.weights).eval())
    ids = [torch.tensor([saved.english.index(token) for token in tokens]) for tokens in sentences]
    source = pad_sequence(ids, batch_first=True)  # (B, S); padding has the id 0
    written = greedy_decode(network, source, 1, 2, saved.configuration["max_length"])  # (B, T)
    return [[saved.french[i] for i in row if i not in (0, 2)] for row in written.tolist()]


def logits_of_torch(saved: SavedTranslator, source: list[int], target: list[int]) -> torch.Tensor:
    network = TorchTransformer(saved.configuration, saved.weights).eval()
    with torch.no_grad():
        return network.decode(torch.tensor([target]), *network.encode(torch.tensor([source])))[0]  # (T, V)


# --- the file ---


def test_it_is_small_and_asks_for_nothing(shipped: SavedTranslator) -> None:
    page = make_page(shipped)
    assert len(page.encode()) <= LARGEST == 3_000_000
    words = re.sub(r'(<script type="application/octet-stream" id="weights">)[^<]*', r"\1", page)
    assert not re.search(r"https?:|@import|url\(|\bsrc=|fetch\(|XMLHttpRequest|import\(|eval\(|innerHTML", words)
    assert re.findall(r"href=\"([^\"]*)\"", words) == ["data:,"]
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy and policy[1].startswith("default-src &#39;none&#39;; script-src &#39;sha256-")
    assert "unsafe" not in policy[1] and "http" not in policy[1]


def test_weights_of_lesson_09_fit_in_single_precision() -> None:
    from course_lib.components import Transformer
    from course_lib.experiments.transformer_translator import SETTINGS

    sizes = {"source_vocab_size": 538, "target_vocab_size": 1111, "pad_id": 0}
    configuration = SETTINGS | sizes
    network = Transformer(**configuration)
    weights = {n: w.detach() for n, w in network.named_parameters()} | {"positions": torch.zeros(64, 96)}
    model = shipped_translator()
    page = make_page(replace(model, weights=weights, configuration=configuration, yours=True))
    assert 2_800_000 < len(page.encode()) <= LARGEST


def test_nothing_that_is_put_in_becomes_markup(tmp_path: Path) -> None:
    saved = save_translator(small(), ENGLISH, FRENCH, folder=tmp_path)
    page = make_page(saved, by="<img src=x onerror=alert(1)>\"'&")
    assert "<img" not in page
    assert page.count("</script>") == page.count("<script") == 6
    assert "\\u003c/script\\u003e" in page


# --- in a browser, from a file, without a network ---


@pytest.mark.slow
def test_five_hundred_sentences_come_out_as_with_torch(on_screen: Opened, shipped: SavedTranslator) -> None:
    sentences = [list(pair.source) for pair in islice(generate(11, "held_out", distinct=True), 500)]
    found = on_screen.page.evaluate("sentences => sentences.map(translator.tokens)", sentences)
    for tokens, theirs, ours in zip(sentences, found, written_by_torch(shipped, sentences), strict=True):
        assert theirs == ours, " ".join(tokens)


def test_its_logits_are_ours(on_screen: Opened, shipped: SavedTranslator) -> None:
    for pair in islice(generate(12, "held_out", distinct=True), 4):
        source = [shipped.english.index(token) for token in pair.source]
        target = [1, *(shipped.french.index(token) for token in pair.target)]
        theirs = torch.tensor(on_screen.page.evaluate("([s, t]) => translator.logits(s, t)", [source, target]))
        torch.testing.assert_close(theirs, logits_of_torch(shipped, source, target), rtol=0, atol=CLOSE)


@pytest.mark.parametrize(("heads", "norm_first"), [(3, False), (4, True)])
def test_so_are_those_of_any_size_and_norm(browser: Browser, tmp_path: Path, heads: int, norm_first: bool) -> None:
    saved = save_translator(small(heads, norm_first, num_layers=heads - 1), ENGLISH, FRENCH, folder=tmp_path)
    file = tmp_path / "small.html"
    assert "<h1>A translator of my own</h1>" in make_page(saved)
    file.write_text(make_page(saved, by="Ada"), encoding="utf-8")
    found = opened(browser, file, "the cat sleeps")
    source, target = [4, 5, 6, 9], [1, 11, 7, 8, 9, 12]
    theirs = torch.tensor(found.page.evaluate("([s, t]) => translator.logits(s, t)", [source, target]))
    torch.testing.assert_close(theirs, logits_of_torch(saved, source, target), rtol=0, atol=CLOSE)
    sentence = [saved.english[i] for i in source]
    assert found.page.evaluate("t => translator.tokens(t)", sentence) == written_by_torch(saved, [sentence])[0]
    assert found.page.locator("h1").inner_text() == "Ada’s translator"
    assert found.said == []


def test_it_says_nothing_on_the_console_and_asks_for_no_second_file(on_screen: Opened) -> None:
    assert on_screen.said == []
    assert [url for url in on_screen.asked_for if not url.startswith("data:")] == [on_screen.page.url]
    blocked = "fetch('data:text/plain,hello').then(() => 'fetched', () => 'refused')"
    assert on_screen.page.evaluate(blocked) == "refused"
    on_screen.said.clear()  # of the refusal


def ask(page: Page, text: str) -> None:
    page.get_by_label("Write an English sentence").fill(text)
    page.keyboard.press("Enter")


def test_a_sentence_is_translated_word_by_word(on_screen: Opened) -> None:
    page = on_screen.page
    ask(page, "the young king doesn’t open the window")
    expect(page.locator("#said")).to_have_text("In French: Le jeune roi n'ouvre pas la fenêtre.")
    assert page.locator("#target button").all_inner_texts() == [
        *("Le", "jeune", "roi", "n'", "ouvre", "pas", "la", "fenêtre", ".", "end"),
    ]
    assert page.locator("#big tbody tr").count() == 10
    assert page.locator("#heads input").count() == 2 * (4 + 1)


def test_what_it_shows_is_where_the_model_looked(on_screen: Opened, shipped: SavedTranslator) -> None:
    from course_lib.translator import load_translator

    page = on_screen.page
    ask(page, "The cat sleeps.")
    expect(page.locator("#said")).to_have_text("In French: Le chat dort.")
    heads = load_translator().attention("The cat sleeps.").heads  # (layers, H, T, S)
    page.get_by_role("radio", name="layer 1, head 3").check(force=True)
    rows = page.locator("#big tbody tr").evaluate_all(
        "rows => rows.map(row => [...row.cells].slice(1).map(c => Number(c.style.getPropertyValue('--weight'))))"
    )
    torch.testing.assert_close(torch.tensor(rows), heads[0, 2], rtol=0, atol=1e-3)
    page.get_by_role("radio", name="layer 2, mean of its heads").check(force=True)


def test_the_keyboard_reaches_every_word_and_every_head(on_screen: Opened) -> None:
    page = on_screen.page
    ask(page, "She sees the red book.")
    expect(page.locator("#said")).to_have_text("In French: Elle voit le livre rouge.")
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.closest('#target') !== null"):
            break
    else:
        pytest.fail("Tab does not come to the translation")
    page.keyboard.press("Home")
    for word in ("elle", "voit", "le", "livre", "rouge", ".", "end"):
        chosen = page.locator("#target [aria-pressed=true]")
        assert chosen.inner_text().lower() == word
        expect(chosen).to_be_focused()
        assert page.locator("#big tr.now th").inner_text() == word
        expect(page.locator("#detail")).to_contain_text(f"{word} looked most at")
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Home")
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert page.locator("#source .most").inner_text() == "red"
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(page.get_by_role("radio", name="layer 2, mean of its heads")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#caption")).to_contain_text("Layer 2, head 1")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#caption")).to_contain_text("Layer 2, mean")


def test_a_word_it_does_not_know_is_named_and_near_ones_are_offered(on_screen: Opened) -> None:
    page = on_screen.page
    ask(page, "The studant sees xyzzy.")
    trouble = page.locator("#trouble")
    expect(trouble).to_have_role("status")
    expect(trouble).to_contain_text("“studant” is not among the 534 words it has learned. Did you mean student")
    expect(trouble).to_contain_text("“xyzzy” is not among the 534 words")
    expect(page.get_by_label("Write an English sentence")).to_have_attribute("aria-invalid", "true")
    trouble.get_by_role("button", name="student", exact=True).click()
    expect(page.get_by_label("Write an English sentence")).to_have_value("The student sees xyzzy.")
    ask(page, "He sleeps!")
    page.get_by_role("button", name="Translate without it").click()
    expect(page.locator("#said")).to_have_text("In French: Il dort.")
    ask(page, "<img src=x onerror=alert(1)>")
    expect(trouble).to_contain_text("“<”")
    expect(page.locator("main img")).to_have_count(0)
    ask(page, "")
    expect(page.locator("#trouble")).to_contain_text("Write a sentence first")
    ask(page, "the cat " * 20)
    expect(page.locator("#trouble")).to_contain_text("at most 32 words and marks")


def test_a_word_is_completed_by_keyboard(on_screen: Opened) -> None:
    page = on_screen.page
    box = page.get_by_label("Write an English sentence")
    box.fill("")
    box.press_sequentially("the hedg")
    expect(page.get_by_role("option")).to_have_text(["hedgehog", "hedgehogs"])
    box.press("ArrowDown")
    expect(page.get_by_role("option", name="hedgehog", exact=True)).to_have_attribute("aria-selected", "true")
    box.press("Enter")
    expect(box).to_have_value("the hedgehog ")
    expect(page.locator("#completions")).to_be_hidden()
    box.press_sequentially("sl")
    box.press("Escape")
    expect(page.locator("#completions")).to_be_hidden()


def test_examples_and_failures_can_be_chosen(on_screen: Opened) -> None:
    page = on_screen.page
    for chip in page.locator("#chips button").all():
        chip.click()
        expect(page.locator("#trouble")).to_be_empty()
    page.get_by_role("button", name="Surprise me").click()
    expect(page.locator("#reference")).to_contain_text(re.compile("right to the last word|grammar that made"))
    page.get_by_role("button", name="longer than any").click()
    expect(page.locator("#reference")).to_contain_text("Translated in")


def test_a_later_sentence_takes_the_place_of_one_that_is_being_written(
    browser: Browser, shipped: SavedTranslator, tmp_path: Path
) -> None:
    file = tmp_path / "translator.html"
    file.write_text(make_page(shipped), encoding="utf-8")
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.goto(file.as_uri())
    ask(page, "The old woman sees a cat.")
    ask(page, "He sleeps.")
    expect(page.locator("#said")).to_have_text("In French: Il dort.")
    assert page.locator("#target button").all_inner_texts() == ["Il", "dort", ".", "end"]


@pytest.mark.parametrize("width", [320, 400, 1200])
@pytest.mark.slow
def test_it_fits_into_a_narrow_window(browser: Browser, shipped: SavedTranslator, tmp_path: Path, width: int) -> None:
    file = tmp_path / "translator.html"
    file.write_text(make_page(shipped), encoding="utf-8")
    page = opened(browser, file, viewport={"width": width, "height": 800}).page
    assert page.evaluate("document.documentElement.scrollWidth") <= width


# --- the command ---


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "mine" / "work"
    place.mkdir(parents=True)
    return place


def test_without_weights_of_ones_own_page_and_terminal_say_whose_it_is(folder: Path) -> None:
    ran = run_course(folder, "export", "--out", "translator.html")
    assert ran.code == 0, ran.err
    assert "You have not saved a translator in lesson 09 yet" in ran.out
    assert "1.93 MB" in ran.out and "680,928 parameters" in ran.out and (folder / "translator.html").as_uri() in ran.out
    page = (folder / "translator.html").read_text(encoding="utf-8")
    assert "the one that comes with the course" in page
    assert "The authors of the course, not the person who made this page" in page


def test_with_them_it_is_ones_own(folder: Path) -> None:
    (folder / "09_training.ipynb").write_text("{}")  # what lies beside a notebook is found by its whole path
    save_translator(small(), ENGLISH, FRENCH, right=0.9, folder=folder)
    ran = run_course(folder, "export", "--out", "page.html", "--by", "Ada")
    assert ran.code == 0, ran.err
    assert "from .course/translator.safetensors" in ran.out
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert "<h1>Ada’s translator</h1>" in page
    assert "90% right to the last word" in page
    ran = run_course(folder, "export", "--out", "other.html", "--weights", "shipped")
    assert ran.code == 0 and "A small translator" in (folder / "other.html").read_text(encoding="utf-8")


def test_a_file_that_is_there_is_written_over_only_on_demand(folder: Path) -> None:
    (folder / "page.html").write_text("mine")
    ran = run_course(folder, "export", "--out", "page.html")
    assert (ran.code, (folder / "page.html").read_text()) == (1, "mine")
    assert "page.html already exists. Choose another name, or overwrite it with --force." in ran.err
    assert run_course(folder, "export", "--out", "page.html", "--force").code == 0
    assert (folder / "page.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert [path.name for path in folder.iterdir()] == ["page.html"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--out", "."], "is a folder. Name a file in it"),
        (["--out", "nowhere/page.html"], "The folder nowhere does not exist"),
        (["--out", "page"], "its name ends in .html, and page does not: --out page.html"),
        (["--out", "page.html", "--weights", "gone.safetensors"], "gone.safetensors does not exist"),
        ([], "Missing option '--out'"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(folder: Path, arguments: list[str], sentence: str) -> None:
    ran = run_course(folder, "export", *arguments)
    assert ran.code in (1, 2)
    assert sentence in ran.err
    assert not list(folder.iterdir())


def test_a_place_that_cannot_be_written_to_is_said(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Path, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    ran = run_course(folder, "export", "--out", "page.html")
    assert ran.code == 1
    assert "page.html cannot be written: No space left on device. Choose another place." in ran.err


@pytest.mark.parametrize("how", DAMAGES)
def test_a_damaged_translator_makes_no_page(folder: Path, how: str) -> None:
    path = save_translator(small(), ENGLISH, FRENCH, folder=folder).path
    assert path
    damage(path, how)
    ran = run_course(folder, "export", "--out", "page.html")
    assert ran.code == 1
    assert "is damaged" in ran.err and "--weights shipped" in ran.err
    assert not (folder / "page.html").exists()


def test_a_model_that_is_too_large_is_halved_on_demand(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_translator(small(), ENGLISH, FRENCH, folder=folder)
    whole = run_course(folder, "export", "--out", "whole.html")
    assert whole.code == 0, whole.err
    monkeypatch.setattr("course_lib.translator.page.LARGEST", (folder / "whole.html").stat().st_size - 1)
    ran = run_course(folder, "export", "--out", "page.html")
    assert ran.code == 1 and "With --half the weights take half the space" in ran.err
    assert run_course(folder, "export", "--out", "page.html", "--half").code == 0
    assert "rounded to 16 bits" in (folder / "page.html").read_text(encoding="utf-8")
    monkeypatch.setattr("course_lib.translator.page.LARGEST", 1000)
    ran = run_course(folder, "export", "--out", "another.html", "--half")
    assert "Train a smaller one." in ran.err
