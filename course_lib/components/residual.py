"""The residual connection around a sub-layer, with the normalisation before it or after it."""

from collections.abc import Callable

from torch import Tensor, nn

from course_lib.components.layer_norm import LayerNorm


class ResidualSublayer(nn.Module):
    """A sub-layer F between residual connection and normalisation.

    - pre-norm: ``x + dropout(F(norm(x)))``: the sum itself is never normalised
    - post-norm: ``norm(x + dropout(F(x)))``, as in the paper

    Args:
        d_model: D, the width.
        dropout: the share of what F returns that is dropped in training.
        norm_first: whether it is pre-norm.

    Parameters: those of ``norm``, a `LayerNorm`. F is handed in with each call, and has its own.

    Source: He et al. 2016; Vaswani et al. 2017, section 3.1 (post-norm); Xiong et al. 2020 (pre-norm);
    CSC401, "Residual Connections" and "Layer Normalization Variant: Pre-LN".
    """

    def __init__(self, d_model: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.norm = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        """Add to ``x`` what the sub-layer makes of it.

        Args:
            x: (B, T, D).
            sublayer: F, a function from (B, T, D) to (B, T, D).

        Returns:
            (B, T, D).
        """
        if self.norm_first:
            output: Tensor = x + self.dropout(sublayer(self.norm(x)))  # (B, T, D)
        else:
            output = self.norm(x + self.dropout(sublayer(x)))  # (B, T, D)
        return output
