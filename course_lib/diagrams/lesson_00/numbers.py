"""The sentences of lesson 00, as its cells print them, in one file for every diagram that shows them."""

from __future__ import annotations

from collections import Counter

SENTENCES = ("the red book is old .", "she falls .", "the old man sleeps .")
#: their ids in the lesson's vocabulary: 5,000 training pairs of seed 0, words that occur at least twice
IDS = ((5, 376, 177, 6, 29, 4), (15, 251, 4), (5, 29, 66, 274, 4))
BOOK = "le livre rouge est vieux ."
SHORT_BOOK = "le livre rouge ."
FARMER = "le vieux fermier ne voit pas la vache noire ."
WRONG_ARTICLE = "le vieux fermier ne voit pas le vache noire ."


def matched(translation: str, reference: str, n: int) -> list[tuple[str, bool]]:
    """Return each n-gram of a translation, from left to right, and whether the reference has one left for it."""
    free = Counter(_ngrams(reference, n))
    found = []
    for ngram in _ngrams(translation, n):
        found.append((ngram, free[ngram] > 0))
        free[ngram] -= 1
    return found


def _ngrams(text: str, n: int) -> list[str]:
    tokens = text.split()
    return [" ".join(tokens[i : i + n]) for i in range(len(tokens) - n + 1)]
