"""The decoder's mask: neither the future nor padding."""

from torch import Tensor

from course_lib.components.causal_mask import causal_mask
from course_lib.components.padding_mask import padding_mask


def decoder_mask(ids: Tensor, pad_id: int) -> Tensor:
    """Which keys each query of a padded batch may see: earlier or its own, **and** real.

    Args:
        ids: (B, T), token ids; ``pad_id`` may stand anywhere in a sentence.
        pad_id: the id of the padding token.

    Returns:
        Boolean, **True = may attend**, of shape (B, T, T): (sentence, query, key). Several heads take
        ``mask.unsqueeze(1)``, (B, 1, T, T). A query with nothing but padding up to its place sees nothing.

    Source: CSC401, assignment 2, rows 11 and 12.
    """
    real = padding_mask(ids, pad_id)  # (B, 1, T)
    earlier = causal_mask(ids.size(1)).to(ids.device)  # (T, T)
    return real & earlier  # (B, T, T)
