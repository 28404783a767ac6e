"""Extract the words of a source on which notes for the instructor are based. Parse the source but never run it."""

from __future__ import annotations

import ast
import builtins
import re
import unicodedata
from collections.abc import Iterator, Set

from course_lib.syntax import NOT_PYTHON, syntax_tree

_FUNCTIONS = frozenset(name for name in dir(builtins) if not name.startswith("_"))
#: names that look up or run anything by a string that need not appear in the source. They count even without a dot
BY_TEXT = frozenset({
    "pkgutil", "resolve_name", "pydoc", "runpy", "mock", "dictConfig", "EntryPoint", "__loader__", "load_module",
    "getmembers", "getmembers_static", "Formatter", "get_field", "__all__", "__match_args__",
    "compile", "FunctionType", "LambdaType", "CodeType", "InteractiveInterpreter", "InteractiveConsole",
    "get_type_hints", "get_annotations", "ForwardRef", "eval_str",
    "pickle", "_pickle", "Unpickler", "shelve", "copyreg", "marshal",
    "pickle_module", "weights_only", "allow_pickle", "read_pickle",
})  # fmt: skip

#: a string of joined names and not prose, such as ``"torch._C:name"`` or ``"{0._C}"``
_PATH = re.compile(r"[\w.:\[\]{}!]+")
#: a word with a leading underscore, which never occurs in prose
_INTERNAL = re.compile(r"\b_\w+")

#: an assignment from a magic or a command
_ASSIGNED = re.compile(r"[\w., ]*=\s*(?=[%!])")
#: imports, up to a closing bracket, and strings in a source that cannot be parsed
_IMPORTS = re.compile(r"\b(?:from|import)\b((?:[^;\n(]|\((?:[^)#]|#[^\n]*\n?)*)*)")
_QUOTED = re.compile(r"(['\"])([\w.:\[\]{}!]+)\1")
_AFTER_A_DOT = re.compile(r"\.\s*(\w+)")
#: a line that may end between a dot and its name, because what looks like a comment may be part of a string; and the
#: beginning of the next line, perhaps after a prompt
_ENDS_WITH_A_DOT, _BEGINS = re.compile(r"\.\s*(?:#|\\?$)"), re.compile(r"[\s.:]*(\w*)")


def words(source: str, alone: Set[str]) -> Iterator[str]:
    """Yield the names of attributes, imports and strings (`F.name`, `from x import name`, ``"name"``, ``"x.name"``).

    Use Python's syntax tree, so that no way of spelling a name hides it. Search the lines of IPython's ``%magic`` and
    ``!command`` as text, and all other lines, too, if they cannot be parsed. In a string of several words, which is
    prose, only words that never occur in prose count, such as ``_C``.

    Args:
        alone: names that count even without a dot, in addition to `BY_TEXT`. `getattr` does not count with a literal
            name, which is found anyway. Python's built-in functions do not count after a dot, as in ``network.eval()``.
    """
    alone = alone | BY_TEXT
    for assigned in (False, True):
        magic, rest = _apart(source, assigned)
        if tree := _tree(rest):
            yield from _of_text(magic, alone)
            yield from _of_tree(tree, alone)
            return
    yield from _of_text(source, alone)


def _apart(source: str, assigned: bool) -> tuple[str, str]:
    """Separate IPython's lines, including their continuations, from all others.

    Args:
        assigned: whether ``x = %magic`` counts as one, too.
    """
    magic, rest, goes_on = [], [], False
    for line in source.split("\n"):
        name = _ASSIGNED.match(line) if assigned and not goes_on else None
        if goes_on or name or line.lstrip()[:1] in ("%", "!"):
            magic.append(line)
            rest += [f"{name[0]}None"] if name else []
            goes_on = line.endswith("\\")
        else:
            rest.append(line)
    return "\n".join(magic), "\n".join(rest)


def _tree(source: str) -> ast.Module | None:
    try:
        return syntax_tree(source)
    except NOT_PYTHON:
        return None


def _of_tree(tree: ast.Module, alone: Set[str]) -> Iterator[str]:
    plain, said = set[ast.AST](), set[ast.AST]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            if node.attr not in _FUNCTIONS:
                yield node.attr
            if node.attr == "modules" and isinstance(node.value, ast.Name) and node.value.id == "sys":
                yield "sys.modules"
        elif isinstance(node, ast.Call):
            plain |= {node.func} if _says_what_it_changes(node) else set()
        elif isinstance(node, ast.Name) and node.id in alone and node not in plain:
            yield node.id
        elif isinstance(node, ast.Import | ast.ImportFrom):
            module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
            names = [alias.name for alias in node.names]
            yield from (part for name in (module, *names) for part in name.split("."))
            yield from ["sys.modules"] if module == "sys" and "modules" in names else []
        elif isinstance(node, ast.MatchClass):  # looks up attributes by these names, or by those in ``__match_args__``
            yield from (*node.kwd_attrs, *["__match_args__"][: len(node.patterns)])
        elif isinstance(node, ast.keyword) and node.arg in BY_TEXT:
            yield node.arg
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            said.add(node.value)  # a docstring
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from _of_constant(node.value, node not in said)
        elif isinstance(node, ast.Constant) and isinstance(node.value, bytes):
            yield from re.findall(r"\w+", node.value.decode("latin-1"))


def _says_what_it_changes(call: ast.Call) -> bool:
    """Return whether a call is harmless: ``setattr(self, …)``, or ``getattr(x, "name")`` with a literal name."""
    match call:
        case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(), *_]):
            return True
        case ast.Call(func=ast.Name(id="setattr" | "delattr"), args=[ast.Name(id="self"), *_]):
            return True
    return False


def _of_constant(text: str, in_use: bool) -> Iterator[str]:
    """Yield a string and the names in it.

    Args:
        in_use: whether the string is used. A docstring may contain any names.
    """
    yield text
    parts = re.findall(r"\w+", text) if in_use and _PATH.fullmatch(text) else []
    yield from parts if len(parts) > 1 else _INTERNAL.findall(text)  # "running:" is prose


def _of_text(text: str, alone: Set[str]) -> Iterator[str]:
    text = re.sub(r"\r\n?", "\n", unicodedata.normalize("NFKC", text))  # as Python reads names, and lines
    yield from set(_after_dots(text)) - _FUNCTIONS
    for imported in _IMPORTS.findall(text.replace("\\\n", " ")):
        yield from re.findall(r"\w+", imported)
    for _, quoted in _QUOTED.findall(text):
        yield from _of_constant(quoted, in_use=True)
    yield from alone & set(re.findall(r"(?<![.\w])\w+", text))
    yield from ["sys.modules"] if re.search(r"\bsys\s*\.\s*modules\b", text) else []


def _after_dots(text: str) -> Iterator[str]:
    """Yield names that follow a dot, even on a later line after comments, in linear time."""
    waits = False
    for line in text.split("\n"):
        yield from _AFTER_A_DOT.findall(line)
        begins = _BEGINS.match(line)
        if waits and begins:
            yield begins[1]
        passed_over = line.strip() in ("", "\\") or line.lstrip().startswith("#")
        waits = (waits and passed_over) or bool(_ENDS_WITH_A_DOT.search(line))
