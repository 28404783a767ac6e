"""A figure that answers to mouse and keyboard, and carries its own description."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class View:
    """A piece of HTML that needs no script, what it is titled with, and what it shows in words.

    A notebook shows the HTML; a terminal prints the words.

    Attributes:
        markup: self-contained: it asks for nothing from outside, and everything in it is escaped.
    """

    markup: str = field(repr=False)
    title: str
    alt: str

    def _repr_html_(self) -> str:
        return self.markup

    def __str__(self) -> str:
        return f"[figure: {self.title}. {self.alt}]"
