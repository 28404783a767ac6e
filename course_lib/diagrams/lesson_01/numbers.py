"""The sentence of lesson 01, with its numbers: its diagrams show them and its cells compute them."""

from __future__ import annotations

import numpy as np

WORDS = ("the", "red", "book", "is", "old")
BOOK, IS, OLD = WORDS.index("book"), WORDS.index("is"), WORDS.index("old")
FRENCH = ("le", "livre", "rouge", "est", "vieux", ".")

#: the features of each word: noun, adjective
X = np.array([[0, 0], [0, 1], [1, 0], [0, 0], [0, 1]], dtype=float)  # (T, E)
W_IH = np.array([[1, 0], [0, 1]], dtype=float)  # (D, E)
W_HH = np.array([[0.5, 1], [0, 0]])  # (D, D)


def states() -> np.ndarray:
    """Return the state after each word, (T, D)."""
    h, found = np.zeros(2), []
    for x in X:
        h = np.tanh(x @ W_IH.T + h @ W_HH.T)  # (D,)
        found.append(h)
    return np.array(found)  # (T, D)


STATES = states()

#: one entry of an LSTM: the previous cell state, and the sums that go into i, f, g and o
CELL, SUMS = 2.0, np.array([0, np.log(3), np.log(3) / 2, 0])
