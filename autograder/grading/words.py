"""The words of a source that a note for the instructor may go by. Code is read here, and never run."""

from __future__ import annotations

import ast
import builtins
import re
import unicodedata
import warnings
from collections.abc import Iterator, Set

_FUNCTIONS = frozenset(name for name in dir(builtins) if not name.startswith("_"))
#: where there is no tree: names after a dot, what is imported, whole texts
_IN_TEXT = re.compile(r"\.\s*(\w+)|\b(?:from|import)\b([^;\n]*)|(['\"])(\w+)\3", re.MULTILINE)


def words(source: str, alone: Set[str]) -> Iterator[str]:
    """Names of attributes, of imports, whole texts (`F.name`, `from x import name`, ``"name"``).

    Python's own tree says what stands there, whatever letters it is written in. Lines of IPython's ``%magic`` and
    ``!command`` are looked at as text, and all others too where the rest has no tree.

    Args:
        alone: names that count without a dot, too; `getattr` not where it is given a text: that stands there. After a
            dot Python's own functions do not count: ``network.eval()`` is another.
    """
    lines = source.split("\n")
    magic = "\n".join(line for line in lines if line.lstrip()[:1] in ("%", "!"))
    if magic:
        yield from _of_text(magic, alone)
        source = "\n".join(line for line in lines if line.lstrip()[:1] not in ("%", "!"))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a student's escape sequences
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        yield from _of_text(source, alone)
        return
    yield from _of_tree(tree, alone)


def _of_tree(tree: ast.Module, alone: Set[str]) -> Iterator[str]:
    plain = set[ast.AST]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            if node.attr not in _FUNCTIONS:
                yield node.attr
        elif isinstance(node, ast.Call) and len(node.args) > 1 and isinstance(node.args[1], ast.Constant):
            plain.add(node.func)
        elif isinstance(node, ast.Name) and node.id in alone and not (node.id == "getattr" and node in plain):
            yield node.id
        elif isinstance(node, ast.Import | ast.ImportFrom):
            module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
            yield from (part for name in (module, *(alias.name for alias in node.names)) for part in name.split("."))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _of_text(text: str, alone: Set[str]) -> Iterator[str]:
    text = unicodedata.normalize("NFKC", text)  # as Python reads names
    for after_a_dot, imported, _, quoted in _IN_TEXT.findall(text):
        yield from (*{after_a_dot} - _FUNCTIONS, quoted, *re.findall(r"\w+", imported))
    yield from alone & set(re.findall(r"(?<![.\w])\w+", text))
