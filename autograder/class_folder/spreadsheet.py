"""Keep spreadsheets from running text as a formula."""

from __future__ import annotations

import re

#: the start of a formula, which may use full-width characters. A semicolon or a tab may also start a cell, because a
#: spreadsheet may treat these as delimiters
_FORMULA = re.compile(r"(^|[;\t\r\n])(?=\s*[=+\-@\uff1d\uff0b\uff0d\uff20])")


def harmless(text: str) -> str:
    """Quote text so that no spreadsheet takes it for a formula."""
    return _FORMULA.sub(r"\1'", text)
