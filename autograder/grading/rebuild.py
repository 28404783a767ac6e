"""Rebuilding a submission: the released notebook, with the student's sources in it and nothing else of theirs."""

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

LONGEST_PROSE = 50_000  #: of all a student's Markdown together; turning some into HTML takes time by its square
_CUT = f"Prose beyond {LONGEST_PROSE:,} characters is left out of the pages."


def rebuild(released: Notebook, submitted: bytes, symbols: Mapping[str, str]) -> Rebuilt:
    """Rebuild a submission.

    Args:
        released: the student notebook as it was built.
        submitted: the file that came back.
        symbols: the name to be asked for, by exercise id.

    Raises:
        UnreadableError: the file is no notebook.
    """
    theirs, prose = their_cells(parse_notebook(submitted).notebook["cells"]), _Prose()
    rebuilt = rebuild_cells(released, theirs, symbols, prose.shown)
    notes = (*rebuilt.notes, _CUT) if prose.cut else rebuilt.notes
    return replace(rebuilt, notebook=nbformat.from_dict(rebuilt.notebook), notes=notes)


class _Prose:
    """A student's Markdown, made harmless; nothing beyond what all of it may have."""

    def __init__(self) -> None:
        self._left = LONGEST_PROSE
        self.cut = False

    def shown(self, source: str) -> str:
        """The source as it is shown."""
        kept = source[: self._left]
        self._left -= len(kept)
        self.cut |= len(kept) < len(source)
        return harmless_markdown(kept)
