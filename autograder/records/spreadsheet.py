"""Text that a spreadsheet shows and does not run."""

from __future__ import annotations

import re

#: what begins a formula, in wide letters too, at the start of a cell: a spreadsheet may take semicolons and tabs for
#: where one ends
_FORMULA = re.compile(r"(^|[;\t\r\n])(?=\s*[=+\-@\uff1d\uff0b\uff0d\uff20])")


def harmless(text: str) -> str:
    """A name that no spreadsheet takes for a formula."""
    return _FORMULA.sub(r"\1'", text)
