"""How points and sentences are formatted, wherever a person reads them."""

from __future__ import annotations

import re
from html import escape

#: control characters other than tabs and line ends, and those that change the direction of writing
_UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_EMPHASIS = re.compile(r"\*([\w(][^*]*)\*")


def many(count: int, what: str) -> str:
    """Format a count with its noun, as ``"1 notebook"`` or ``"2 notebooks"``."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def number(points: float) -> str:
    """Format a number of points without needless digits: 4, 2.5."""
    return f"{points:.4f}".rstrip("0").rstrip(".") or "0"


def inline(text: str) -> str:
    """Escape text, and format `code` between backticks and *emphasis* between asterisks."""
    parts = escape(text).split("`")
    if len(parts) % 2 == 0:
        return escape(text)
    parts[1::2] = [f"<code>{part}</code>" for part in parts[1::2]]
    parts[0::2] = [_EMPHASIS.sub(r"<em>\1</em>", part) for part in parts[0::2]]
    return "".join(parts)


def printable(text: str) -> str:
    """Replace every character that a terminal might obey: a student may give an error any name."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def visible(text: str) -> str:
    """Write escapes such as ``\\u202e`` for characters that are invisible or that reverse the text."""
    return _UNSEEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)
