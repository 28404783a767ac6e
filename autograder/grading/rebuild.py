"""Rebuild a submission: put only the student's sources into the released notebook."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import nbformat

from autograder.grading.sanitize import harmless_markdown
from course_lib.rebuilding.rebuild import Rebuilt
from course_lib.rebuilding.rebuild import rebuild as rebuild_cells
from course_lib.rebuilding.theirs import their_cells
from course_lib.running.notebook_file import parse_notebook

Notebook = Any

LONGEST_PROSE = 50_000  #: the most characters of a student's Markdown, because rendering some takes quadratic time
_CUT = f"Prose beyond {LONGEST_PROSE:,} characters is left out of the pages."


def rebuild(released: Notebook, submitted: bytes, symbols: Mapping[str, str]) -> Rebuilt:
    """Rebuild a submission.

    Args:
        released: the built student notebook.
        submitted: the student's file.
        symbols: the name that is asked for, by exercise id.

    Raises:
        UnreadableError: the file is not a notebook.
    """
    sources = {cell["source"] for cell in released["cells"]}
    theirs, prose = their_cells(parse_notebook(submitted).notebook["cells"], sources), _Prose()
    rebuilt = rebuild_cells(released, theirs, symbols, prose.shown)
    notes = (*rebuilt.notes, _CUT) if prose.cut else rebuilt.notes
    return replace(rebuilt, notebook=nbformat.from_dict(rebuilt.notebook), notes=notes)


class _Prose:
    """Makes a student's Markdown harmless, and cuts it at the limit for all of it together."""

    def __init__(self) -> None:
        self._left = LONGEST_PROSE
        self.cut = False

    def shown(self, source: str) -> str:
        """Return the source as it is shown."""
        kept = source[: self._left]
        self._left -= len(kept)
        self.cut |= len(kept) < len(source)
        return harmless_markdown(kept)
