"""Attention whose cost grows with the length, not with its square.

φ is applied once, then the brackets move: keys meet values first, and no (T, S) table appears. The causal form keeps
the sums of all prefixes at once, which is easy to read but large; a loop would keep just one.
"""

from torch import Tensor
from torch.nn import functional as F


def linear_attention(query: Tensor, key: Tensor, value: Tensor, causal: bool = False) -> Tensor:
    """Attention that weighs a key by the product of two positive vectors instead of the exponential of a score.

    With ``phi(x) = elu(x) + 1``, the weight of key s for query t is ``phi(q_t) . phi(k_s)``, divided by the sum of
    these over all keys. So keys and values can be summed up before any query looks at them. Nothing is divided by the
    root of Dk.

    Args:
        query: (..., T, Dk).
        key: (..., S, Dk).
        value: (..., S, Dv).
        causal: whether each query sees only the keys up to its own position; S is T then.

    Returns:
        The output (..., T, Dv).

    Source: Katharopoulos et al. 2020, eq. 4 to 12.
    """
    query, key = F.elu(query) + 1, F.elu(key) + 1  # (..., T, Dk), (..., S, Dk)
    if not causal:
        memory = key.transpose(-2, -1) @ value  # (..., Dk, Dv)
        total = query @ key.sum(dim=-2).unsqueeze(-1)  # (..., T, 1)
        return query @ memory / total
    memories = (key.unsqueeze(-1) * value.unsqueeze(-2)).cumsum(dim=-3)  # (..., T, Dk, Dv)
    totals = (query * key.cumsum(dim=-2)).sum(dim=-1, keepdim=True)  # (..., T, 1)
    return (query.unsqueeze(-2) @ memories).squeeze(-2) / totals
