"""Parsing a student's source is silent, because Python's warnings about it aren't meant for the instructor."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.grading.words import words
from autograder.integrity.tokens import tokens_of
from course_lib.own_parts.extract import cut_part
from course_lib.running.defined import names_in
from course_lib.running.plain_python import plain_python
from course_lib.source_names import bound_names, free_names
from course_lib.syntax import symbol_table, syntax_tree

#: an invalid escape sequence, a comparison with a literal, a call of a text: Python warns about each
ODD = 'pattern = "\\d"\nif pattern is "x": ("a" "b")("c")\n'

NOTEBOOK = {
    "cells": [
        {"cell_type": "code", "source": ODD, "metadata": {}},
        {"cell_type": "code", "source": "", "metadata": {"nbgrader": {"grade": True, "grade_id": "check-softmax"}}},
    ]
}

READERS: dict[str, Callable[[], object]] = {
    "the tree": lambda: syntax_tree(ODD),
    "the table": lambda: symbol_table(ODD),
    "words": lambda: list(words(ODD, frozenset())),
    "tokens": lambda: tokens_of(ODD),
    "names": lambda: names_in(ODD),
    "bound and free names": lambda: (bound_names(ODD), free_names(ODD)),
    "plain Python": lambda: plain_python([ODD, f"%time\n{ODD}"]),
    "own parts": lambda: cut_part(NOTEBOOK, "softmax", "pattern", set()),
}

#: modules that parse only our own text, or parse in the process that runs the student's code
OUR_OWN = {
    "course_lib/syntax.py",
    "course_lib/own_parts/shadow.py",
    "autograder/exercises/definition.py",
    "autograder/exercises/sources.py",
    "autograder/exercises/variants.py",
    "autograder/book/metadata.py",
    "autograder/building/release.py",
    "autograder/building/solution_cell.py",
    "autograder/building/notebook.py",
}


@pytest.mark.parametrize("reader", READERS)
def test_no_reader_of_a_students_source_warns(reader: str) -> None:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        READERS[reader]()
    assert [str(one.message) for one in said] == []


def test_every_reader_of_sources_goes_through_the_silent_one() -> None:
    root = Path(__file__).parents[1]
    parses = re.compile(r"\b(?:ast\.parse|symtable\.symtable|(?<![.\w])compile)\(")
    found = {
        path.relative_to(root).as_posix()
        for package in ("autograder", "course_lib")
        for path in (root / package).rglob("*.py")
        if parses.search(path.read_text(encoding="utf-8"))
    }
    assert found <= OUR_OWN, "use course_lib.syntax: the terminal is not the place for a student's warnings"
