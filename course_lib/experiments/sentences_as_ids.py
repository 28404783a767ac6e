"""The corpus's English as ids, for models that read one language."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from course_lib.corpus import english_vocabulary

PAD, BOS, EOS = 0, 1, 2
#: ids below this one are special
SPECIAL = 4
TOKENS = ("<pad>", "<bos>", "<eos>", "<unk>", *english_vocabulary())
IDS = {token: i for i, token in enumerate(TOKENS)}
#: the mask token, and the number of ids with it
MASK = len(TOKENS)
VOCABULARY = MASK + 1
#: the most tokens in a sentence, with its beginning and end
LONGEST = 24


def as_ids(sentences: Sequence[Sequence[str]]) -> Tensor:
    """Return sentences (B, T) as ids with their beginning and end, padded on the right."""
    rows = [torch.tensor([BOS, *(IDS[token] for token in sentence), EOS]) for sentence in sentences]
    return pad_sequence(rows, batch_first=True, padding_value=PAD)


def as_words(ids: Tensor) -> tuple[str, ...]:
    """Return the words of one row of ids, up to its end."""
    words: list[str] = []
    for i in ids.tolist():
        if i == EOS:
            break
        if i >= SPECIAL:
            words.append("<mask>" if i == MASK else TOKENS[i])
    return tuple(words)


class Batches:
    """Endless batches of rows of similar length, in an order that the seed fixes.

    Args:
        rows: (N, T) ids, padded on the right.
        size: B.
        seed: for the order.
    """

    def __init__(self, rows: Tensor, size: int, seed: int) -> None:
        self.rows = rows[(rows != PAD).sum(dim=1).argsort(stable=True)]  # (N, T), the shortest first
        self.size, self.seed = size, seed

    def __iter__(self) -> Iterator[Tensor]:
        """Yield batches (B, T), each only as long as its longest row."""
        generator = torch.Generator().manual_seed(self.seed)
        while True:
            start = int(torch.randint(len(self.rows) - self.size + 1, (), generator=generator))
            batch = self.rows[start : start + self.size]  # (B, T)
            yield batch[:, : int((batch[-1] != PAD).sum())]
