"""Provide words for questions."""

from __future__ import annotations

from autograder.exercises.sampler import Sampler

WORDS = (
    "apple", "bird", "cat", "door", "egg", "fish", "garden", "house", "ink", "jam", "key", "lamp", "moon",
    "nest", "owl", "pear", "queen", "rain", "ship", "tree", "uncle", "vase", "wolf", "yard", "zebra",
)  # fmt: skip


def words(sampler: Sampler, count: int) -> list[str]:
    """Return ``count`` different words in random order."""
    return sampler.shuffled(WORDS)[:count]
