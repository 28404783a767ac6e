"""A notebook's cells as plain Python: what IPython makes of them, and never for longer than a person would wait."""

from __future__ import annotations

import copy
import time
from pathlib import Path
from typing import Any

import pytest
from IPython.core.inputtransformer2 import TransformerManager

from autograder.building.notebook import to_text
from course_lib.app.doctor import examine_notebook
from course_lib.own_parts.extract import NotThereError, cut_part
from course_lib.running import plain_python as module
from course_lib.running.cells import grade_id, kind_of
from course_lib.running.plain_python import LONGEST, plain_python
from course_lib.syntax import MOST_STATEMENTS

CELLS = (
    "x = 1",
    "%time y = 2\nz = 3",
    "files = !ls",
    "def f():\n    return 1\n\nf?",
    "text = '''\n%time stays\n'''",
    ">>> old = 1",
    "    indented = 1",
    "def broken(:",
)

#: what keeps IPython busy, or the parser
BOMBS = {
    "magics": "%time x\n" * 5_000,
    "help": "a" * 40_000 + " ?",
    "words": "a" * 49_000 + "?x",
    "brackets": "(" * 49_000,
    "brackets and a magic": "!ls\n" + "(" * 49_000,
    "too long": "x = 1\n" * LONGEST,
    "minus": "x = " + "-" * 49_000 + "1",
}


def test_cells_come_out_as_ipython_makes_them() -> None:
    transformed = [TransformerManager().transform_cell(source) for source in CELLS]
    assert [text.rstrip() for text in plain_python(CELLS) if text is not None] == [
        text.rstrip() for text in transformed
    ]


def test_what_is_python_already_starts_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("course_lib.running.plain_python.subprocess.run", None)
    assert plain_python(["x = 1", "", "# prose"]) == ["x = 1", "", "# prose"]


@pytest.mark.slow
def test_nothing_keeps_it_busy_and_what_stood_before_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SECONDS", 5.0)
    started = time.monotonic()
    first, *rest = plain_python(["%time y = 2", *BOMBS.values()])
    assert time.monotonic() - started < 40
    assert first is not None
    assert "run_line_magic" in first
    assert len(rest) == len(BOMBS)


def with_source(released: Any, source: str) -> Any:
    notebook = copy.deepcopy(released)
    for cell in notebook.cells:
        if kind_of(cell) == "exercise" and grade_id(cell) == "softmax":
            cell.source = source
    return notebook


def test_the_doctor_says_what_cannot_be_read(released: Any, tmp_path: Path) -> None:
    path = tmp_path / "03_self_attention.ipynb"
    path.write_text(to_text(with_source(released, BOMBS["too long"])))
    assert any("the cell of `softmax` is too long" in finding.text for finding in examine_notebook(path))
    path.write_text(to_text(with_source(released, "%time x = 1\ndef softmax(scores, axis=-1):\n    return scores")))
    assert any(finding.text == "softmax is there" for finding in examine_notebook(path))


def test_a_chain_of_names_is_followed_once_and_one_of_too_many_statements_not_at_all(released: Any) -> None:
    def chain(length: int) -> Any:
        names = "\n".join(f"a{n} = a{n + 1}" for n in range(length))
        half = names.splitlines()[: length // 2], names.splitlines()[length // 2 :]
        notebook = with_source(released, "\n".join(half[0]) + "\ndef softmax(scores, axis=-1):\n    return a0\n")
        own = [
            {"cell_type": "code", "metadata": {}, "source": "\n".join(half[1][n : n + 500])}
            for n in range(0, len(half[1]), 500)
        ]
        return {"cells": [*own, *notebook.cells]}

    source = cut_part(chain(1_000), "softmax", "softmax", set())
    assert "a999 = a1000" in source
    with pytest.raises(NotThereError, match="more than"):
        cut_part(chain(MOST_STATEMENTS + 1), "softmax", "softmax", set())


def test_a_part_that_needs_another_exercise_takes_it_from_the_course(released: Any) -> None:
    notebook = with_source(released, "def softmax(scores, axis=-1):\n    return helper(SelfAttention, scores)\n")
    source = cut_part(notebook, "softmax", "softmax", {"SelfAttention"})
    assert source.startswith("from course_lib.components import SelfAttention\n")


@pytest.mark.parametrize("magic", ["%%time\n", "%%capture out\n", "\n%%capture\n%%time\n", "%%prun -q\n"])
def test_a_magic_that_runs_the_cell_as_usual_hides_no_part(released: Any, magic: str) -> None:
    code = "def softmax(scores, axis=-1):\n    return scores\n"
    source = cut_part(with_source(released, magic + code), "softmax", "softmax", set())
    assert source.strip() == code.strip()


@pytest.mark.parametrize("magic", ["%%bash\n", "%%writefile mine.py\n"])
def test_a_magic_that_takes_the_cell_defines_no_part(released: Any, magic: str) -> None:
    notebook = with_source(released, magic + "def softmax(scores, axis=-1):\n    return scores\n")
    with pytest.raises(NotThereError):
        cut_part(notebook, "softmax", "softmax", set())
