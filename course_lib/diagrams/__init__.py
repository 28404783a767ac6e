"""The diagrams of the lessons: what is connected to what, with shapes and numbers. One diagram per file.

A lesson shows ``![alt](diagrams/NAME.svg)``, and ``course build`` creates that file next to the notebook from
``lesson_NN/NAME.py`` in this folder, whose function ``draw()`` returns a `Canvas`. Nothing has to be registered, so two
people who each add a diagram never edit the same file. If several diagrams of a lesson show the same example, its
numbers are in ``lesson_NN/numbers.py``. Not sorted by lesson are only modules that several lessons share or that a
notebook's cell imports.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from pathlib import Path

from course_lib.diagrams.canvas import Canvas as Canvas
from course_lib.diagrams.so_far import so_far as so_far

FOLDER = "diagrams"  #: next to a notebook
_IMAGE = re.compile(rf"!\[([^\]]*)\]\({FOLDER}/([a-z0-9_]+)\.svg\)")


def draw(name: str) -> Canvas:
    """Return the diagram called ``name``.

    Raises:
        KeyError: it does not exist.
    """
    diagram = import_module(_modules()[name]).draw()
    assert isinstance(diagram, Canvas)
    return diagram


def names() -> list[str]:
    """Return the names of all diagrams."""
    return sorted(_modules())


@cache
def _modules() -> dict[str, str]:
    """Return the module of each diagram: every file with a function ``draw``, in a lesson's folder or in this one."""
    here = Path(__file__).parent
    return {
        path.stem: ".".join((__name__, *path.relative_to(here).with_suffix("").parts))
        for path in here.rglob("[!_]*.py")
        if "\ndef draw(" in path.read_text(encoding="utf-8")
    }


def images(text: str) -> list[tuple[str, str]]:
    """Return the diagrams that a lesson's text shows, each as alt text and name."""
    return _IMAGE.findall(text)
