"""The last line of a card and of a lesson: the student's progress in the lesson, and what comes next."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from course_lib.checking.html import render


@dataclass(frozen=True, repr=False)
class Footer:
    """The content of the last line, shown as text in a terminal and with a link in a notebook.

    Attributes:
        says: such as ``"7 of 13 points in this lesson"``.
        next: what comes next, such as ``"attention_loops"`` in backticks; or empty.
        link: its address, relative to the notebook; empty if unknown.
    """

    says: str
    next: str = ""
    link: str = ""

    @property
    def text(self) -> str:
        """The footer for a terminal."""
        return f"{self.says} · next: {self.next}" if self.next else f"{self.says}."

    @property
    def html(self) -> Markup:
        """The footer for a notebook; everything in it is escaped."""
        return Markup(render(Path(__file__).with_suffix(".html"), footer=self))

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return str(self.html)
