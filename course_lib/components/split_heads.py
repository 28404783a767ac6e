"""Splitting heads: the wide vector of each token becomes several narrow ones.

`view` cuts the features, `transpose` moves the heads to the front. A `view` straight to (B, H, T, Dh) would have the
right shape and mix the tokens up.
"""

from torch import Tensor


def split_heads(x: Tensor, num_heads: int) -> Tensor:
    """Split the last axis into heads, and move the heads in front of the tokens.

    Head ``h`` takes the features ``h * Dh`` to ``(h + 1) * Dh - 1`` of every token, with ``Dh = D // H``.

    Args:
        x: (B, T, D).
        num_heads: H, which must divide D.

    Returns:
        (B, H, T, Dh): a head is now like one more sentence of the batch.

    Raises:
        ValueError: where ``num_heads`` does not divide D.

    Source: CS224N lecture 8, "Multi-head self-attention is computationally efficient".
    """
    batch, length, d_model = x.shape
    if d_model % num_heads != 0:
        raise ValueError(f"{d_model} features cannot be split into {num_heads} heads of equal width")
    heads = x.view(batch, length, num_heads, d_model // num_heads)  # (B, T, H, Dh)
    return heads.transpose(1, 2)  # (B, H, T, Dh)
