"""A drawing that carries its own description."""

from __future__ import annotations

import base64
import html
import io
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: pixels per inch of the stored image and of the screen: the stored one is finer, so that it stays sharp when enlarged
_STORED, _SHOWN = 160, 96
#: colours of the stored image. More make no visible difference, and all of them would take three times the bytes
_COLOURS = 64


#: the metadata of an output, by the type of its data
Metadata = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Picture:
    """A figure with the message in its title, and a description in words.

    A notebook stores it as HTML, as an image and as words, so that every viewer finds a form that it can show.
    A terminal prints the words.
    """

    figure: Figure = field(repr=False)
    title: str
    alt: str

    def __post_init__(self) -> None:
        if not self.alt.strip():
            raise ValueError("A picture needs alt text: say in words what it shows.")

    def png(self) -> bytes:
        """Return the drawing as PNG, with the same bytes for the same drawing."""
        from PIL import Image  # imported only when a figure is shown, like matplotlib

        all_colours, stored = io.BytesIO(), io.BytesIO()
        self.figure.savefig(all_colours, format="png", dpi=_STORED, pil_kwargs={"compress_level": 1})
        with Image.open(all_colours) as image:
            image.convert("RGB").quantize(_COLOURS).save(stored, "PNG", optimize=True)
        return stored.getvalue()

    def save(self, path: str | Path) -> None:
        """Write the PNG to ``path``."""
        Path(path).write_bytes(self.png())

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> tuple[dict[str, str], Metadata]:
        """Return the forms in which a notebook stores the figure, and the metadata of the image.

        JupyterLab shows the HTML, because it drops the description of an image. Code hosts, LaTeX and mail drop the
        HTML and show the image.
        """
        width, source = round(self.figure.get_figwidth() * _SHOWN), base64.b64encode(self.png()).decode()
        markup = (
            f'<img alt="{html.escape(self.words, quote=True)}" width="{width}" '
            f'style="max-width: 100%; height: auto; background: white" src="data:image/png;base64,{source}">'
        )
        forms = {"text/html": markup, "image/png": source, "text/plain": str(self)}
        return forms, {"image/png": {"alt": self.words, "width": width}}

    @property
    def words(self) -> str:
        """Return title and description for a reader who doesn't see the figure."""
        return f"{plain(self.title)}. {self.alt}"

    def __str__(self) -> str:
        return f"[figure: {self.words}]"


def plain(text: str) -> str:
    """Return text without matplotlib's ``$…$`` formulas and without line breaks, for a screen reader."""
    words = re.sub(r"\$([^$]*)\$", r"\1", text).replace("\\sqrt{d_k}", "√d_k").replace("\n", " ")
    return re.sub(r"\^\{([^}]*)\}", r" to the power \1", words)
