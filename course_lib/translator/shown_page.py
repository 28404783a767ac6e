"""A translator's web page, written and shown inside a notebook."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path
from urllib.parse import quote

from course_lib.replacing import replacing
from course_lib.session import is_graded
from course_lib.translator.saved import (
    SavedTranslator,
    SavedTranslatorError,
    read_saved,
    saved_file,
    shipped_translator,
)

_HEIGHT = 640  #: of the page inside the notebook, in pixels


@dataclass(frozen=True)
class ShownPage:
    """A page next to the notebook. A notebook shows it with a link; a terminal prints a sentence."""

    file: str
    about: str

    def __str__(self) -> str:
        return f"{self.file}: {self.about}" if self.file else self.about

    __repr__ = __str__

    def _repr_html_(self) -> str:
        if not self.file:
            return f"<p>{escape(self.about)}</p>"
        address = escape(quote(self.file))
        return (
            f'<p><a href="{address}" download style="text-decoration:underline">Download {escape(self.file)}</a> '
            f"({escape(self.about)})</p>"
            f'<iframe src="{address}" title="The page of the translator" '
            f'style="width:100%;height:{_HEIGHT}px;border:1px solid #888"></iframe>'
        )


def share_translator(file: str = "translator.html", by: str = "") -> ShownPage:
    """Write your translator of lesson 09 as a web page next to the notebook, and show it.

    It is the page that ``course export`` makes. Without a translator of lesson 09, it contains the course's. Nothing is
    written while a notebook is checked or graded.

    Args:
        file: the page's name. An existing file is overwritten.
        by: your name, for the page's title.

    Raises:
        SavedTranslatorError: the file cannot be written.
    """
    if is_graded():
        return ShownPage("", "While a notebook is checked or graded, no page is written.")
    from course_lib.translator.page import make_page  # builds on jinja2 and the corpus, which most cells don't need

    saved = _saved()
    content = make_page(saved, by.strip()).encode()
    try:
        with replacing(Path(file)) as part:
            part.write_bytes(content)
    except OSError as error:
        raise SavedTranslatorError(
            f"{file} cannot be written: {error.strerror or error}. Name another file, such as "
            'share_translator("../translator.html").'
        ) from None
    whose = "trained by you" if saved.yours else "trained by the course's authors, because lesson 09 saved none"
    return ShownPage(file, f"{len(content) / 1e6:.1f} MB, with {saved.parameters:,} parameters, {whose}")


def _saved() -> SavedTranslator:
    path = saved_file()
    return read_saved(path) if path.is_file() else shipped_translator()
