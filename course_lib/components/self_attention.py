"""Self-attention: queries, keys and values from one sequence.

The formula is not written again: `scaled_dot_product_attention` already is right. What this class adds is where
query, key and value come from, and nothing else.
"""

from torch import Tensor, nn

from course_lib.components.attention import scaled_dot_product_attention


class SelfAttention(nn.Module):
    """Self-attention with one head: a sequence attends to itself, and the result is projected once more.

    Args:
        d_model: D, the width of the input, of the projections and of the output.
        bias: whether the four projections add a bias.

    Parameters: ``w_q``, ``w_k``, ``w_v``, ``w_o``, each an ``nn.Linear(d_model, d_model)``.

    Source: COS 484 lecture 8, "Self-attention"; Vaswani et al. 2017, section 3.2.
    """

    def __init__(self, d_model: int, bias: bool = True) -> None:
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)

    def forward(
        self, x: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        """Let every token of ``x`` attend to every token of ``x``.

        Args:
            x: (B, T, D).
            mask: boolean, **True = may attend**, broadcastable to (B, T, T): (query, key).
            need_weights: whether to return the weights too.

        Returns:
            The output (B, T, D), or ``(output, weights)`` with weights (B, T, T).
        """
        query = self.w_q(x)  # (B, T, D)
        key = self.w_k(x)  # (B, T, D)
        value = self.w_v(x)  # (B, T, D)
        attended, weights = scaled_dot_product_attention(query, key, value, mask)  # (B, T, D), (B, T, T)
        output = self.w_o(attended)  # (B, T, D)
        return (output, weights) if need_weights else output
