"""A solution as tokens that stay the same when comments, layout and names are changed. Nothing is run."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pygments.lexers import PythonLexer
from pygments.token import Comment, Name, String, Text

from autograder.integrity.normal import NormalForm, normal_form
from course_lib.syntax import NOT_PYTHON, syntax_tree

#: no solution of a person is longer, and no line of one; the rest of a longer one is not looked at
LONGEST, LONGEST_LINE = 50_000, 500
#: stands for every name that the cell itself gives to something, and for every text
NAME, TEXT = "name", "text"

#: in code that does not parse, each run of blanks one: what is assigned to, parameters, what a loop or a with names
_BOUND = re.compile(
    r"\b(\w+)\b ?(?:[-+*/@%&|^]|//|\*\*)?=(?!=)|\bfor ([\w ,()]{1,200}?) in\b|\bas (\w+)|\bdef \w+\(([^)]*)"
)


@dataclass(frozen=True)
class Token:
    """A token and the number of its line, from 0."""

    text: str
    line: int


@dataclass(frozen=True)
class Bound:
    """What a cell gives a name to.

    Attributes:
        names: variables, parameters, functions and classes.
        attributes: those that are assigned to.
        keywords: where the names of a call's arguments begin, as line and byte: the function's, not the cell's.
    """

    names: frozenset[str]
    attributes: frozenset[str] = frozenset()
    keywords: frozenset[tuple[int, int]] = frozenset()


def lines_of(source: str) -> list[str]:
    """The lines of a source as tokens count them."""
    return source.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def tokens_of(source: str, stub: str = "") -> list[Token]:
    """The tokens of a solution cell, without lines that stand in the stub that was handed out.

    Left out are comments, docstrings, layout and whatever else `normal_form` undoes; every name that the cell gives to
    something is the same one.
    """
    # a line or a run of blanks of 50,000 characters takes the highlighter minutes
    lines = [line[:LONGEST_LINE].rstrip() for line in lines_of(source[:LONGEST])]
    given = {line.strip() for line in lines_of(stub)}
    released = {number for number, line in enumerate(lines) if line.strip() in given}
    source = "\n".join(lines)
    form = normal_form(source)
    text = source if form is None else form.text
    return [token for token in _lexed(text, _bound(text), form) if token.line not in released]


def _lexed(source: str, bound: Bound, form: NormalForm | None) -> Iterator[Token]:
    """Pygments takes code that no parser takes, too; of a normal form, tokens have the lines that it was made of."""
    line, column, in_text, after_dot = 0, 0, False, False
    for kind, text in PythonLexer(stripnl=False).get_tokens(source):
        if not (kind in String.Doc or kind in Comment or (kind in Text and not text.strip())):
            if kind not in String or kind in String.Interpol:
                own = bound.attributes if after_dot else bound.names
                renamed = kind in Name and text in own and (line, column) not in bound.keywords
                yield Token(NAME if renamed else text, form.line_of(line, column) if form else line)
            elif not in_text:  # a text is several tokens: its marks and what stands between them
                yield Token(TEXT, form.line_of(line, column) if form else line)
            after_dot = text == "."
        in_text = kind in String
        line += text.count("\n")
        column = len(text.rpartition("\n")[2].encode(errors="replace")) + ("\n" not in text) * column


def _bound(source: str) -> Bound:
    try:
        nodes = list(ast.walk(syntax_tree(source)))
    except NOT_PYTHON:  # of what is nested too deeply, the last two
        found = _BOUND.findall(re.sub(r"\s+", " ", source))
        return Bound(frozenset(name for groups in found for group in groups for name in re.findall(r"\w+", group)))
    return Bound(
        frozenset(_names(nodes)),
        frozenset(one.attr for one in nodes if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store)),
        frozenset((one.lineno - 1, one.col_offset) for one in nodes if isinstance(one, ast.keyword) and one.arg),
    )


def _names(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        match node:
            case ast.Name(ctx=ast.Store()):
                yield node.id
            case ast.arg():
                yield node.arg
            case ast.FunctionDef() | ast.ClassDef() | ast.AsyncFunctionDef():
                yield node.name
            case ast.alias(asname=str()):
                yield str(node.asname)
            case ast.ExceptHandler(name=str()):
                yield str(node.name)
