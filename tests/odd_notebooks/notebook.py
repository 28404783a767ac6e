"""Edits of a notebook, as plain JSON: find a cell, write into it, move it, add one."""

from __future__ import annotations

import copy
from typing import Any

Notebook = dict[str, Any]
Cell = dict[str, Any]

#: an answer to a written question, which a feedback page must show
ANSWER = "Query and key would be one and the same vector, so the scores would be symmetric."


def solved(released: Notebook, solutions: Notebook) -> Notebook:
    """The released notebook with every code exercise answered; written questions stay unanswered."""
    notebook = plain(released)
    right = {name_of(cell): source_of(cell) for cell in solutions["cells"] if name_of(cell)}
    for cell in notebook["cells"]:
        if is_exercise(cell):
            cell["source"] = _as_a_student_leaves_it(right[name_of(cell)])
    return notebook


def plain(notebook: Notebook) -> Notebook:
    """A copy in which every source is one string."""
    notebook = copy.deepcopy(notebook)
    for cell in notebook["cells"]:
        cell["source"] = source_of(cell)
    return notebook


def _as_a_student_leaves_it(source: str) -> str:
    return "\n".join(
        line for line in source.split("\n") if line.strip() not in ("### BEGIN SOLUTION", "### END SOLUTION")
    )


def source_of(cell: Cell) -> str:
    source = cell["source"]
    return source if isinstance(source, str) else "".join(source)


def name_of(cell: Cell) -> str:
    """The grade id of a cell, if it has one."""
    about = cell.get("metadata", {}).get("nbgrader", {})
    return str(about.get("grade_id", ""))


def is_exercise(cell: Cell) -> bool:
    return cell["cell_type"] == "code" and bool(cell["metadata"].get("nbgrader", {}).get("solution"))


def is_check(cell: Cell) -> bool:
    return name_of(cell).startswith("check-")


def index(notebook: Notebook, name: str) -> int:
    """Where the cell with this grade id, or else with this id, is."""
    for wanted in (name_of, lambda cell: cell.get("id")):
        for i, cell in enumerate(notebook["cells"]):
            if wanted(cell) == name:
                return i
    raise KeyError(name)


def cell(notebook: Notebook, name: str) -> Cell:
    found: Cell = notebook["cells"][index(notebook, name)]
    return found


def containing(notebook: Notebook, text: str) -> int:
    """Where the first cell is whose source contains the text."""
    return next(i for i, cell in enumerate(notebook["cells"]) if text in cell["source"])


def take(notebook: Notebook, name: str) -> Cell:
    """Cut a cell out, as Ctrl-X does."""
    found: Cell = notebook["cells"].pop(index(notebook, name))
    return found


def replace(notebook: Notebook, name: str, old: str, new: str) -> None:
    """Replace text in a cell, in which it must occur."""
    target = cell(notebook, name)
    assert old in target["source"], f"{name} does not contain {old!r}"
    target["source"] = target["source"].replace(old, new)


_added = 0


def code(source: str) -> Cell:
    """A new code cell of the student's own."""
    return {
        "cell_type": "code",
        "id": _new_id(),
        "metadata": {},
        "source": source,
        "outputs": [],
        "execution_count": None,
    }


def text(source: str, cell_type: str = "markdown") -> Cell:
    """A new Markdown or raw cell of the student's own."""
    return {"cell_type": cell_type, "id": _new_id(), "metadata": {}, "source": source}


def _new_id() -> str:
    global _added  # noqa: PLW0603
    _added += 1
    return f"own-cell-{_added}"


def above(notebook: Notebook, name: str, *added: Cell) -> None:
    i = index(notebook, name)
    notebook["cells"][i:i] = added


def below(notebook: Notebook, name: str, *added: Cell) -> None:
    i = index(notebook, name) + 1
    notebook["cells"][i:i] = added


def body(source: str) -> tuple[str, str]:
    """A function's source, cut after its docstring: the head, and the indented statements."""
    head, _, statements = source.rpartition('"""\n')
    return head + '"""\n', statements
