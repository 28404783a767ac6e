"""Prose on a page that needs no network and runs nothing: Markdown becomes HTML, formulas become MathML.

Browsers draw MathML themselves. Of what a formula may hold, only what `sanitize` lets stand is typeset, and of what
comes of it only elements and attributes that are listed here; any other formula is shown as it is written.
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

LONGEST = 500  #: characters of a formula; to typeset it takes time by its square
_COMMAND = re.compile(r"\\([A-Za-z]+)")

#: of MathML, what draws
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
    """A lesson's Markdown: no HTML of its own, headings as bold lines, images by their descriptions."""
    return Markup(_of_lessons().render(source))


def person_prose(source: str) -> Markup:
    """A student's or a grader's Markdown: no HTML, links or images; headings are bold, and lines end where they end.

    Args:
        source: as `harmless_markdown` returns it.
    """
    return Markup(_of_people().render(source))


def formula(latex: str, block: bool = False) -> Markup:
    """A formula as MathML; as it is written, where it holds what no formula of a course needs."""
    written = f"$${latex}$$" if block else f"${latex}$"
    if len(latex) > LONGEST or not set(_COMMAND.findall(latex)) <= WRITES:
        return escape(written)
    try:
        element = convert_to_element(latex, display="block" if block else "inline")
        if block:
            element.set("tabindex", "0")  # it can be scrolled by keyboard where it is wide
        return Markup("".join(_written(element)))
    except Exception:  # a student's formula may be wrong in any way, and is then text
        return escape(written)


def _written(element: Any) -> Iterator[str]:
    """An element as HTML has it, with everything in it escaped.

    Raises:
        ValueError: it is none that draws a formula, or a command is left in it.
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
    """A block of code, which can be scrolled by keyboard where it is wide."""
    return f'<pre tabindex="0">{escape(tokens[index].content)}</pre>\n'


def _link(_: RendererHTML, tokens: Sequence[Token], index: int, *__: Any) -> str:
    """A link to another site; what lies beside the lesson does not lie beside a page."""
    url = str(tokens[index].attrGet("href"))
    return f'<a href="{escape(url)}">' if url.startswith(("https://", "http://")) else "<a>"


def _description(_: RendererHTML, tokens: Sequence[Token], index: int, *__: Any) -> str:
    """What an image shows, in words: its file lies elsewhere."""
    return f"<em>{escape(tokens[index].content)}</em>"
