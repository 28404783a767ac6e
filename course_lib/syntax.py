"""Parse a student's Python without running it, and without warnings on the terminal.

Since version 3.12, Python warns about escape sequences such as ``"\\d"`` while it parses. Those warnings
would appear among the grades, and they don't say whose notebook they are about.
"""

from __future__ import annotations

import ast
import symtable
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

#: the exceptions that parsing raises if a text isn't Python or is nested too deeply
NOT_PYTHON = (SyntaxError, ValueError, RecursionError, MemoryError)

#: the most that is parsed in one notebook. A lesson has about thirty thousand characters of code, and its statements
#: bind and need about sixty names.
MOST_STATEMENTS, MOST_NAMES, LONGEST_CODE = 5_000, 10_000, 300_000

_one_at_a_time = threading.Lock()  # all threads share the list of warning filters


def syntax_tree(source: str) -> ast.Module:
    """Parse a source.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: see `NOT_PYTHON`.
    """
    with _without_warnings():
        return ast.parse(source)


def symbol_table(source: str) -> symtable.SymbolTable:
    """Make the symbol table of a source, as for a cell.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: see `NOT_PYTHON`.
    """
    with _without_warnings():
        return symtable.symtable(source, "cell", "exec")


@contextmanager
def _without_warnings() -> Iterator[None]:
    with _one_at_a_time, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
