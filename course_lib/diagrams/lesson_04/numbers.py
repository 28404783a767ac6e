"""The sentence of lesson 04, with its numbers: its diagrams show them and its cells compute them."""

from __future__ import annotations

import numpy as np

WORDS = ("the", "red", "book", "is", "old")
BOOK = WORDS.index("book")
EXCHANGED = (0, 4, 2, 3, 1)  #: the old book is red

#: what each word passes on: red, old
PASSES_ON = np.array([[0, 0], [1, 0], [0, 0], [0, 0], [0, 1]], dtype=float)  # (S, Dv)

BOTH = np.array([0.1, 0.35, 0.1, 0.1, 0.35])  #: one softmax for two questions, (S,)
WHICH = np.array([0.1, 0.6, 0.1, 0.1, 0.1])  #: which book? (S,)
WHAT = np.array([0.1, 0.1, 0.1, 0.1, 0.6])  #: what about it? (S,)

HEADS = 2
LABELS = 10 * np.arange(5)[:, None] + np.arange(4)  #: 10 * token + feature, (T, D)
ONLY_VIEWED = LABELS.reshape(HEADS, 5, 2)  #: split at once, which is wrong: (H, T, Dh)
SPLIT = LABELS.reshape(5, HEADS, 2).swapaxes(0, 1)  #: split inside each token, then axes swapped: (H, T, Dh)
