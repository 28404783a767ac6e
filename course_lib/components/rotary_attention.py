"""Multi-head attention that knows distances, because queries and keys are turned.

It inherits everything and changes two lines. Values aren't turned: where a word stands should decide who looks at it,
not what it says.
"""

import torch
from torch import Tensor

from course_lib.components.attention import scaled_dot_product_attention
from course_lib.components.merge_heads import merge_heads
from course_lib.components.multi_head_attention import MultiHeadAttention
from course_lib.components.rotary_embedding import rotary_embedding
from course_lib.components.split_heads import split_heads


class RotaryAttention(MultiHeadAttention):
    """Multi-head attention whose heads turn their queries and keys by the angles of their positions.

    Values are mixed as they are. Nothing is added to the words, and there is nothing to learn but the four projections.

    Args:
        d_model: D, the width of the inputs, of the projections and of the output.
        num_heads: H, which must divide D; ``D // H`` must be even.
        dropout: the probability with which each weight is dropped in training.
        bias: whether the four projections add a bias.

    Parameters: those of `MultiHeadAttention`.

    Source: Su et al. 2021, section 3.2.2; CSC401, "Rotary Position Embeddings".
    """

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        """Let every token of ``query`` attend to every token of ``key``; both start at position 0.

        In training, dropout is applied to the weights, after the softmax.

        Args:
            query: (B, T, D).
            key: (B, S, D).
            value: (B, S, D).
            mask: boolean, **True = may attend**, broadcastable to (B, H, T, S).
            need_weights: whether to return the weights too.

        Returns:
            The output (B, T, D), or ``(output, weights)`` with the weights of each head (B, H, T, S),
            as they are before dropout.
        """
        query = split_heads(self.w_q(query), self.num_heads)  # (B, H, T, Dh)
        key = split_heads(self.w_k(key), self.num_heads)  # (B, H, S, Dh)
        value = split_heads(self.w_v(value), self.num_heads)  # (B, H, S, Dh)
        query = rotary_embedding(query, torch.arange(query.size(-2)))  # (B, H, T, Dh)
        key = rotary_embedding(key, torch.arange(key.size(-2)))  # (B, H, S, Dh)
        dropout = self.dropout.p if self.training else 0.0
        # attended (B, H, T, Dh), weights (B, H, T, S)
        attended, weights = scaled_dot_product_attention(query, key, value, mask, dropout)
        output = self.w_o(merge_heads(attended))  # (B, T, D)
        return (output, weights) if need_weights else output
