"""A run of real text as a page in a browser: it cuts as SentencePiece does, and computes what torch computes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest
import torch
from conftest import run_course
from playwright.sync_api import Browser, Page, expect

from course_lib.corpus import detokenize, generate
from course_lib.real_text import page as run_page
from course_lib.real_text.corpora import aligned
from course_lib.real_text.run import Run
from course_lib.real_text.settings import Settings
from course_lib.real_text.training import learn, prepare

ROOT = Path(__file__).parent.parent
#: as people type: with spaces of many kinds, a capital, ligatures, a quotation, an accent in two parts, full width
ODD = (
    "", "  ", "The  cat\tsleeps.", " the cat sleeps", "THE CAT", "ﬁne oﬃce", "“Yes”, he said: l’été", "cafe\u0301",
    "ｆｕｌｌ", "x² + ½", "a▁b", "never-ending", "no-break\u00a0space", "日本",
)  # fmt: skip


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run that has learned hardly anything."""
    folder = tmp_path_factory.mktemp("run")
    pairs = [(detokenize(p.source, "en"), detokenize(p.target, "fr")) for p in islice(generate(0), 1200)]
    files = folder / "text.en", folder / "text.fr"
    for side, path in enumerate(files):
        path.write_text("".join(f"{pair[side]}\n" for pair in pairs), encoding="utf-8")
    corpus = aligned(*files, ("en", "fr"))
    settings = Settings(
        vocabulary=300, d_model=32, num_heads=4, num_layers=2, d_ff=48, max_length=60, steps=8, seconds=None
    )
    kind = {"kind": "files", "source": str(files[0]), "target": str(files[1]), "languages": ["en", "fr"]}
    run = prepare(corpus, kind, settings, folder / "run")
    learn(run, corpus, False, lambda sentence: None)
    return run


@pytest.fixture(scope="module")
def page(run: Run, browser: Browser) -> Iterator[Page]:
    file = run.folder.parent / "page.html"
    said = run_course(ROOT, "export", str(run.folder), "--out", str(file), "--by", "Ada")
    assert said.code == 0, said
    trouble: list[str] = []
    page = browser.new_context(offline=True, reduced_motion="reduce").new_page()
    page.on("console", lambda message: trouble.append(message.text))
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.goto(file.as_uri())
    page.get_by_label("Write an English sentence").fill("the cat sleeps.")
    page.keyboard.press("Enter")
    expect(page.locator("#said")).to_contain_text("In French")
    yield page
    assert trouble == []


def test_it_cuts_as_sentencepiece_does(run: Run, page: Page) -> None:
    lines = [*ODD, *(detokenize(p.source, "en") for p in islice(generate(5), 300))]
    tokens = run.subwords.tokens
    for line, cut in zip(lines, page.evaluate("lines => lines.map(line => translator.cut(line))", lines), strict=True):
        ids = [tokens.index(piece) if piece in tokens else run.subwords.unk_id for piece in cut]
        once = [i for place, i in enumerate(ids) if not i == run.subwords.unk_id == ids[place - 1] or not place]
        assert once == run.subwords.encode(line)[1:-1], line


def test_its_logits_are_ours(run: Run, page: Page) -> None:
    network = run.trained()
    with torch.no_grad():
        for weight in network.parameters():
            weight.copy_(weight.half())
    for pair in islice(generate(7), 4):
        source = run.subwords.encode(detokenize(pair.source, "en"))[1:-1]
        target = run.subwords.encode(detokenize(pair.target, "fr"))[:-1]
        theirs = torch.tensor(page.evaluate("([s, t]) => translator.logits(s, t)", [source, target]))
        with torch.no_grad():
            ours = network.decode(torch.tensor([target]), *network.encode(torch.tensor([source])))[0]
        torch.testing.assert_close(theirs, ours, rtol=0, atol=1e-4)


def test_it_says_whose_it_is_and_what_it_has_never_met(page: Page) -> None:
    assert page.locator("h1").inner_text() == "Ada’s translator"
    assert "subwords" in page.locator("body").inner_text()
    for unknown, sentence in (("日", "It has never met “日”."), ("☃", "It has not learned the mark “☃”.")):
        page.get_by_label("Write an English sentence").fill(f"the cat {unknown} sleeps.")
        page.keyboard.press("Enter")
        expect(page.locator("#trouble")).to_contain_text(sentence)
    page.get_by_role("button", name="Translate without it").click()
    expect(page.locator("#trouble")).to_be_empty()
    assert page.get_by_label("Write an English sentence").input_value() == "the cat  sleeps."
    expect(page.locator("#said")).to_contain_text("In French")
    assert "▁" not in page.locator("#target").inner_text() + page.locator("#big").inner_text()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nowhere", "--out", "page.html"], "There is no training run in nowhere"),
        (["nowhere", "--out", "page.html", "--weights", "shipped"], "A run has its own weights"),
    ],
)
def test_what_cannot_be_done_is_said(tmp_path: Path, arguments: list[str], sentence: str) -> None:
    said = run_course(tmp_path, "export", *arguments)
    assert said.code == 1
    assert sentence in said.err
    assert not (tmp_path / "page.html").exists()


def test_a_page_that_is_too_large_is_not_written(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_page, "LARGEST", 1000)
    said = run_course(tmp_path, "export", str(run.folder), "--out", "page.html")
    assert said.code == 1 and "Train a smaller model." in said.err
    assert not (tmp_path / "page.html").exists()
