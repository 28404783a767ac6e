"""Padding: sentences of different lengths as one tensor.

The tensor is filled with padding first, and then each row's tokens are written into it. `dtype=torch.int64` is
explicit, because an embedding accepts no other integers.
"""

from collections.abc import Sequence

import torch
from torch import Tensor


def pad_batch(sentences: Sequence[Sequence[int]], pad_id: int = 0) -> Tensor:
    """Make one tensor of several sentences, a row for each, and pad the shorter ones on the right.

    Args:
        sentences: B lists of token ids, of any length; a list may be empty. They are left as they are.
        pad_id: the id that fills the rows of shorter sentences.

    Returns:
        (B, S), of dtype int64, where S is the length of the longest sentence.

    Raises:
        ValueError: the list is empty, so the longest sentence is undefined.
    """
    if not sentences:
        raise ValueError("a batch needs at least one sentence")
    longest = max(len(sentence) for sentence in sentences)
    batch = torch.full((len(sentences), longest), pad_id, dtype=torch.int64)  # (B, S)
    for row, sentence in zip(batch, sentences, strict=True):
        row[: len(sentence)] = torch.tensor(sentence, dtype=torch.int64)  # (S,)
    return batch
