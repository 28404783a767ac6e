"""A notebook that was opened alone shows the diagrams that its text would show from the folder next to it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import IPython
import pytest
from ipykernel.zmqshell import ZMQInteractiveShell

from course_lib.course import Course
from course_lib.diagrams import FOLDER, draw
from course_lib.kernel import alone
from course_lib.kernel.jupyter_shell import jupyter_shell
from course_lib.rebuilding import released

LESSON = "03_self_attention"


class Shell(ZMQInteractiveShell):
    """As a host derives its own, under a name of its own."""


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Any]:
    """What is displayed by a host's kernel that runs in an empty folder."""
    displayed: list[Any] = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(IPython, "get_ipython", lambda: Shell.__new__(Shell))
    monkeypatch.setattr("IPython.display.display", displayed.append)
    return displayed


def test_a_notebook_alone_shows_every_diagram_in_the_order_of_its_text(course: Course, shown: list[Any]) -> None:
    alone.show_diagrams(LESSON)
    (diagrams,) = shown
    text = course.lesson_text(LESSON).read_text(encoding="utf-8")
    names = re.findall(rf"!\[.*\]\({FOLDER}/(\w+)\.svg\)", text)
    assert len(names) > 1
    assert [canvas.svg for _, canvas in diagrams.shown] == [draw(name).svg for name in names]
    page, plain = diagrams._repr_html_(), repr(diagrams)
    assert page.count("data:image/svg+xml;base64,") == len(names)
    for section, canvas in diagrams.shown:
        assert f"\n## {section}\n" in text
        assert canvas.alt in plain


def test_beside_its_diagrams_a_notebook_shows_none(shown: list[Any]) -> None:
    Path(FOLDER).mkdir()
    alone.show_diagrams(LESSON)
    assert not shown


def test_without_a_kernel_nothing_is_shown(shown: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    assert jupyter_shell() is not None
    monkeypatch.setattr(IPython, "get_ipython", lambda: None)
    alone.show_diagrams(LESSON)
    assert not shown


def test_a_library_without_the_lesson_shows_nothing(shown: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(released, "released_path", lambda lesson: None)
    alone.show_diagrams(LESSON)
    assert not shown
