"""Show a lesson's diagrams in a notebook that was opened alone, without the folder that its text shows them from."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from pathlib import Path

from course_lib.diagrams import FOLDER, Canvas, draw, images
from course_lib.kernel.jupyter_shell import jupyter_shell

_SECTION = re.compile(r"^## (.+)$", re.MULTILINE)
WHY = f"This notebook was opened without its folder {FOLDER!r}, so its diagrams are here, below their sections' titles."


@dataclass(frozen=True)
class Diagrams:
    """The diagrams of a lesson in the order of its text, each with the title of its section."""

    shown: tuple[tuple[str, Canvas], ...]

    def _repr_html_(self) -> str:
        parts = (f"<p><b>{escape(section)}</b></p>\n<p>{canvas._repr_html_()}</p>" for section, canvas in self.shown)
        return "\n".join([f"<details open><summary>{escape(WHY)}</summary>", *parts, "</details>"])

    def __repr__(self) -> str:
        return "\n".join([WHY, *(f"{section}: {canvas!r}" for section, canvas in self.shown)])


def show_diagrams(lesson: str) -> None:
    """Display the diagrams of a lesson, unless they are next to the notebook or no kernel runs it."""
    if jupyter_shell() is None or Path(FOLDER).is_dir():
        return
    from course_lib.rebuilding.released import released_path  # seldom needed, and loads what reads notebooks

    path = released_path(lesson)
    if path is not None and (found := diagrams_of(path)).shown:
        from IPython.display import display

        display(found)


def diagrams_of(notebook: Path) -> Diagrams:
    """Return the diagrams that a notebook's text shows."""
    from course_lib.running.reading import read_notebook

    section, shown = "", []
    for cell in read_notebook(notebook)["cells"]:
        if cell["cell_type"] == "markdown":
            for part in re.split(r"^(?=## )", cell["source"], flags=re.MULTILINE):
                title = _SECTION.search(part)
                section = title[1] if title else section
                shown += [(section, draw(name)) for _, name in images(part)]
    return Diagrams(tuple(shown))
