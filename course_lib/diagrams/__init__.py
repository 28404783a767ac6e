"""The diagrams of the lessons: what is connected to what, with shapes and numbers. One diagram per file.

A lesson shows ``![alt](diagrams/NAME.svg)``, and ``course build`` creates that file next to the notebook from
``course_lib/diagrams/NAME.py``, whose function ``draw()`` returns a `Canvas`. Nothing has to be registered, so two
people who each add a diagram never edit the same file.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

from course_lib.diagrams.canvas import Canvas as Canvas
from course_lib.diagrams.so_far import so_far as so_far

FOLDER = "diagrams"  #: next to a notebook
_IMAGE = re.compile(rf"!\[([^\]]*)\]\({FOLDER}/([a-z0-9_]+)\.svg\)")


def draw(name: str) -> Canvas:
    """Return the diagram called ``name``.

    Raises:
        ModuleNotFoundError: it does not exist.
    """
    diagram = import_module(f"course_lib.diagrams.{name}").draw()
    assert isinstance(diagram, Canvas)
    return diagram


def names() -> list[str]:
    """Return the names of all diagrams: of every file in this folder with a function ``draw``."""
    files = (path for path in Path(__file__).parent.glob("[!_]*.py") if path.stem not in ("canvas", "so_far"))
    return sorted(path.stem for path in files if "\ndef draw(" in path.read_text(encoding="utf-8"))


def images(text: str) -> list[tuple[str, str]]:
    """Return the diagrams that a lesson's text shows, each as alt text and name."""
    return _IMAGE.findall(text)
