"""Prepare a cell's code for comparison: remove cell magics, and add the code that it contains as strings."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator

from autograder.grading.words import BY_TEXT, words
from course_lib.rebuilding.code import Code
from course_lib.running.plain_python import without_cell_magic
from course_lib.syntax import NOT_PYTHON, syntax_tree

#: the most characters of code that are parsed, because the tree of more may take a gigabyte
LARGEST = 300_000
#: the length of a notebook, in characters, above which comments and docstrings are removed first
LONG = 50_000
#: the deepest nesting of code in strings that is unpacked
_DEPTH = 3
#: magics that pass the cell's code on: to a file, a timer or another process
_HOLDS_CODE = ("%%writefile", "%%file", "%%timeit", "%%python", "%%python3", "%%script")
_RUNS_TEXT = frozenset({"exec", "eval", "run_cell", "run_cell_magic", "run_code"})
#: what leads to any function by its name, without a word of the function's name in the code
_NAMES_BY_TEXT = frozenset({
    "builtins", "__builtins__", "__self__", "__import__", "import_module", "importlib", "sys.modules", "__globals__",
    "f_builtins", "f_globals", "__subclasses__", "attrgetter", "methodcaller", "__getattribute__", *BY_TEXT,
    "timeit", "cProfile", "profile",
})  # fmt: skip


def unpacked(source: str, long: bool = False) -> str:
    """Return the code of a cell, followed by each string in it that is code.

    Args:
        long: whether to remove comments and docstrings.
    """
    source = _without_magic(source)
    shorter = without_comments(source) if long else source
    tree = _tree(shorter)
    if tree is None:
        return shorter
    texts = list(_texts(tree, _DEPTH))
    code = (long and _without_docstrings(tree)) or shorter
    return "\n\n".join([code, *texts])


def without_comments(source: str) -> str:
    """Remove the lines that contain only a comment."""
    return "\n".join(line for line in source.split("\n") if not line.lstrip().startswith("#"))


def unknown_text(source: str) -> str:
    """Explain why the code may run a string that is not a literal; return an empty string if nothing suggests it."""
    tree = _tree(source)
    if tree is None:
        return ""
    nodes = list(ast.walk(tree))
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    # network.eval() runs no text
    if any(call.args and not isinstance(call.args[-1], ast.Constant) for call in calls if _called(call) in _RUNS_TEXT):
        return "it runs a text as code that is put together while it runs"
    found = {*_NAMES_BY_TEXT.intersection(words(source, _NAMES_BY_TEXT)), *_other_names(nodes, calls)}
    if found:
        named = ", ".join(f"`{name}`" for name in sorted(found))
        return (
            f"it mentions {named}, by which any function can be called under a name that is put together while it runs"
        )
    return ""


def _other_names(nodes: list[ast.AST], calls: list[ast.Call]) -> Iterator[str]:
    """Yield functions that run strings under another name, and functions that are looked up by a computed name."""
    called = {id(call.func) for call in calls}
    variables = {node.arg for node in nodes if isinstance(node, ast.arg)} | {
        node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    for node in nodes:
        match node:
            case ast.Name(id="exec" | "eval" as name, ctx=ast.Load()) if id(node) not in called:
                yield name
            case ast.Call(func=ast.Name(id="getattr" as name), args=[of, ast.expr() as text, *_]):
                # a student's own object, as in getattr(self, f"layer_{n}"), holds no function that runs texts
                if not isinstance(text, ast.Constant) and _root(of) not in variables:
                    yield name
            case ast.Subscript(value=ast.Call(func=ast.Name(id="globals" | "vars" | "locals" as name)), slice=text):
                if not isinstance(text, ast.Constant) and isinstance(node.ctx, ast.Load):
                    yield name


def _root(node: ast.expr) -> str:
    """Return the name with which an expression such as ``module.part`` begins."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _called(call: ast.Call) -> str:
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def _without_magic(source: str) -> str:
    first, _, rest = source.lstrip().partition("\n")
    if first.startswith(_HOLDS_CODE) and _tree(rest):
        return rest
    code = without_cell_magic(source)
    if code and not _tree(code):
        plain = Code(code).plain
        return plain if _tree(plain) else code
    return code or source


def _tree(source: str) -> ast.Module | None:
    if len(source) > LARGEST:
        return None
    try:
        return syntax_tree(source)
    except NOT_PYTHON:
        return None


def _without_docstrings(tree: ast.Module) -> str:
    """Return the code of a tree without its docstrings, or an empty string if it is nested too deeply for that."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            kept = [one for one in body if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))]
            node.body = kept or ([] if node is tree else [ast.Pass()])  # type: ignore[attr-defined]
    try:
        return ast.unparse(tree)
    except NOT_PYTHON:
        return ""


def _texts(tree: ast.AST, depth: int) -> Iterator[str]:
    """Yield the code in strings that define a function or a class, and in strings that are passed to `exec`."""
    nodes = list(ast.walk(tree))
    run = {id(one) for node in nodes if isinstance(node, ast.Call) and _called(node) in _RUNS_TEXT for one in node.args}
    for node in nodes:
        if not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
            continue
        text = textwrap.dedent(node.value).strip("\n")
        inner = _tree(text) if id(node) in run or "\n" in text else None
        if inner and (id(node) in run or any(isinstance(one, ast.FunctionDef | ast.ClassDef) for one in inner.body)):
            yield text
            if depth > 1:
                yield from _texts(inner, depth - 1)
