"""Padding: sentences of several lengths as one rectangle of numbers."""

from collections.abc import Sequence

import torch
from torch import Tensor


def pad_batch(sentences: Sequence[Sequence[int]], pad_id: int = 0) -> Tensor:
    """Put sentences below each other and fill the shorter ones up at their right end.

    Args:
        sentences: B lists of token ids, of any lengths; a list may be empty.
        pad_id: what the shorter ones are filled up with.

    Returns:
        (B, S) of int64, where S is the length of the longest sentence.

    Raises:
        ValueError: the batch is empty: there is no longest sentence.
    """
    if not sentences:
        raise ValueError("a batch needs at least one sentence")
    longest = max(len(sentence) for sentence in sentences)
    batch = torch.full((len(sentences), longest), pad_id, dtype=torch.int64)  # (B, S)
    for row, sentence in zip(batch, sentences, strict=True):
        row[: len(sentence)] = torch.tensor(sentence, dtype=torch.int64)  # (S,)
    return batch
