"""Provide words for questions."""

from __future__ import annotations

from autograder.exercises.draw import Draw

WORDS = (
    "apple", "bird", "cat", "door", "egg", "fish", "garden", "house", "ink", "jam", "key", "lamp", "moon",
    "nest", "owl", "pear", "queen", "rain", "ship", "tree", "uncle", "vase", "wolf", "yard", "zebra",
)  # fmt: skip


def words(draw: Draw, count: int) -> list[str]:
    """Return ``count`` different words in random order."""
    return draw.shuffled(WORDS)[:count]
