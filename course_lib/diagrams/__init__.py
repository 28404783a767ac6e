"""The diagrams of the lessons: what is connected to what, with shapes and numbers. One diagram a file.

A lesson shows ``![alt](diagrams/NAME.svg)``, and ``course build`` writes that file beside the notebook from
``course_lib/diagrams/NAME.py``, whose function ``draw()`` returns a `Canvas`. Nothing has to be registered, so two
people who each add a diagram never meet in one file.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

from course_lib.diagrams.canvas import Canvas as Canvas
from course_lib.diagrams.so_far import so_far as so_far

FOLDER = "diagrams"  #: beside a notebook
_IMAGE = re.compile(rf"!\[([^\]]*)\]\({FOLDER}/([a-z0-9_]+)\.svg\)")


def draw(name: str) -> Canvas:
    """The diagram called ``name``.

    Raises:
        ModuleNotFoundError: there is none.
    """
    diagram = import_module(f"course_lib.diagrams.{name}").draw()
    assert isinstance(diagram, Canvas)
    return diagram


def names() -> list[str]:
    """Every diagram there is: every file of this folder with a function ``draw``."""
    files = (path for path in Path(__file__).parent.glob("[!_]*.py") if path.stem not in ("canvas", "so_far"))
    return sorted(path.stem for path in files if "\ndef draw(" in path.read_text(encoding="utf-8"))


def images(text: str) -> list[tuple[str, str]]:
    """The diagrams that a lesson's text shows, each as alt text and name."""
    return _IMAGE.findall(text)
