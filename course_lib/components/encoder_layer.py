"""One layer of the encoder: tokens look at each other, then each goes through a network alone.

Two residual sub-layers, in the order of the paper's figure. The `lambda` gives attention its three equal inputs and
the mask, which the residual wrapper needn't know about.
"""

from torch import Tensor, nn

from course_lib.components.feed_forward import FeedForward
from course_lib.components.multi_head_attention import MultiHeadAttention
from course_lib.components.residual import ResidualSublayer


class EncoderLayer(nn.Module):
    """Self-attention and a feed-forward network, each with its own residual connection and normalisation.

    Args:
        d_model: D, the width.
        num_heads: H, which must divide D.
        d_ff: F, the width inside the feed-forward network.
        dropout: the probability of dropping, in training: attention weights, the feed-forward network's
            hidden activations, and what each sub-layer adds.
        norm_first: True for pre-norm, False for post-norm.

    Parameters: those of ``self_attention``, a `MultiHeadAttention`; of ``feed_forward``, a `FeedForward`; and of
    ``self_attention_residual`` and ``feed_forward_residual``, two `ResidualSublayer`.

    Source: Vaswani et al. 2017 (arXiv:1706.03762), section 3.1.
    """

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.self_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.feed_forward_residual = ResidualSublayer(d_model, dropout, norm_first)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """Let every token attend to those it may, then pass each through the feed-forward network.

        Args:
            x: (B, S, D).
            mask: boolean, **True = may attend**, broadcastable to (B, H, S, S).

        Returns:
            (B, S, D).
        """
        x = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask))  # (B, S, D)
        x = self.feed_forward_residual(x, self.feed_forward)  # (B, S, D)
        return x
