"""Dot-product scores: how well a decoder's state agrees with each of the encoder's.

A batched product with the query as a column. Multiplying and summing would hold all products (B, S, D) at once to say
the same.
"""

from torch import Tensor


def dot_scores(query: Tensor, keys: Tensor) -> Tensor:
    """One score for each key: its dot product with the query, ``e_i = h_iᵀ s``.

    Args:
        query: s, (B, D), one state of the decoder for each sentence.
        keys: h_1 … h_S, (B, S, D), the states of the encoder.

    Returns:
        The scores (B, S), neither scaled nor normalised.

    Source: Luong et al. 2015, eq. 8, "dot"; CSCE 638 lecture 7, "RNN with Attention".
    """
    scores = keys @ query.unsqueeze(-1)  # (B, S, 1)
    return scores.squeeze(-1)  # (B, S)
