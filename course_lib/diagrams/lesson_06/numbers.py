"""The sentence of lesson 06, with its numbers: its diagrams show them and its cells compute them."""

from __future__ import annotations

import numpy as np

WORDS = ("the", "red", "book", "is", "old")
OTHER = ("the", "old", "book", "is", "red")
BOOK = WORDS.index("book")

#: two features of each word after an attention: noun, colour
FEATURES = np.array([[0, 0], [0, 1], [1, 1], [0, 0], [0, 0]], dtype=float)  # (T, D)
W_1 = np.array([[1, 1, -1], [1, -1, 1]], dtype=float)  # (D, F)
B_1 = np.array([-1, 0, 0], dtype=float)  # (F,)
W_2 = np.array([[1, 0], [0, 1], [0, 1]], dtype=float)  # (F, D)
BEFORE = FEATURES @ W_1 + B_1  # (T, F)
HIDDEN = np.maximum(BEFORE, 0)  # (T, F)
OUTPUT = HIDDEN @ W_2  # (T, D)

#: *book*, as it comes in, and what attention adds
COMES_IN = np.array([2, 1, 4, 5], dtype=float)  # (D,)
ADDED = np.array([-1, 2, 1, 2], dtype=float)  # (D,)
SUM = COMES_IN + ADDED  # (D,)
