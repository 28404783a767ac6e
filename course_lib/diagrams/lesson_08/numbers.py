"""The sentence of lesson 08, with its numbers: its diagrams show them and its cells compute them."""

from __future__ import annotations

import numpy as np

SOURCE = ("the", "red", "book", "is", "old", "pad", "pad")
TARGET = ("<bos>", "le", "livre")
WRITTEN = ("le", "livre", "rouge")  #: what each position of the target writes
IS_WORD = np.array([word != "pad" for word in SOURCE])  # (S,)

#: what each position asks for: an article, a noun, an adjective, something next to a noun
QUERIES = np.array([[6, 0, 0, 0], [0, 6, 0, 0], [0, 0, 2, 4]], dtype=float)  # (T, Dk)
KEYS = np.array([[1, 0, 0, 0], [0, 0, 1, 1], [0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 1, 0]] + 2 * [4 * [0.5]])  # (S, Dk)
VALUES = np.array([[0, 0], [1, 0], [0, 0], [0, 0], [0, 1], [0, 0], [0, 0]], dtype=float)  # (S, Dv): colour, age

SCORES = np.where(IS_WORD, QUERIES @ KEYS.T, -np.inf)  # (T, S)
_EXPONENTIALS = np.exp(SCORES / np.sqrt(QUERIES.shape[1]))  # (T, S)
WEIGHTS = _EXPONENTIALS / _EXPONENTIALS.sum(axis=1, keepdims=True)  # (T, S)
OUTPUT = WEIGHTS @ VALUES  # (T, Dv)
