"""Turn a lesson into a page, with stubs for what students write, and folded solutions, hints and answers."""

from __future__ import annotations

from html import escape
from typing import Any

import nbformat
from nbgrader.utils import is_grade, is_solution

from autograder.exercises import DEFINITIONS
from course_lib.checking.answer_key import AnswerKey, public_key
from course_lib.checking.card import make_card
from course_lib.checking.formatting import inline
from course_lib.checking.judge import judge

Notebook = Any  # nbformat has no types
Cell = Any

#: how the note above a lesson's first cell begins
_FIRST = "Run this cell first"

#: the translator's page next to a notebook, and where the book has the course's
_TRANSLATOR = ('="translator.html"', '="../../_static/translator.html"')

#: the titles of folded cells, by their kind
_PROMPTS = {"solution": ("Show our solution", "Hide our solution"), "setup": ("Show the imports", "Hide the imports")}


def lesson_page(solution: Notebook, student: Notebook) -> Notebook:
    """Return the page of a lesson.

    Args:
        solution: the notebook with solutions and outputs.
        student: the student notebook, from which the stubs are taken.
    """
    stubs = {cell.id: cell.source for cell in student.cells}
    page = nbformat.v4.new_notebook(metadata=solution.metadata)
    for cell in solution.cells:
        if cell.source.startswith(_FIRST):
            continue
        name = cell.metadata.get("nbgrader", {}).get("grade_id", "")
        if cell.cell_type == "markdown" and is_solution(cell):
            page.cells.append(_prose(_fold("A model answer", f"\n{cell.source}\n")))
        elif cell.cell_type == "code" and is_solution(cell):
            page.cells += [_code(stubs[cell.id]), _prose(_help(name)), _folded(cell, "solution")]
        elif "setup" in cell.metadata.get("tags", []):
            page.cells.append(_folded(cell, "setup"))
        else:
            page.cells.append(_bare(cell))
    return page


def one_mistake(key: AnswerKey) -> str:
    """Return the card of an exercise's first registered mistake, as HTML."""
    answers = next(key.mistakes[known.name] for known in key.exercise.misconceptions if known.name in key.mistakes)
    return make_card(judge(key, answers), key, answers, hint=0).html


def _help(exercise_id: str) -> str:
    """Return the hints of an exercise, each folded inside the one before, and the card of a mistake."""
    hints, inner = DEFINITIONS[exercise_id].exercise.hints, ""
    for number in range(len(hints), 0, -1):
        inner = _fold(f"Hint {number} of {len(hints)}", f"<p>{inline(hints[number - 1])}</p>{inner}")
    key = public_key(exercise_id)
    card = _fold(f"What the course says to one of {len(key.exercise.misconceptions)} mistakes", one_mistake(key))
    return f"{inner}\n\n{card}"


def _fold(summary: str, content: str) -> str:
    return f'<details class="fold"><summary>{escape(summary)}</summary>\n{content}\n</details>'


def _folded(cell: Cell, kind: str) -> Cell:
    folded = _bare(cell)
    show, hide = _PROMPTS[kind]
    folded.metadata = {"tags": ["hide-input"], "mystnb": {"code_prompt_show": show, "code_prompt_hide": hide}}
    return folded


def _bare(cell: Cell) -> Cell:
    """Return a cell without the metadata that only nbgrader and our own build read."""
    bare = nbformat.from_dict(cell)
    for output in bare.get("outputs", []):
        if "text/html" in output.get("data", {}):
            output.data["text/html"] = output.data["text/html"].replace(*_TRANSLATOR)
    bare.metadata = nbformat.from_dict({})
    if is_grade(cell) and cell.cell_type == "code":
        bare.metadata = nbformat.from_dict({"tags": ["remove-input"]})
    return bare


def _prose(source: str) -> Cell:
    return nbformat.v4.new_markdown_cell(source)


def _code(source: str) -> Cell:
    return nbformat.v4.new_code_cell(source)
