"""The decoder's mask: neither the future nor padding.

Two masks that exist already, joined with *and*. Broadcasting makes (B, 1, T) and (T, T) into (B, T, T).
"""

from torch import Tensor

from course_lib.components.causal_mask import causal_mask
from course_lib.components.padding_mask import padding_mask


def decoder_mask(ids: Tensor, pad_id: int) -> Tensor:
    """Which keys each query of a padded batch may attend to: those up to its own position that are real tokens.

    Args:
        ids: (B, T), token ids; ``pad_id`` can be anywhere in a sentence.
        pad_id: the id of the padding token.

    Returns:
        Boolean, **True = may attend**, of shape (B, T, T): (sentence, query, key). A query with nothing
        but padding up to its own position sees nothing. For several heads, use ``mask.unsqueeze(1)``, (B, 1, T, T).

    Source: Vaswani et al. 2017, section 3.2.3.
    """
    real = padding_mask(ids, pad_id)  # (B, 1, T)
    earlier = causal_mask(ids.size(1)).to(ids.device)  # (T, T)
    return real & earlier  # (B, T, T)
