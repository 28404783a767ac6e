"""Cross-attention: the queries of one sequence, the keys and values of another.

Two lines differ from `SelfAttention`: keys and values are made from `memory`. Both come from the same source,
since a key and its value belong together.
"""

from torch import Tensor, nn

from course_lib.components.attention import scaled_dot_product_attention


class CrossAttention(nn.Module):
    """Cross-attention with one head: the words being written look at the words that were read.

    ``softmax(Q Kᵀ / sqrt(D)) V W_o`` with ``Q = x W_q``, ``K = memory W_k``, ``V = memory W_v``. With several heads
    it is `MultiHeadAttention`, called with the memory as key and as value.

    Args:
        d_model: D, the width of both inputs, of the projections and of the output.
        bias: whether the four projections add a bias.

    Parameters: ``w_q``, ``w_k``, ``w_v``, ``w_o``, each an ``nn.Linear(d_model, d_model)``.

    Source: CS224N lecture 8, "Cross-attention (details)", which prints the scores as T × T: they are T × S;
    Vaswani et al. 2017, section 3.2.3.
    """

    def __init__(self, d_model: int, bias: bool = True) -> None:
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        """Let every token of ``x`` attend to every token of ``memory``.

        Args:
            x: (B, T, D), the vectors of the target, in the decoder.
            memory: (B, S, D), the encoder's output.
            mask: boolean, **True = may attend**, broadcastable to (B, T, S): (query, key).
            need_weights: whether to return the weights too.

        Returns:
            The output (B, T, D), or ``(output, weights)`` with weights (B, T, S).
        """
        query = self.w_q(x)  # (B, T, D)
        key = self.w_k(memory)  # (B, S, D)
        value = self.w_v(memory)  # (B, S, D)
        attended, weights = scaled_dot_product_attention(query, key, value, mask)  # (B, T, D), (B, T, S)
        output = self.w_o(attended)  # (B, T, D)
        return (output, weights) if need_weights else output
