"""Look up where a student's function or class was written: its function, its namespace, its cell."""

from __future__ import annotations

import ast
import inspect
import linecache
from types import FunctionType
from typing import Any

from course_lib.syntax import NOT_PYTHON, syntax_tree


def function_of(implementation: Any) -> FunctionType | None:
    """Return an implementation that is a function, or the first method of a class; None if it is neither."""
    functions = vars(implementation).values() if inspect.isclass(implementation) else (implementation,)
    return next((function for function in functions if inspect.isfunction(function)), None)


def namespace_of(implementation: Any) -> dict[str, Any]:
    """Return the namespace in which an implementation was written."""
    function = function_of(implementation)
    return function.__globals__ if function else {}


def tree_of(implementation: Any) -> ast.Module | None:
    """Return the syntax tree of the cell that defined a function or class, if its source is still available."""
    function = function_of(implementation)
    try:
        return syntax_tree("".join(linecache.getlines(function.__code__.co_filename))) if function else None
    except NOT_PYTHON:
        return None
