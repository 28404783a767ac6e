"""The decoder: layers on top of each other, each looking at the encoder's last output.

Every layer gets the same `memory`, the encoder's *last* output. As in the encoder, there is a norm at the end only if
layers are pre-norm.
"""

from torch import Tensor, nn

from course_lib.components.decoder_layer import DecoderLayer
from course_lib.components.layer_norm import LayerNorm


class Decoder(nn.Module):
    """A stack of decoder layers, each with its own weights.

    Args:
        num_layers: how many layers.
        d_model: D, the width.
        num_heads: H, which must divide D.
        d_ff: F, the width inside the feed-forward networks.
        dropout: the probability of dropping, in training, in each layer.
        norm_first: pre-norm, with one more normalisation ``norm`` at the end; or post-norm, with ``norm`` an
            ``nn.Identity``.

    Parameters: those of ``layers``, an ``nn.ModuleList`` of `DecoderLayer`, and, pre-norm, of ``norm``, a `LayerNorm`.

    Source: Vaswani et al. 2017, section 3.1; CSC401, assignment 2, row 10 of its marking table.
    """

    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            [DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)]
        )
        self.norm = LayerNorm(d_model) if norm_first else nn.Identity()

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:
        """Pass ``x`` through every layer; all of them attend to the same memory.

        Args:
            x: (B, T, D), the embedded target.
            memory: (B, S, D), the encoder's output.
            mask: boolean, **True = may attend**, broadcastable to (B, H, T, T): usually causal.
            memory_mask: boolean, **True = may attend**, broadcastable to (B, H, T, S).

        Returns:
            (B, T, D).
        """
        for layer in self.layers:
            x = layer(x, memory, mask, memory_mask)  # (B, T, D)
        decoded: Tensor = self.norm(x)  # (B, T, D)
        return decoded
