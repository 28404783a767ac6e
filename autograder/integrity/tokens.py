"""A solution as tokens that stay the same when comments, layout and names are changed. Nothing is run."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pygments.lexers import PythonLexer
from pygments.token import Comment, Name, String, Text

from autograder.integrity.normal import NormalForm, normal_form
from autograder.integrity.unpack import LARGEST, without_comments
from course_lib.syntax import NOT_PYTHON, syntax_tree

#: characters of a solution that are compared, without comments and docstrings
LONGEST = 50_000
#: characters of a line; longer ones of what is not Python are broken, since the highlighter takes minutes for them
LONGEST_LINE = 500
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
    """The tokens of a solution cell, without the lines of the stub that was handed out.

    Comments, docstrings, layout and whatever else `normal_form` undoes are left out. All names that the cell defines
    become the same token.
    """
    return read_tokens(source, stub)[0]


def read_tokens(source: str, stub: str = "") -> tuple[list[Token], bool]:
    """The tokens of a solution cell, as `tokens_of` returns them, and whether they are all of it."""
    lines = lines_of(source)
    given = {line.strip() for line in lines_of(stub)}
    released = {number for number, line in enumerate(lines) if line.strip() in given}
    form = normal_form("\n".join(lines)) if len(source) <= LARGEST else None
    if form is None:
        text, numbers = _broken(lines)
    else:
        text, numbers = form.text, []
    whole = len(text) <= LONGEST
    text = text[:LONGEST]
    tokens = _lexed(text, _bound(text), form)
    if form is None:
        tokens = (Token(token.text, numbers[min(token.line, len(numbers) - 1)]) for token in tokens)
    return [token for token in tokens if token.line not in released], whole


def _broken(lines: list[str]) -> tuple[str, list[int]]:
    """Lines that are not Python, without comments and runs of blanks, broken where long; and their numbers."""
    pieces: list[str] = []
    numbers: list[int] = []
    for number, line in enumerate(lines):
        if not without_comments(line).strip():
            continue
        indent = line[: len(line) - len(line.lstrip())][:LONGEST_LINE]
        dense = indent + re.sub(r"[ \t]{2,}", " ", line.strip())
        for begin in range(0, len(dense), LONGEST_LINE):
            pieces.append(dense[begin : begin + LONGEST_LINE].rstrip())
            numbers.append(number)
    return "\n".join(pieces), numbers or [0]


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
