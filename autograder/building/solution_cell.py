"""Cut a solution cell from a component's source, with nbgrader's marks around what the student writes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from course_lib.course import CourseError
from course_lib.source_names import free_names

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"


def cut(source: str, write: tuple[str, ...] = ()) -> str:
    """Mark what the student writes in the source of a function or class.

    Args:
        source: the source of a function or a class.
        write: the methods of a class that the student writes. A function is written whole.

    Returns:
        The source, in which nbgrader's solution marks enclose each body that the student writes.
        Signatures and docstrings are outside the marks.

    Raises:
        CourseError: the class lacks a method of ``write``, or a private helper is used.
    """
    node = ast.parse(source).body[0]
    if isinstance(node, ast.FunctionDef):
        functions = [node]
    elif isinstance(node, ast.ClassDef):
        functions = [n for n in node.body if isinstance(n, ast.FunctionDef) and n.name in write]
        missing = set(write) - {f.name for f in functions}
        if missing or not write:
            raise CourseError(f"class {node.name}: name the methods to be written; it has no {sorted(missing)}.")
    else:
        raise CourseError("An exercise is one function or one class.")
    private = [n for n in free_names(source) if n.startswith("_")]
    if private:
        raise CourseError(f"{node.name} uses the private helper {private[0]!r}: a student's notebook does not have it.")
    lines = source.rstrip("\n").split("\n")
    marks: dict[int, str] = {}
    for function in functions:
        first, last, indent = _body(function)
        marks[first - 1] = " " * indent + BEGIN
        marks[last] = " " * indent + END
    return "\n".join(_with_marks(lines, marks))


def cut_on_paper(source: str) -> str:
    """Return a cell that binds a name to None and then, between the solution marks, to what our function returns.

    The docstring becomes the comment above it. It says what is asked for, and in which form.

    Args:
        source: the source of a function without parameters.

    Raises:
        CourseError: the function has no docstring.
    """
    node = ast.parse(source).body[0]
    about = ast.get_docstring(node) if isinstance(node, ast.FunctionDef) else None
    if not isinstance(node, ast.FunctionDef) or not about:
        raise CourseError("An exercise on paper is a function whose docstring says what to type in.")
    lines = source.rstrip("\n").split("\n")
    first, last, _ = _body(node)
    function = "\n".join([*lines[: node.body[0].lineno - 1], *lines[first - 1 : last]])
    asked = "\n".join(f"# {line}".rstrip() for line in about.split("\n"))
    name = node.name
    return f"{asked}\n{name} = None\n{BEGIN}\n{function}\n\n\n{name} = {name}()\n{END}"


def _body(function: ast.FunctionDef) -> tuple[int, int, int]:
    """Return the first and last line (from 1) of the body without its docstring, and its indentation."""
    documented = ast.get_docstring(function) is not None
    statements = function.body[1:] if documented else function.body
    if not statements:
        raise CourseError(f"{function.name} has no body to be written.")
    # comments between the docstring and the first statement belong to the body
    first = (function.body[0].end_lineno or 0) + 1 if documented else statements[0].lineno
    return first, statements[-1].end_lineno or 0, statements[0].col_offset


def _with_marks(lines: list[str], marks: dict[int, str]) -> Iterator[str]:
    for number in range(len(lines) + 1):
        if number in marks:
            yield marks[number]
        if number < len(lines):
            yield lines[number]
