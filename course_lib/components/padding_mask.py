"""The mask that hides padding: sentences of one batch are rarely of one length.

The comparison is the whole mask: True is a real token. The extra axis stands for the queries, since every query sees
the same keys.
"""

from torch import Tensor


def padding_mask(ids: Tensor, pad_id: int) -> Tensor:
    """Which tokens are real, as a mask over keys: ``ids ≠ pad_id``.

    Args:
        ids: (B, S), token ids; ``pad_id`` can be anywhere in a sentence.
        pad_id: the id of the padding token; it need not be 0.

    Returns:
        Boolean, **True = may attend**, of shape (B, 1, S). The axis of length 1 is the queries': the
        mask broadcasts to (B, T, S), because all T queries may see the same keys. A single query
        takes ``mask[:, 0]``, (B, S); several heads (lesson 04) take ``mask.unsqueeze(1)``, (B, 1, 1, S).

    Source: CSC401, "Transformers", assignment 2, row 11 of its marking table.
    """
    real = ids != pad_id  # (B, S)
    return real.unsqueeze(1)  # (B, 1, S)
