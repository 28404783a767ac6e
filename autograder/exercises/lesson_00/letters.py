"""Provide letters for questions about byte-pair merges."""

from __future__ import annotations

from autograder.exercises.sampler import Sampler

LETTERS = "abcdefghijklmnoprstuvwxyz"


def letters(sampler: Sampler, count: int) -> list[str]:
    """Return ``count`` different letters in alphabetical order, so that the order of pairs is always the same."""
    return sorted(sampler.shuffled(LETTERS)[:count])


def spelled(pattern: str, few: list[str]) -> str:
    """Return a word: each digit of the pattern is the number of a letter."""
    return "".join(few[int(digit)] for digit in pattern)
