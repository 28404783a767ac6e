"""A figure that reacts to mouse and keyboard, and contains its own description."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class View:
    """A piece of HTML without scripts, with its title and a description in words.

    A notebook shows the HTML; a terminal prints the words.

    Attributes:
        markup: self-contained: it loads nothing from outside, and everything in it is escaped.
    """

    markup: str = field(repr=False)
    title: str
    alt: str

    def _repr_html_(self) -> str:
        return self.markup

    def __str__(self) -> str:
        return f"[figure: {self.title}. {self.alt}]"
