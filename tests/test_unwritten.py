"""A cell that needs an unwritten part says so in a sentence; every other error is as loud as ever."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from IPython.core.interactiveshell import InteractiveShell

from course_lib.kernel.definitions import Definitions
from course_lib.kernel.unwritten import Unwritten
from course_lib.session import CURRENT

STUB = "def softmax(scores):\n    raise NotImplementedError()"
CLASS = "class Layer:\n    def __init__(self):\n        raise NotImplementedError()"
NEEDS = "This cell needs {}, which you haven't written yet."

Run = Callable[[str], str]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Iterator[Run]:
    shell = InteractiveShell()
    shell.user_ns["In"] = []
    Unwritten(shell).install()

    def run_and_read(source: str) -> str:
        shell.user_ns["In"].append(source)
        shell.run_cell(source)
        return "".join(capsys.readouterr())

    yield run_and_read
    shell.restore_sys_module_state()


def test_an_unwritten_function_is_named_without_a_traceback(run: Run) -> None:
    run(STUB)
    said = run("weights = softmax([1, 2])")
    assert NEEDS.format("softmax") in said
    assert "Traceback" not in said


def test_an_unwritten_class_is_named_by_its_own_name(run: Run) -> None:
    run(CLASS)
    assert NEEDS.format("Layer") in run("Layer()")


def test_a_part_that_a_library_calls_is_named_all_the_same(run: Run) -> None:
    run(STUB)
    assert NEEDS.format("softmax") in run("sorted([1, 2], key=softmax)")


def test_what_follows_from_it_waits_for_the_same_part(run: Run) -> None:
    run(STUB)
    run("weights = softmax([1, 2])")
    assert "once softmax is written" in run("total = sum(weights)")
    assert "once softmax is written" in run("print(total)")


def test_a_misspelt_name_is_an_error_like_any_other(run: Run) -> None:
    run(STUB)
    run("weights = softmax([1, 2])")
    assert "NameError" in run("print(weihgts)")


def test_what_says_more_than_a_stub_is_shown(run: Run) -> None:
    run("def softmax(scores):\n    raise NotImplementedError('only two dimensions')")
    assert "only two dimensions" in run("softmax(1)")


def test_a_librarys_own_is_shown(run: Run) -> None:
    run("import numbers\nclass Odd:\n    def __init__(self): import torch; torch.nn.Module()(1)")
    assert "NotImplementedError" in run("Odd()")


def test_once_it_is_written_nothing_is_remembered(run: Run) -> None:
    run(STUB)
    run("weights = softmax([1, 2])")
    run("def softmax(scores):\n    return scores")
    run("weights = softmax([1, 2])")
    assert run("print(sum(weights))").strip() == "3"


@pytest.fixture
def notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a notebook's file with two cells, as Jupyter's server names it to the kernel."""
    sources = [STUB, "weights = softmax([1, 2])\nprint(later)", "later = 3"]
    cells = [{"cell_type": "code", "id": str(number), "source": [source]} for number, source in enumerate(sources)]
    path = tmp_path / "lesson.ipynb"
    path.write_text(json.dumps({"cells": [{"cell_type": "markdown", "source": "softmax = 1"}, *cells]}))
    monkeypatch.setenv("JPY_SESSION_NAME", str(path))
    return path


def test_a_cell_above_that_was_skipped_is_asked_for(run: Run, notebook: Path) -> None:
    said = run("weights = softmax([1, 2])\nprint(later)\n")
    assert "This cell needs softmax, and the cell above that defines it hasn't run yet." in said
    assert "Traceback" not in said
    run("def softmax(scores):\n    return scores")
    assert "NameError" in run("weights = softmax([1, 2])\nprint(later)")  # only a cell below defines it


def test_a_cell_above_that_stopped_is_named_with_its_error(
    run: Run, notebook: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched = Definitions({})
    monkeypatch.setattr(CURRENT, "definitions", watched)
    info = SimpleNamespace(raw_cell="def softmax(scores):\nreturn 1", cell_id="0")
    watched.begins(info)
    watched.ended(SimpleNamespace(error_before_exec=IndentationError(), error_in_exec=None, info=info))
    said = run("weights = softmax([1, 2])\nprint(later)")
    assert "the cell above that defines it stopped with IndentationError. Correct that cell" in said


@pytest.mark.parametrize("content", ["", "{", '{"cells": 1}', '{"cells": [1]}', '{"cells": [{"cell_type": "code"}]}'])
def test_without_a_readable_file_it_is_an_error_like_any_other(run: Run, notebook: Path, content: str) -> None:
    notebook.write_text(content)
    assert "NameError" in run("weights = softmax([1, 2])")
