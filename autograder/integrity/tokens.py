"""Turn a solution into tokens that do not depend on comments, layout or names. Nothing is run."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass

from pygments.lexers import PythonLexer
from pygments.token import Comment, Name, String, Text

from autograder.integrity.normal import NormalForm, normal_form
from autograder.records.unpack import LARGEST, without_comments
from course_lib.syntax import NOT_PYTHON, syntax_tree

#: the most characters of a solution that are compared, without comments and docstrings
LONGEST = 50_000
#: the most characters of a line. Longer ones that are not Python are broken, because the lexer takes minutes for them
LONGEST_LINE = 500
#: the tokens for every name that the cell itself defines, and for every string
NAME, TEXT = "name", "text"

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)

#: the names that code which cannot be parsed defines by assignments, parameters, loops and with, after joining blanks
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
    """The names that a cell's statement can use because the cell defines them.

    Attributes:
        begin: the statement's first line.
        names: variables, parameters, functions and classes, of the statement itself or of the whole cell.
        attributes: attributes that the statement assigns to.
        keywords: the positions of keyword arguments, as line and byte, because the function defines these names.
    """

    begin: int
    names: frozenset[str]
    attributes: frozenset[str] = frozenset()
    keywords: frozenset[tuple[int, int]] = frozenset()


def lines_of(source: str) -> list[str]:
    """Return the lines of a source, numbered as in tokens."""
    return source.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def tokens_of(source: str, stub: str = "") -> list[Token]:
    """Return the tokens of a solution cell, without the lines of the released stub.

    Leave out comments, docstrings, layout and everything else that `normal_form` removes. All names that the cell
    defines become the same token.
    """
    return read_tokens(source, stub)[0]


def read_tokens(source: str, stub: str = "") -> tuple[list[Token], str]:
    """Return the tokens of a solution cell as `tokens_of` does, and why they aren't all of it or not in normal form."""
    lines = lines_of(source)
    given = {line.strip() for line in lines_of(stub)}
    released = {number for number, line in enumerate(lines) if line.strip() in given}
    form = normal_form("\n".join(lines)) if len(source) <= LARGEST else None
    if form is None:
        text, numbers = _broken(lines)
    else:
        text, numbers = form.text, []
    whole = len(text) <= LONGEST and (form is None or form.whole)
    text = text[:LONGEST]
    tokens = _lexed(text, _scopes(text), form)
    if form is None:
        tokens = (Token(token.text, numbers[min(token.line, len(numbers) - 1)]) for token in tokens)
    why = "" if whole else f"longer than {LONGEST:,} characters without comments; the rest is not compared"
    if form is None and whole:
        why = "not valid Python, or nested too deeply: compared as it is, with all changes that alter nothing"
    return [token for token in tokens if token.line not in released], why


def _broken(lines: list[str]) -> tuple[str, list[int]]:
    """Drop comments, join blanks and break long lines of text that is not Python. Return lines and their numbers."""
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


def _lexed(source: str, scopes: list[Bound], form: NormalForm | None) -> Iterator[Token]:
    """Yield tokens, using Pygments because it accepts invalid code. Tokens of a normal form keep the source's lines."""
    line, column, in_text, after_dot, scope = 0, 0, False, False, 0
    for kind, text in PythonLexer(stripnl=False).get_tokens(source):
        while scope + 1 < len(scopes) and scopes[scope + 1].begin <= line:
            scope += 1
        bound = scopes[scope]
        if not (kind in String.Doc or kind in Comment or (kind in Text and not text.strip())):
            if kind not in String or kind in String.Interpol:
                own = bound.attributes if after_dot else bound.names
                renamed = kind in Name and text in own and (line, column) not in bound.keywords
                yield Token(NAME if renamed else text, form.line_of(line, column) if form else line)
            elif not in_text:  # a string is several tokens, its quotes and its content
                yield Token(TEXT, form.line_of(line, column) if form else line)
            after_dot = text == "."
        in_text = kind in String
        line += text.count("\n")
        column = len(text.rpartition("\n")[2].encode(errors="replace")) + ("\n" not in text) * column


def _scopes(source: str) -> list[Bound]:
    """Return what each statement of a source can use; of invalid code, what any of it can use.

    A function's own variables count only in the function, because another function may use the same name for something
    that it doesn't define. Otherwise a function's tokens would depend on what else is in the cell.
    """
    try:
        body = syntax_tree(source).body
    except NOT_PYTHON:  # invalid, or nested too deeply
        found = _BOUND.findall(re.sub(r"\s+", " ", source))
        names = (name for groups in found for group in groups for name in re.findall(r"\w+", group))
        return [Bound(0, frozenset(names))]
    everywhere = {name for one in body for name in _names([one] if isinstance(one, _DEFINITIONS) else ast.walk(one))}
    return [_scope(one, list(ast.walk(one)), everywhere) for one in body] or [Bound(0, frozenset())]


def _scope(statement: ast.stmt, nodes: list[ast.AST], everywhere: Set[str]) -> Bound:
    decorators = [one.lineno for one in getattr(statement, "decorator_list", ())]
    return Bound(
        min([statement.lineno, *decorators]) - 1,
        frozenset(_names(nodes)) | everywhere,
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
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name
            case ast.alias(asname=str()):
                yield str(node.asname)
            case ast.ExceptHandler(name=str()):
                yield str(node.name)
