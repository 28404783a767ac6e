"""Text that a spreadsheet shows and does not run."""

from __future__ import annotations


def harmless(text: str) -> str:
    """A name that no spreadsheet takes for a formula."""
    return f"'{text}" if text[:1] in tuple("=+-@\t\r") else text
