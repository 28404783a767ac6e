"""The visual language of all diagrams: boxes, cells, arrows and words, on one canvas, as SVG.

Readers see a diagram without running anything: in a lesson, on GitHub, on a phone. So it has its own background
and its own dark colours, scales to any width, and includes a description. No size here depends on an installed
font: `width_of` estimates generously, and ``tests/test_diagrams.py`` checks that every text fits its box.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from html import escape
from typing import Literal

#: `plain` exists, `yours` is lit, `later` is not built yet, `point` is the text's topic
Kind = Literal["plain", "yours", "later", "point"]

WIDTH = 600  #: of a canvas, in its own units; a page of 400 pixels shows them at two thirds
TEXT, SMALL = 20.0, 17.0  #: font sizes; at 400 pixels they are 13.3 and 11.3 pixels
_LETTER = 0.56  #: upper bound on a letter's mean width, in units of the size

STYLE = """\
svg { --ink: #1b1f24; --soft: #57606a; --paper: #ffffff; --plain: #f1f4f7; --yours: #cfe5f7; --edge: #0072b2;
  --point: #fbe3d3; --mark: #c04e00; background: var(--paper); }
@media (prefers-color-scheme: dark) { svg { --ink: #eef1f4; --soft: #aab4be; --paper: #16191d; --plain: #262b31;
  --yours: #123f63; --edge: #62b8ee; --point: #57320f; --mark: #f5a34a; } }
.paper { fill: var(--paper); }
text { font-family: system-ui, "Segoe UI", Helvetica, Arial, sans-serif; fill: var(--ink); }
.soft { fill: var(--soft); } .strong { font-weight: 600; } .word { font-style: italic; }
.box { stroke-width: 1.8; }
.plain { fill: var(--plain); stroke: var(--soft); } .yours { fill: var(--yours); stroke: var(--edge); }
.later { fill: none; stroke: var(--soft); stroke-dasharray: 6 5; } .point { fill: var(--point); stroke: var(--mark); }
.flow { stroke: var(--ink); stroke-width: 2; fill: none; } .head { fill: var(--ink); }
.flow.mark { stroke: var(--mark); stroke-width: 3; } .head.mark { fill: var(--mark); }
.flow.faint { stroke: var(--soft); stroke-width: 1.4; } .head.faint { fill: var(--soft); }
.weight { fill: var(--edge); }
"""


def width_of(text: str, size: float = TEXT) -> float:
    """Return an upper bound on the width of a text, on any system."""
    return len(text.replace("*", "")) * size * _LETTER


class Canvas:
    """A diagram that is being drawn; a notebook shows it as an image with its description as ``alt``.

    Coordinates are units from the top left. Text between asterisks is set in italics: ``"query of *its*"``.

    Args:
        height: the height in units; every canvas is `WIDTH` wide.
        title: its title, a few words.
        description: its content, for readers who cannot see it.
    """

    def __init__(self, height: float, title: str, description: str) -> None:
        if not (title.strip() and description.strip()):
            raise ValueError("A diagram needs a title and a description: say in words what it shows.")
        self.height, self.title, self.description = height, title, description
        self._parts: list[str] = []

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float = TEXT,
        anchor: Literal["start", "middle", "end"] = "middle",
        look: str = "",
    ) -> None:
        """Write one line with its middle at height ``y``; ``look`` may contain ``soft`` and ``strong``."""
        pieces = re.split(r"\*([^*]+)\*", text)
        marked = "".join(
            f'<tspan class="word">{escape(piece)}</tspan>' if odd % 2 else escape(piece)
            for odd, piece in enumerate(pieces)
            if piece
        )
        kind = f' class="{look}"' if look else ""
        self._add(
            f'<text{kind} x="{_n(x)}" y="{_n(y + 0.35 * size)}" font-size="{_n(size)}" text-anchor="{anchor}">'
            f"{marked}</text>"
        )

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        *lines: str,
        kind: Kind = "plain",
        size: float = TEXT,
        corner: float = 8,
    ) -> None:
        """Draw a box with its lines in the middle; the first is its name, and further ones give details."""
        self._add(f'<g class="labelled"><rect class="box {kind}"{_place(x, y, width, height)} rx="{_n(corner)}"/>')
        leading = 1.3 * size
        top = y + height / 2 - leading * (len(lines) - 1) / 2
        for number, line in enumerate(lines):
            self.text(x + width / 2, top + number * leading, line, size if not number else min(size, SMALL))
        self._add("</g>")

    def frame(self, x: float, y: float, width: float, height: float, kind: Kind = "plain") -> None:
        """Draw an unfilled box around other boxes."""
        self._add(f'<rect class="box {kind}" style="fill: none"{_place(x, y, width, height)} rx="12"/>')

    def cells(
        self,
        x: float,
        y: float,
        rows: Sequence[Sequence[str]],
        width: float,
        height: float = 38,
        marked: int | None = None,
        kind: Kind = "plain",
        shades: Sequence[float] = (),
    ) -> None:
        """Draw a matrix, one number per cell.

        Args:
            marked: the column that the text is about.
            shades: for each column a number from 0 to 1, shown as the fill height of its cells.
        """
        for i, row in enumerate(rows):
            for j, number in enumerate(row):
                left, top = x + j * width, y + i * height
                self._add(
                    f'<g class="labelled"><rect class="box {"point" if j == marked else kind}"'
                    f"{_place(left, top, width, height)}/>"
                )
                if shades:
                    full = shades[j] * (height - 4)
                    filled = _place(left + 2, top + height - 2 - full, width - 4, full)
                    self._add(f'<rect class="weight" opacity="0.35"{filled}/>')
                self.text(left + width / 2, top + height / 2, number)
                self._add("</g>")

    def arrow(self, *points: tuple[float, float], look: str = "", label: str = "", side: float = 12) -> None:
        """Draw a line through points with a head at the last; its label is next to the middle of the first segment.

        Args:
            look: ``mark`` for the path that the text is about, ``faint`` for one in the background.
            side: how far to the right of the line the label begins.
        """
        (x0, y0), (x1, y1) = points[-2:]
        length = max(((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5, 1e-9)
        dx, dy = (x1 - x0) / length, (y1 - y0) / length
        back, half = (13.0, 6.5) if look == "mark" else (11.0, 5.0)
        bx, by = x1 - back * dx, y1 - back * dy
        line = " L".join(f"{_n(x)},{_n(y)}" for x, y in [*points[:-1], (bx, by)])
        kind = f" {look}" if look else ""
        self._add(f'<path class="flow{kind}" d="M{line}"/>')
        self._head(x1, y1, bx, by, half * -dy, half * dx, kind)
        if label:
            (x0, y0), (x1, y1) = points[:2]
            self.text((x0 + x1) / 2 + side, (y0 + y1) / 2, label, SMALL, "start", "soft")

    def arc(self, x0: float, x1: float, y: float, rise: float, look: str = "") -> None:
        """Draw an arc from one position of a row to another, with a head at the second, which it meets from above."""
        kind = f" {look}" if look else ""
        back, half = (13.0, 6.5) if look == "mark" else (11.0, 5.0)
        self._add(
            f'<path class="flow{kind}" d="M{_n(x0)},{_n(y)} C{_n(x0)},{_n(y - rise)} {_n(x1)},{_n(y - rise)} '
            f'{_n(x1)},{_n(y - back)}"/>'
        )
        self._head(x1, y, x1, y - back, half, 0, kind)

    def _head(self, x: float, y: float, bx: float, by: float, ox: float, oy: float, kind: str) -> None:
        corners = " ".join(f"{_n(a)},{_n(b)}" for a, b in ((x, y), (bx + ox, by + oy), (bx - ox, by - oy)))
        self._add(f'<polygon class="head{kind}" points="{corners}"/>')

    def _add(self, part: str) -> None:
        self._parts.append(part)

    @property
    def svg(self) -> str:
        """Return the diagram as SVG, with the same bytes for the same diagram."""
        size = f'width="{WIDTH}" height="{_n(self.height)}"'
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {_n(self.height)}" {size} '
            'style="max-width: 100%; height: auto" role="img" aria-labelledby="title description">',
            f'<title id="title">{escape(self.title)}</title>',
            f'<desc id="description">{escape(self.description)}</desc>',
            f"<style>\n{STYLE}</style>",
            f'<rect class="paper" {size}/>',
            *self._parts,
            "</svg>",
        ]
        return "\n".join(lines) + "\n"

    @property
    def alt(self) -> str:
        """Return the alt text, for readers who cannot see the image."""
        return f"{self.title}. {self.description}"

    def _repr_html_(self) -> str:
        source = base64.b64encode(self.svg.encode()).decode()
        return (
            f'<img alt="{escape(self.alt, quote=True)}" width="{WIDTH}" style="max-width: 100%; height: auto" '
            f'src="data:image/svg+xml;base64,{source}">'
        )

    def __repr__(self) -> str:
        return f"[diagram: {self.alt}]"


def _place(x: float, y: float, width: float, height: float) -> str:
    return f' x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}"'


def _n(number: float) -> str:
    """Write a coordinate with at most one decimal, so that no processor rounds it differently."""
    return f"{round(number, 1):g}"
