"""The kinds of content that an output may contain, and the description of an image."""

from __future__ import annotations

from typing import Any

IMAGES = ("image/png", "image/jpeg")
TEXTS = ("text/plain", "text/html", "text/markdown", "text/latex", "image/svg+xml")
LONGEST_ALT = 4_000  #: the most characters of an image's description


def alt_of(metadata: Any, kind: str) -> str:
    """Return the description of an image from an output's metadata, or an empty string if there is none."""
    about = metadata.get(kind) if isinstance(metadata, dict) else None
    alt = about.get("alt") if isinstance(about, dict) else None
    return alt[:LONGEST_ALT] if isinstance(alt, str) else ""
