"""One layer of the decoder: look at the target so far, then at the source, then think.

This is the encoder's layer with one more sub-layer between its two. Each has its own residual sub-layer, because each
has its own norm.
"""

from torch import Tensor, nn

from course_lib.components.feed_forward import FeedForward
from course_lib.components.multi_head_attention import MultiHeadAttention
from course_lib.components.residual import ResidualSublayer


class DecoderLayer(nn.Module):
    """Masked self-attention, cross-attention and a feed-forward network, in this order.

    Each has its own residual connection and normalisation. The memory doesn't change: it isn't normalised again, and
    nothing is added to it.

    Args:
        d_model: D, the width.
        num_heads: H, which must divide D.
        d_ff: F, the width inside the feed-forward network.
        dropout: the probability of dropping, in training, of attention weights, of the feed-forward
            network's hidden numbers, and of what each sub-layer adds.
        norm_first: pre-norm, or post-norm.

    Parameters: those of ``self_attention`` and ``cross_attention``, two `MultiHeadAttention`; of ``feed_forward``, a
    `FeedForward`; and of ``self_attention_residual``, ``cross_attention_residual`` and ``feed_forward_residual``,
    three `ResidualSublayer`.

    Source: Vaswani et al. 2017, section 3.1; CSC401, "Encoder-Decoder (Cross) Attention", assignment 2, rows 7 to 9.
    """

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.cross_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.self_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.cross_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.feed_forward_residual = ResidualSublayer(d_model, dropout, norm_first)

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        """Masked self-attention, cross-attention to the memory, feed-forward network.

        Args:
            x: (B, T, D).
            memory: (B, S, D), the encoder's output.
            mask: boolean, **True = may attend**, broadcastable to (B, H, T, T): usually causal.
            memory_mask: boolean, **True = may attend**, broadcastable to (B, H, T, S).

        Returns:
            (B, T, D).
        """
        x = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask))  # (B, T, D)
        x = self.cross_attention_residual(x, lambda y: self.cross_attention(y, memory, memory, memory_mask))
        x = self.feed_forward_residual(x, self.feed_forward)  # (B, T, D)
        return x
