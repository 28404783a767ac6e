"""The sentence of lesson 03, with its numbers: its diagrams show them and its cells compute them."""

from __future__ import annotations

import numpy as np

WORDS = ("the", "dog", "licked", "its", "bowl")
ITS, DOG = WORDS.index("its"), WORDS.index("dog")

#: the features of each word: noun, animal, verb, pronoun
X = np.array([[0, 0, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 0, 0]], dtype=float)  # (T, D)

W_Q = np.array([[0, 0, 4, 2], [0, 0, 0, 0], [4, 2, 0, 0], [2, 4, 0, 0]], dtype=float)  # (D, Dk)
W_K = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0]], dtype=float)  # (D, Dk)
W_V = np.array([[0, 0], [1, 0], [0, 1], [0, 0]], dtype=float)  # (D, Dv)

QUERIES, KEYS, VALUES = X @ W_Q, X @ W_K, X @ W_V  # (T, Dk), (T, Dk), (T, Dv)
