"""Multi-head attention: several attentions side by side, each on its own share of the features.

All heads come from one product each for query, key and value, and are split after it. `self.dropout` only remembers the
probability: `scaled_dot_product_attention` drops the weights, and evaluation mode passes it 0.0.
"""

from torch import Tensor, nn

from course_lib.components.attention import scaled_dot_product_attention
from course_lib.components.merge_heads import merge_heads
from course_lib.components.split_heads import split_heads


class MultiHeadAttention(nn.Module):
    """Multi-head attention: ``Concat(head_1, ..., head_H) W_o``.

    ``head_h = softmax(Q_h K_hᵀ / sqrt(Dh)) V_h``, where ``Q_h``, ``K_h`` and ``V_h`` are the h-th of
    H equal parts of ``query W_q``, ``key W_k`` and ``value W_v``, each ``Dh = D // H`` wide.

    Args:
        d_model: D, the width of the inputs, of the projections and of the output.
        num_heads: H, which must divide D.
        dropout: the probability with which each weight is dropped in training.
        bias: whether the four projections add a bias.

    Parameters: ``w_q``, ``w_k``, ``w_v``, ``w_o``, each an ``nn.Linear(d_model, d_model)``.

    Source: Vaswani et al. 2017, section 3.2.2; CS224N lecture 8, "Multi-headed attention".
    """

    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        """Let every token of ``query`` attend to every token of ``key``, in each head on its own.

        In training, dropout is applied to the weights, after the softmax.

        Args:
            query: (B, T, D).
            key: (B, S, D).
            value: (B, S, D).
            mask: boolean, **True = may attend**, broadcastable to (B, H, T, S): of shape (T, S),
                (H, T, S), (B, 1, 1, S) or (B, 1, T, S), for instance. A mask (B, T, S) lacks an axis
                for the heads; the caller adds it with ``mask.unsqueeze(1)``.
            need_weights: whether to return the weights too.

        Returns:
            The output (B, T, D), or ``(output, weights)`` with the weights of each head (B, H, T, S),
            as they are before dropout.
        """
        query = split_heads(self.w_q(query), self.num_heads)  # (B, H, T, Dh)
        key = split_heads(self.w_k(key), self.num_heads)  # (B, H, S, Dh)
        value = split_heads(self.w_v(value), self.num_heads)  # (B, H, S, Dh)
        dropout = self.dropout.p if self.training else 0.0
        # attended (B, H, T, Dh), weights (B, H, T, S)
        attended, weights = scaled_dot_product_attention(query, key, value, mask, dropout)
        output = self.w_o(merge_heads(attended))  # (B, T, D)
        return (output, weights) if need_weights else output
