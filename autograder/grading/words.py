"""The words of a source that a note for the instructor may go by. Code is read here, and never run."""

from __future__ import annotations

import ast
import builtins
import re
import unicodedata
from collections.abc import Iterator, Set

from course_lib.syntax import NOT_PYTHON, syntax_tree

_FUNCTIONS = frozenset(name for name in dir(builtins) if not name.startswith("_"))
#: what reaches anything by a text that need not stand there, or runs it; distinctive enough to count without a dot
BY_TEXT = frozenset({
    "pkgutil", "resolve_name", "pydoc", "runpy", "mock", "dictConfig", "EntryPoint", "__loader__", "load_module",
    "getmembers", "getmembers_static", "Formatter", "get_field", "__all__", "__match_args__",
    "compile", "FunctionType", "LambdaType", "CodeType", "InteractiveInterpreter", "InteractiveConsole",
    "get_type_hints", "get_annotations", "ForwardRef", "eval_str",
    "pickle", "_pickle", "Unpickler", "shelve", "copyreg", "marshal",
    "pickle_module", "weights_only", "allow_pickle", "read_pickle",
})  # fmt: skip

#: a text that is no prose: names, and what joins them, as ``"torch._C:name"`` or ``"{0._C}"``
_PATH = re.compile(r"[\w.:\[\]{}!]+")
#: what no word of prose begins with
_INTERNAL = re.compile(r"\b_\w+")

#: what is assigned from a magic or a command
_ASSIGNED = re.compile(r"[\w., ]*=\s*(?=[%!])")
#: where there is no tree: what is imported, as far as a bracket reaches, and texts
_IMPORTS = re.compile(r"\b(?:from|import)\b((?:[^;\n(]|\((?:[^)#]|#[^\n]*\n?)*)*)")
_QUOTED = re.compile(r"(['\"])([\w.:\[\]{}!]+)\1")
_AFTER_A_DOT = re.compile(r"\.\s*(\w+)")
#: a line may end between a dot and its name: it ends so, for all that can be told of what looks like a comment and may
#: be a text; and it begins so, perhaps behind a prompt
_ENDS_WITH_A_DOT, _BEGINS = re.compile(r"\.\s*(?:#|\\?$)"), re.compile(r"[\s.:]*(\w*)")


def words(source: str, alone: Set[str]) -> Iterator[str]:
    """Names of attributes, of imports, of texts (`F.name`, `from x import name`, ``"name"``, ``"x.name"``).

    Python's own tree says what stands there, whatever letters it is written in. Lines of IPython's ``%magic`` and
    ``!command`` are looked at as text, and all others too where these have no tree. Of a text of several words, which
    is prose, none counts but those that no prose has, as ``_C``.

    Args:
        alone: names that count without a dot, too, besides `BY_TEXT`; `getattr` not where it is given a text: that
            stands there. After a dot Python's own functions do not count: ``network.eval()`` is another.
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
    """The lines that are IPython's, each as far as it goes on, and all others.

    Args:
        assigned: whether ``x = %magic`` is one, too.
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
        elif isinstance(node, ast.MatchClass):  # it looks attributes up: by these names, or by those in a text
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
    """Whether it is ``getattr(x, "name")``, whose name is read anyway, or ``setattr(self, name, layer)``."""
    match call:
        case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(), *_]):
            return True
        case ast.Call(func=ast.Name(id="setattr" | "delattr"), args=[ast.Name(id="self"), *_]):
            return True
    return False


def _of_constant(text: str, in_use: bool) -> Iterator[str]:
    """The text, and the names in it.

    Args:
        in_use: whether it is given to something; else it only stands there, and may name what it likes.
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
    """Names that follow a dot, also on a later line, with comments between: in time that grows as the text does."""
    waits = False
    for line in text.split("\n"):
        yield from _AFTER_A_DOT.findall(line)
        begins = _BEGINS.match(line)
        if waits and begins:
            yield begins[1]
        passed_over = line.strip() in ("", "\\") or line.lstrip().startswith("#")
        waits = (waits and passed_over) or bool(_ENDS_WITH_A_DOT.search(line))
