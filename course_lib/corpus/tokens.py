"""Text to tokens and back: lower case, separate punctuation, elided words with their apostrophe as own tokens."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

Language = Literal["en", "fr"]

#: a word with apostrophes in it that is one token
_WHOLE = "aujourd'hui"
_ENGLISH = re.compile(r"'s\b|\w+(?:-\w+)*|[^\w\s]")
_FRENCH = re.compile(rf"{_WHOLE}|(?:qu|[cdjlmnst])'|\w+(?:-\w+)*|[^\w\s]")
#: English contractions that the corpus writes out
_CONTRACTED = ((r"\bcan't\b|\bcan not\b", "cannot"), (r"n't\b", " not"))


def tokenize(text: str, language: Language) -> list[str]:
    """Return the tokens of a sentence, as the corpus writes them: *L'ami dort.* becomes ``l' ami dort .``."""
    text = text.lower().replace("’", "'")
    if language == "fr":
        return _FRENCH.findall(text)
    for contracted, whole in _CONTRACTED:
        text = re.sub(contracted, whole, text)
    return _ENGLISH.findall(text)


def detokenize(tokens: Sequence[str], language: Language) -> str:
    """Write the sentence normally. French has a space before ``?`` and ``!``, and none after an apostrophe."""
    text = ""
    for token in tokens:
        closing = token in (".", ",") or (language == "en" and token in ("?", "!", "'s", ";", ":"))
        elided = language == "fr" and text.endswith("'")
        text += token if not text or closing or elided else f" {token}"
    return text
