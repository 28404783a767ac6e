"""Additive scores: a small network looks at query and key together.

Two matrices instead of one on a concatenation: the sum is the same, and the keys' half is computed once instead of
for each query. `unsqueeze(1)` lets broadcasting add the query to every key.
"""

import torch
from torch import Tensor, nn


class AdditiveScores(nn.Module):
    """One score for each key: ``e_i = vᵀ tanh(W_1 h_i + W_2 s)``.

    Args:
        d_query: Dq, the width of the query s.
        d_key: Dk, the width of the keys h_i.
        d_hidden: Da, the width of the hidden layer in which they are compared.

    Parameters, each an ``nn.Linear`` without bias: ``w_1`` from Dk to Da for the keys,
    ``w_2`` from Dq to Da for the query, ``v`` from Da to 1.

    Source: Bahdanau et al. 2015, appendix A.1.2; CSCE 638 lecture 7, "Different Types of Attention".
    """

    def __init__(self, d_query: int, d_key: int, d_hidden: int) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_key, d_hidden, bias=False)
        self.w_2 = nn.Linear(d_query, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        """Score every key of ``keys`` for its sentence's query.

        Args:
            query: (B, Dq).
            keys: (B, S, Dk).

        Returns:
            The scores (B, S), neither scaled nor normalised.
        """
        of_keys = self.w_1(keys)  # (B, S, Da)
        of_query = self.w_2(query).unsqueeze(1)  # (B, 1, Da)
        hidden = torch.tanh(of_keys + of_query)  # (B, S, Da)
        scores: Tensor = self.v(hidden)  # (B, S, 1)
        return scores.squeeze(-1)  # (B, S)
