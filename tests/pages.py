"""What a browser would do with a page that a grader wrote, and what a page tells of what was asked."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from hostile import MARK

from autograder.grading.hidden_keys import LessonKeys
from autograder.records.typeset import ATTRIBUTES, ELEMENTS


class Page(HTMLParser):
    """What of a page a browser would act on."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.scripts: list[str] = []
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str, str]] = []
        self.typeset = ""  # the text in which MathJax looks for formulas
        self._open: list[tuple[str, str]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in ("br", "img", "meta", "link", "input", "hr", "base", "col"):
            self._open.append((tag, dict(attrs).get("class") or ""))

    def handle_endtag(self, tag: str) -> None:
        while self._open and tag in [name for name, _ in self._open]:
            if self._open.pop()[0] == tag:
                break

    def handle_data(self, data: str) -> None:
        inside = [name for name, _ in self._open]
        if "script" in inside:
            self.scripts.append(data)
        ignored = any("tex2jax_ignore" in classes for _, classes in self._open)
        if not ignored and not {"script", "style", "pre", "code"} & set(inside):
            self.typeset += data


#: the elements that rendered prose may contain
OF_PROSE = {"p", "strong", "em", "code", "pre", "ul", "ol", "li", "blockquote", "br", "hr", "table"} | {
    "thead", "tbody", "tr", "th", "td",
}  # fmt: skip

FORMULA = re.compile(r"\\(href|style|class|cssId|require|mmlToken|def|let|newcommand)(?![A-Za-z])")


def runs_nothing(evil: Page, plain: Page) -> None:
    """A feedback page holds nothing of a student that runs, loads or leads anywhere.

    Args:
        plain: the page of someone who wrote nothing.
    """
    assert evil.scripts == plain.scripts, "the page's own, and no others"
    # a card folds what holds, quotes what is printed and shows figures; a page says why a run was stopped
    # prose is rendered with typeset formulas
    assert evil.tags <= plain.tags | ELEMENTS | OF_PROSE | {
        "em",
        "input",
        "del",
        "details",
        "summary",
        "pre",
        "p",
        "strong",
        "img",
    }
    known = {(tag, name) for tag, name, _ in plain.attributes}
    known |= {(tag, name) for tag in ELEMENTS for name in ATTRIBUTES}
    new = [a for a in evil.attributes if (a[0], a[1]) not in known]
    assert {(tag, name) for tag, name, _ in new} <= {
        ("img", "alt"),
        ("img", "src"),
        ("p", "class"),
        ("table", "tabindex"),  # a table in prose
        ("pre", "tabindex"),  # of a card: what is wide can be scrolled by keyboard
        ("input", "type"),
        ("input", "disabled"),
        ("input", "class"),
        ("ol", "start"),
        ("code", "class"),
        ("pre", "style"),  # where a card quotes an error
        ("details", "style"),
        ("summary", "style"),
    }
    assert not [a for a in evil.attributes if a[1].startswith("on")]
    for tag, name, value in evil.attributes:
        if name in ("href", "src", "action", "srcdoc", "xlink:href"):
            assert value.startswith(("#", "data:image/png;base64,")) or (tag, name, value) in plain.attributes, value
        if name == "style":
            assert MARK not in value
    assert not FORMULA.search(evil.typeset)
    assert "mermaid" not in {value for _, name, value in evil.attributes if name == "class"}


def given_numbers(keys: LessonKeys) -> dict[str, dict[tuple[str, str], str]]:
    """The first numbers of everything that is given, as `hostile.TELLS` would tell them: of hidden and public keys."""
    return {
        kind: {
            (exercise, question.name): " ".join(str(float(x)) for x in value.flatten()[:4])
            for exercise, key in (keys.hidden if kind == "hidden" else keys.public).items()
            for question in key.questions
            for _, value in question.arrays()
        }
        for kind in ("hidden", "public")
    }
