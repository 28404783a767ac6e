"""A drawing that carries its own description."""

from __future__ import annotations

import base64
import html
import io
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: pixels per inch of the stored image and of the screen: the stored one is finer, so that it stays sharp when enlarged
_STORED, _SHOWN = 160, 96


@dataclass(frozen=True)
class Picture:
    """A figure with the message in its title, and a description in words.

    A notebook shows it as an ``<img>`` with ``alt``, because JupyterLab drops the description of a plain
    matplotlib figure. A terminal prints the words.
    """

    figure: Figure = field(repr=False)
    title: str
    alt: str

    def __post_init__(self) -> None:
        if not self.alt.strip():
            raise ValueError("A picture needs alt text: say in words what it shows.")

    def png(self) -> bytes:
        """Return the drawing as PNG, with the same bytes for the same drawing."""
        buffer = io.BytesIO()
        self.figure.savefig(buffer, format="png", dpi=_STORED, metadata={"Software": None})
        return buffer.getvalue()

    def save(self, path: str | Path) -> None:
        """Write the PNG to ``path``."""
        Path(path).write_bytes(self.png())

    def _repr_html_(self) -> str:
        width = round(self.figure.get_figwidth() * _SHOWN)
        source = base64.b64encode(self.png()).decode()
        words = html.escape(f"{plain(self.title)}. {self.alt}", quote=True)
        return (
            f'<img alt="{words}" width="{width}" style="max-width: 100%; height: auto; background: white" '
            f'src="data:image/png;base64,{source}">'
        )

    def __str__(self) -> str:
        return f"[figure: {plain(self.title)}. {self.alt}]"


def plain(text: str) -> str:
    """Return text without matplotlib's ``$…$`` formulas and without line breaks, for a screen reader."""
    words = re.sub(r"\$([^$]*)\$", r"\1", text).replace("\\sqrt{d_k}", "√d_k").replace("\n", " ")
    return re.sub(r"\^\{([^}]*)\}", r" to the power \1", words)
