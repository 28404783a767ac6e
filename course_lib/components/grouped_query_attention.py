"""Grouped-query attention: several heads of queries share one head of keys and values.

Nothing is copied. The queries of all heads in a group become the rows of one matrix, so the group's keys and values are
read once for all of them.
"""

from torch import Tensor

from course_lib.components.attention import scaled_dot_product_attention


def grouped_query_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    """Scaled dot-product attention in which H heads of queries share G heads of keys and values.

    Neighbours share: the first ``H // G`` heads of queries attend to the first head of keys and values, the next
    ``H // G`` to the second, and so on. With G = H this is multi-head attention, with G = 1 multi-query attention.

    Args:
        query: (..., H, T, Dk).
        key: (..., G, S, Dk), where G divides H.
        value: (..., G, S, Dv).
        mask: boolean, **True = may attend**, broadcastable to (..., H, T, S). A masked key gets weight 0. A query
            whose keys are all masked gets weights and output of zeros.
        dropout: the probability with which each weight is dropped before values are mixed.

    Returns:
        ``(output, weights)`` of shapes (..., H, T, Dv) and (..., H, T, S). The weights are those before dropout.

    Source: Ainslie et al. 2023, section 2.2.
    """
    groups, length = key.size(-3), query.size(-2)

    def together(x: Tensor) -> Tensor:  # (..., H, T, D) to (..., G, H/G · T, D)
        return x.reshape(*x.shape[:-3], groups, -1, x.size(-1))

    def apart(x: Tensor) -> Tensor:  # (..., G, H/G · T, D) to (..., H, T, D)
        return x.reshape(*x.shape[:-3], -1, length, x.size(-1))

    if mask is not None:
        mask = together(mask.broadcast_to(*query.shape[:-1], key.size(-2)))  # (..., G, H/G · T, S)
    output, weights = scaled_dot_product_attention(together(query), key, value, mask, dropout)
    return apart(output), apart(weights)
