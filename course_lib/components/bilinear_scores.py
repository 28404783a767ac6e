"""Bilinear scores: a matrix between query and key, which may then be of different widths.

The matrix is applied to the single *query* and not to every key. The rest is a plain dot product, which we already
have.
"""

from torch import Tensor, nn

from course_lib.components.dot_scores import dot_scores


class BilinearScores(nn.Module):
    """One score for each key: ``e_i = h_iᵀ W s``, also called multiplicative or "general".

    Args:
        d_query: Dq, the width of the query s.
        d_key: Dk, the width of the keys h_i.

    Parameters: ``w``, an ``nn.Linear(d_query, d_key)`` without bias: its weight is W, (Dk, Dq).

    Source: Luong et al. 2015, eq. 8, "general"; CSCE 638 lecture 7, "Different Types of Attention".
    """

    def __init__(self, d_query: int, d_key: int) -> None:
        super().__init__()
        self.w = nn.Linear(d_query, d_key, bias=False)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        """Score every key of ``keys`` for its sentence's query.

        Args:
            query: (B, Dq).
            keys: (B, S, Dk).

        Returns:
            The scores (B, S), neither scaled nor normalised.
        """
        projected = self.w(query)  # (B, Dk)
        scores = dot_scores(projected, keys)  # (B, S)
        return scores
