"""A card says when what it judges is not what the student's cell says now."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from course_lib import check
from course_lib.kernel import definitions
from course_lib.kernel.definitions import Definitions
from course_lib.session import CURRENT

RIGHT = """
import numpy as np
def softmax(scores, axis=-1):
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)
"""
WRONG = "def softmax(scores, axis=-1):\n    return scores\n"


class Kernel:
    """A kernel that runs cells as Jupyter does, and a notebook's file beside it."""

    def __init__(self, file: Path) -> None:
        config = Config()
        config.HistoryManager.enabled = False
        self.shell = InteractiveShell(config=config)  # type: ignore[no-untyped-call]
        self.watched = Definitions(self.shell.user_ns)
        self.shell.events.register("pre_run_cell", self.watched.begins)
        self.shell.events.register("post_run_cell", self.watched.ended)
        self.shell.showtraceback = self.shell.showsyntaxerror = self.shell.showindentationerror = lambda *_, **__: None
        self.file = file

    def run(self, source: str, cell_id: str | None = "a") -> None:
        self.shell.run_cell(source, cell_id=cell_id)

    def save(self, **cells: str) -> None:
        made = [{"cell_type": "code", "id": name, "source": source} for name, source in cells.items()]
        self.file.write_text(json.dumps({"cells": made}))
        later = self.file.stat().st_mtime + 5
        os.utime(self.file, (later, later))

    def note(self) -> str:
        return self.watched.note("softmax", self.shell.user_ns.get("softmax"))


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kernel:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("JPY_SESSION_NAME", str(tmp_path / "lesson.ipynb"))
    kernel = Kernel(tmp_path / "lesson.ipynb")
    monkeypatch.setattr(CURRENT, "definitions", kernel.watched)
    monkeypatch.setattr(CURRENT, "checked", {})
    return kernel


def test_the_last_word_of_a_cell_needs_no_note(kernel: Kernel) -> None:
    kernel.run(RIGHT)
    assert kernel.note() == ""
    kernel.run(WRONG)
    assert kernel.note() == ""


@pytest.mark.parametrize(
    ("cell", "error"),
    [
        ("def softmax(scores, axis=-1):\n    return scores +\n", "SyntaxError"),
        ("def softmax(scores, axis=-1):\nreturn scores\n", "IndentationError"),
        ("ef softmax(scores, axis=-1):\n    return scores\n", "SyntaxError"),
        ("import nmpy\n" + WRONG, "ModuleNotFoundError"),
        ("@broken\n" + WRONG, "NameError"),
    ],
)
def test_a_cell_that_ended_in_an_error_left_the_version_before(kernel: Kernel, cell: str, error: str) -> None:
    kernel.run(RIGHT)
    kernel.run(cell)
    kernel.run("1 + 1", "b")
    score = check("softmax", kernel.shell.user_ns["softmax"])
    assert score.verdict.passed
    assert score.card.note == (
        f"The cell that defines `softmax` stopped with {error} when it was last run. "
        "This check used the previous version."
    )
    for shown in (score.text, score._repr_html_().replace("<code>", "`").replace("</code>", "`")):
        assert score.card.note in shown
    assert "#2a9d6f;padding" not in score._repr_html_(), "no green edge"
    kernel.run(RIGHT)
    assert check("softmax", kernel.shell.user_ns["softmax"]).card.note == ""


def test_an_error_after_the_definition_leaves_it_in_force(kernel: Kernel) -> None:
    kernel.run(RIGHT)
    kernel.run(WRONG + "softmax(1, 2, 3)\n")
    assert kernel.note() == ""


def test_an_error_in_a_first_run_over_the_stub_is_told(kernel: Kernel) -> None:
    kernel.run("def softmax(scores, axis=-1):\n    raise NotImplementedError()\n")
    kernel.run("def softmax(scores, axis=-1):\n    return (scores\n")
    assert "stopped with SyntaxError" in kernel.note()


def test_a_cell_that_lost_its_definition_is_told(kernel: Kernel) -> None:
    kernel.run(RIGHT)
    kernel.run(WRONG.replace("softmax", "soft_max"))
    assert "no longer contained this definition" in kernel.note()


def test_another_cells_error_is_none_of_this_cells(kernel: Kernel) -> None:
    kernel.run(RIGHT)
    kernel.run("softmax(1 / 0)", "b")
    assert kernel.note() == ""


def test_a_check_in_the_cell_itself_sees_what_it_has_just_defined(kernel: Kernel) -> None:
    kernel.run(RIGHT)
    kernel.run("def softmax(:")
    kernel.shell.user_ns["seen"] = seen = []
    kernel.shell.user_ns["note"] = kernel.note
    kernel.run(WRONG + "seen.append(note())")
    assert seen == [""]


def test_another_implementation_than_the_cells_has_no_note(kernel: Kernel) -> None:
    kernel.run(RIGHT)
    kernel.run("def softmax(:")
    assert kernel.watched.note("softmax", lambda scores, axis=-1: scores) == ""


@pytest.mark.parametrize("cell_id", ["a", None])
def test_an_edit_that_was_saved_and_not_run_is_told(kernel: Kernel, cell_id: str | None) -> None:
    kernel.run(RIGHT, cell_id)
    kernel.save(a=RIGHT, b="softmax(1)")
    assert kernel.note() == ""
    kernel.save(a=WRONG, b="softmax(1)")
    assert kernel.note() == (
        "The cell that defines `softmax` was edited and not run again. This check used the previous version."
    )
    kernel.run(WRONG, cell_id)
    kernel.save(a=WRONG)
    assert kernel.note() == ""


def test_a_file_older_than_the_run_says_nothing(kernel: Kernel) -> None:
    kernel.save(a=WRONG)
    os.utime(kernel.file, (1, 1))
    kernel.run(RIGHT)
    assert kernel.note() == ""


@pytest.mark.parametrize("text", ["", "{", "[]", '{"cells": [1]}', '{"cells": [{"cell_type": "code"}]}'])
def test_a_file_that_is_no_notebook_says_nothing(kernel: Kernel, text: str) -> None:
    kernel.run(RIGHT)
    kernel.file.write_text(text)
    assert kernel.note() == ""


def test_a_lesson_begins_to_watch_once(monkeypatch: pytest.MonkeyPatch) -> None:
    registered: list[str] = []

    class Events:
        def register(self, event: str, function: Any) -> None:
            registered.append(event)

    shell = type("Shell", (), {"events": Events(), "user_ns": {}})()
    monkeypatch.setattr(CURRENT, "definitions", None)
    monkeypatch.setattr("IPython.get_ipython", lambda: shell)
    definitions.watch_definitions()
    definitions.watch_definitions()
    assert registered == ["pre_run_cell", "post_run_cell"]
