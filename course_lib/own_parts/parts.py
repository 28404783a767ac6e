"""The table that says which parts are yours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from course_lib.checking.html import render
from course_lib.stand_ins import STAND_INS


@dataclass(frozen=True)
class Part:
    """One component, and whose version is in use.

    Attributes:
        symbol: such as ``"MultiHeadAttention"``.
        lesson: the lesson in which it is written.
        why: the reason for the verdict, in a few words.
        source: the code cut out of the notebook; empty if the part is the reference.
        asked: whether it could be judged. If not, ``why`` is the reason, which isn't the part's fault.
    """

    symbol: str
    lesson: str
    why: str
    source: str = ""
    asked: bool = True

    @property
    def yours(self) -> bool:
        """Whether it is the student's own."""
        return bool(self.source)

    @property
    def missing(self) -> bool:
        """Whether nobody's version is available: the release withholds ours, and the student's does not pass."""
        return not self.yours and self.symbol in STAND_INS

    @property
    def whose(self) -> str:
        """Whose version it is, with a mark before it."""
        return "✓ yours" if self.yours else "○ missing" if self.missing else "○ reference"


@dataclass(frozen=True)
class Parts:
    """All components that were considered, in the order of lessons; as text, a table for a terminal."""

    parts: tuple[Part, ...]
    note: str = ""

    @property
    def complete(self) -> bool:
        """Whether every part is the student's own."""
        return bool(self.parts) and all(part.yours for part in self.parts)

    @property
    def summary(self) -> str:
        """The table, summarised in a sentence."""
        if not self.parts:
            return self.note or "Every part is the reference."
        yours = sum(part.yours for part in self.parts)
        if self.complete:
            return f"All {yours} parts are yours."
        said = f"{yours} of {len(self.parts)} parts {'is' if yours == 1 else 'are'} yours"
        missing = [part for part in self.parts if part.missing]
        if not missing:
            return f"{said}, the others the reference."
        are = "is" if len(missing) == 1 else "are"
        said = f"{said}; {len(missing)} {are} missing, because this release has none of ours"
        if stuck := next((part.why for part in missing if not part.asked), ""):
            return f"{said}, and yours cannot be tried here. {stuck}"
        return f"{said}: finish {', '.join(dict.fromkeys(part.lesson for part in missing))} first."

    def __repr__(self) -> str:
        widths = [max((len(text) for text in column), default=0) for column in zip(*self._rows(), strict=True)]
        lines = ("  ".join(text.ljust(w) for text, w in zip(row, widths, strict=True)).rstrip() for row in self._rows())
        return "\n".join([self.summary, *lines])

    def _repr_html_(self) -> str:
        rows = [tuple(text.strip() for text in row) for row in self._rows()]
        return render(Path(__file__).with_name("parts.html"), summary=self.summary, rows=rows)

    def _rows(self) -> Iterator[tuple[str, str, str, str]]:
        for part in self.parts:
            yield f"  {part.symbol}", part.whose, part.lesson, part.why
