"""The encoder: a stack of layers.

The layers are in an `nn.ModuleList`, because a plain list would hide their parameters from the optimizer. Post-norm
layers already end in a norm, so their last norm is `nn.Identity()`, and `forward` needs no `if`.
"""

from torch import Tensor, nn

from course_lib.components.encoder_layer import EncoderLayer
from course_lib.components.layer_norm import LayerNorm


class Encoder(nn.Module):
    """A stack of encoder layers, each with its own weights.

    Args:
        num_layers: how many layers.
        d_model: D, the width.
        num_heads: H, which must divide D.
        d_ff: F, the width inside the feed-forward networks.
        dropout: the probability of dropping, in training, in each layer.
        norm_first: True for pre-norm, False for post-norm. A pre-norm layer doesn't normalise its sums, so a
            pre-norm stack ends with one more normalisation, ``norm``; a post-norm stack has none.

    Parameters: those of ``layers``, an ``nn.ModuleList`` of `EncoderLayer`, and, pre-norm, of ``norm``, a `LayerNorm`.

    Source: Vaswani et al. 2017, section 3.1; Xiong et al. 2020 (the last normalisation).
    """

    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm_first: bool = True
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            [EncoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)]
        )
        self.norm = LayerNorm(d_model) if norm_first else nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """Pass ``x`` through every layer, the same mask in each.

        Args:
            x: (B, S, D), the embedded source.
            mask: boolean, **True = may attend**, broadcastable to (B, H, S, S).

        Returns:
            (B, S, D), which later lessons call the memory.
        """
        for layer in self.layers:
            x = layer(x, mask)  # (B, S, D)
        memory: Tensor = self.norm(x)  # (B, S, D)
        return memory
