"""Finished functions in what a student wrote by hand: a note for the instructor, beside what was seen to run.

What runs decides, see `course_lib.checking.function_watch`. But it runs among the student's own code, which could keep
the watch from seeing; that takes words which stand in the source.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from typing import Any

from autograder.grading.keys import LessonKeys
from course_lib.running.cells import grade_id, kind_of

#: what takes a watch away, or looks behind it
_EVASIVE = frozenset({"_C", "_VF", "DisableTorchFunction", "DisableTorchFunctionSubclass", "overrides"})

LONGEST = 50_000  #: of a cell that is looked through; the tree of a longer one may take a gigabyte, outside the sandbox


def mentioned(notebook: Any, keys: LessonKeys) -> Iterator[str]:
    """A note for each exercise to be written by hand whose cell mentions a finished function, or how to hide one.

    A cell too long to be looked through is noted too: nobody writes so much by hand.
    """
    for cell in notebook.cells:
        exercise = grade_id(cell)
        if exercise not in keys.hidden or kind_of(cell) != "exercise":
            continue
        watched = [question for question in keys.hidden[exercise].questions if question.watched]
        about = f"{exercise} is to be written by hand; its cell"
        if watched and len(cell.source) > LONGEST:
            yield f"{about} is longer than {LONGEST:,} characters: not looked through"
        elif watched:
            finished = {name.rpartition(".")[2] for question in watched for name in question.given["functions"]}
            found = sorted((finished | _EVASIVE) & set(_words(cell.source)))
            if found:
                yield f"{about} mentions {', '.join(found)}"


def _words(source: str) -> Iterator[str]:
    """The names of attributes and of what is imported, and whole texts: `F.name`, `from x import name`, `"name"`."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a student's escape sequences
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from (part for alias in node.names for part in alias.name.split("."))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
