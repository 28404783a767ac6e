"""Merging heads: the narrow vectors of a token become one wide one again.

The two steps of `split_heads`, backwards. `contiguous` is there because `transpose` moves no number, and `view` needs
them in order; `reshape` would do both in one.
"""

from torch import Tensor


def merge_heads(x: Tensor) -> Tensor:
    """Put the heads of each token side by side, head 0 first: the reverse of `split_heads`.

    Args:
        x: (B, H, T, Dh).

    Returns:
        (B, T, D) with ``D = H * Dh``.

    Source: Vaswani et al. 2017, section 3.2.2, ``Concat(head_1, ..., head_h)``.
    """
    batch, num_heads, length, d_head = x.shape
    tokens = x.transpose(1, 2)  # (B, T, H, Dh)
    # a transposed tensor keeps its numbers where they were, and only a contiguous one can be viewed
    return tokens.contiguous().view(batch, length, num_heads * d_head)  # (B, T, D)
