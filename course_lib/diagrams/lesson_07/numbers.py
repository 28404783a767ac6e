"""The numbers of lesson 07, as its cells print them, in one file for every diagram that shows them."""

from __future__ import annotations

import numpy as np

WORDS = ("le", "livre", "rouge", "est", "vieux")
SHORT = ("il", "est", "vieux", "", "")  #: a shorter sentence, padded on the right
T = len(WORDS)

ASKS = 2  #: "rouge"
SCORES = np.array([0.0, 2.0, 1.0, 3.0, 0.0])  # (S,)
CAUSAL = np.tri(T, dtype=bool)  # (T, T)


def real(words: tuple[str, ...]) -> np.ndarray:
    """Return the padding mask of one sentence, (1, T)."""
    return np.array([[bool(word) for word in words]])


def row(may_see: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return masked scores, their exponentials and the weights, (S,) each."""
    masked = np.where(may_see, SCORES, -np.inf)
    exponentials = np.exp(masked)
    return masked, exponentials, exponentials / exponentials.sum()
