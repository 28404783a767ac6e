"""Render Markdown as HTML and formulas as MathML, for pages that need no network and run no scripts.

Browsers display MathML themselves. A formula is typeset only if it uses commands that `sanitize` allows, and its result
contains only the elements and attributes that are listed here. Any other formula is shown as its source.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from latex2mathml.converter import convert_to_element
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup, escape
from mdit_py_plugins.dollarmath import dollarmath_plugin

from autograder.grading.sanitize import WRITES

LONGEST = 500  #: the most characters of a formula, because typesetting takes quadratic time
_COMMAND = re.compile(r"\\([A-Za-z]+)")

#: the presentation elements of MathML
ELEMENTS = frozenset(
    """
    math mrow mi mn mo mtext mspace mfrac msqrt mroot msub msup msubsup munder mover munderover mtable mtr mtd mstyle
    mpadded mphantom menclose
    """.split()  # noqa: SIM905 - as in sanitize
)
ATTRIBUTES = frozenset(
    """
    display mathvariant stretchy fence form accent accentunder separator movablelimits displaystyle scriptlevel
    linethickness columnalign rowspacing columnspacing columnlines rowlines minsize maxsize lspace rspace largeop
    symmetric notation linebreak tabindex
    """.split()  # noqa: SIM905
)


def lesson_prose(source: str) -> Markup:
    """Render a lesson's Markdown without raw HTML, with headings as bold lines and images as their descriptions."""
    return Markup(_of_lessons().render(source))


def person_prose(source: str) -> Markup:
    """Render a student's or a grader's Markdown without HTML, links or images. Keep line breaks.

    Args:
        source: the text that `harmless_markdown` returned.
    """
    return Markup(_of_people().render(source))


def formula(latex: str, block: bool = False) -> Markup:
    """Render a formula as MathML, or show its source if it contains anything that no formula of a course needs."""
    written = f"$${latex}$$" if block else f"${latex}$"
    if len(latex) > LONGEST or not set(_COMMAND.findall(latex)) <= WRITES:
        return escape(written)
    try:
        element = convert_to_element(latex, display="block" if block else "inline")
    except Exception:  # a student's formula may be wrong in any way, so show its source
        return escape(written)
    if block:
        element.set("tabindex", "0")  # lets a wide formula be scrolled with the keyboard
    try:
        return Markup("".join(_written(element)))
    except ValueError:  # it holds more than a formula
        return escape(written)


def _written(element: Any) -> Iterator[str]:
    """Yield an element as HTML, with all its content escaped.

    Raises:
        ValueError: the element does not draw a formula, or still contains a command.
    """
    text = html.unescape(element.text or "")
    if element.tag not in ELEMENTS or "\\" in text:
        raise ValueError(element.tag)
    attributes = [f' {name}="{escape(value)}"' for name, value in element.attrib.items() if name in ATTRIBUTES]
    yield f"<{element.tag}{''.join(attributes)}>{escape(text)}"
    for child in element:
        yield from _written(child)
        yield escape(html.unescape(child.tail or ""))
    yield f"</{element.tag}>"


@cache
def _of_lessons() -> MarkdownIt:
    parser = _prose(MarkdownIt("commonmark", {"html": False}))
    parser.add_render_rule("image", _description)
    parser.add_render_rule("link_open", _link)
    return parser


@cache
def _of_people() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "breaks": True})
    return _prose(parser.disable(["link", "image", "autolink", "reference", "html_block", "html_inline"]))


def _prose(parser: MarkdownIt) -> MarkdownIt:
    parser.enable("table")
    parser.add_render_rule("heading_open", lambda *_: "<p><strong>")
    parser.add_render_rule("heading_close", lambda *_: "</strong></p>\n")
    parser.add_render_rule("table_open", lambda *_: '<table tabindex="0">\n')
    for code in ("fence", "code_block"):
        parser.add_render_rule(code, _code)
    return _with_formulas(parser)


def _with_formulas(parser: MarkdownIt) -> MarkdownIt:
    parser.use(dollarmath_plugin, allow_space=False, allow_labels=False, double_inline=True)
    for rule, block in (("math_inline", False), ("math_inline_double", True), ("math_block", True)):
        parser.add_render_rule(rule, _typeset_block if block else _typeset)
    return parser


def _typeset(_: RendererHTML, tokens: Sequence[Token], index: int, *__: Any) -> str:
    return formula(tokens[index].content)


def _typeset_block(_: RendererHTML, tokens: Sequence[Token], index: int, *__: Any) -> str:
    return formula(tokens[index].content, block=True)


def _code(_: RendererHTML, tokens: Sequence[Token], index: int, *__: Any) -> str:
    """Render a block of code that can be scrolled with the keyboard if it is wide."""
    return f'<pre tabindex="0">{escape(tokens[index].content)}</pre>\n'


def _link(_: RendererHTML, tokens: Sequence[Token], index: int, *__: Any) -> str:
    """Render a link to another site. Drop relative links, because files next to the lesson are not next to a page."""
    url = str(tokens[index].attrGet("href"))
    return f'<a href="{escape(url)}">' if url.startswith(("https://", "http://")) else "<a>"


def _description(_: RendererHTML, tokens: Sequence[Token], index: int, *__: Any) -> str:
    """Render an image as its description, because its file is elsewhere."""
    return f"<em>{escape(tokens[index].content)}</em>"
