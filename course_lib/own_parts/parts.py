"""The table that says which parts are yours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from course_lib.checking.html import render

MARK = {True: "✓", False: "○"}
WHOSE = {True: "yours", False: "reference"}


@dataclass(frozen=True)
class Part:
    """One component, and whose it is.

    Attributes:
        symbol: as ``"MultiHeadAttention"``.
        lesson: where it is written.
        why: what the verdict rests on, in a few words.
        source: what was cut out of the notebook; nothing where the part is the reference.
    """

    symbol: str
    lesson: str
    why: str
    source: str = ""

    @property
    def yours(self) -> bool:
        """Whether it is the student's own."""
        return bool(self.source)


@dataclass(frozen=True)
class Parts:
    """All components that were looked at, in the order of lessons; as text, a table for a terminal."""

    parts: tuple[Part, ...]
    note: str = ""

    @property
    def complete(self) -> bool:
        """Whether every part is the student's own."""
        return bool(self.parts) and all(part.yours for part in self.parts)

    @property
    def summary(self) -> str:
        """The table in a sentence."""
        if not self.parts:
            return self.note or "Every part is the reference."
        yours = sum(part.yours for part in self.parts)
        if self.complete:
            return f"All {yours} parts are yours."
        return f"{yours} of {len(self.parts)} parts {'is' if yours == 1 else 'are'} yours, the others the reference."

    def __repr__(self) -> str:
        widths = [max((len(text) for text in column), default=0) for column in zip(*self._rows(), strict=True)]
        lines = ("  ".join(text.ljust(w) for text, w in zip(row, widths, strict=True)).rstrip() for row in self._rows())
        return "\n".join([self.summary, *lines])

    def _repr_html_(self) -> str:
        rows = [tuple(text.strip() for text in row) for row in self._rows()]
        return render(Path(__file__).with_name("parts.html"), summary=self.summary, rows=rows)

    def _rows(self) -> Iterator[tuple[str, str, str, str]]:
        for part in self.parts:
            yield f"  {part.symbol}", self._whose(part), part.lesson, part.why

    @staticmethod
    def _whose(part: Part) -> str:
        return f"{MARK[part.yours]} {WHOSE[part.yours]}"
