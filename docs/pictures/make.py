"""The pictures of README.md and of docs/, made by `make pictures`.

They are a card, the translator's attention, the drawing that grows, and the workflow of a class. The card is
photographed in Chromium, so its bytes differ between machines; the others follow from the code.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import workflow
from playwright.sync_api import sync_playwright

from autograder.exercises import DEFINITIONS
from course_lib.diagrams import transformer
from course_lib.figures import attention_map
from course_lib.kernel.check import check
from course_lib.translator import load_translator

HERE = Path(__file__).parent
#: whose card is shown: an exercise, and a registered mistake that many make
CARD = ("scaled_dot_product_attention", "unscaled")
SENTENCE = "The red book is old."


def card() -> str:
    """The card of a mistake, as a page."""
    definition = DEFINITIONS[CARD[0]]
    mistake = next(implementation for implementation in definition.implementations if implementation.name == CARD[1])
    shown = check(definition.id, definition.load(mistake))
    return f'<body style="margin:0;padding:8px;width:720px;font:15px system-ui,sans-serif">{shown._repr_html_()}</body>'


def main() -> None:
    """Make all four."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if not chromium:
        sys.exit("The card is photographed in Chromium: install chromium and run this again.")
    (HERE / "transformer.svg").write_text(whole_transformer(), encoding="utf-8")
    (HERE / "workflow.svg").write_text(workflow.draw().svg, encoding="utf-8")
    seen = load_translator().attention(SENTENCE)
    attention_map(seen.weights, seen.target, seen.source, focus="rouge").save(HERE / "attention.png")
    with sync_playwright() as playwright, playwright.chromium.launch(executable_path=chromium) as browser:
        page = browser.new_page(viewport={"width": 760, "height": 400}, device_scale_factor=1.5)
        page.set_content(card())
        page.screenshot(path=HERE / "card.png", full_page=True)


def whole_transformer() -> str:
    """The drawing with all its boxes lit, as it is at the end of lesson 11."""
    return transformer.draw(transformer.EXERCISES, "11").svg


if __name__ == "__main__":
    main()
