"""The residual connection around a sub-layer, with the normalisation before it or after it.

The sub-layer is passed as a function, so one class serves both attention and the feed-forward network. The two orders
are next to each other in the code: they differ only in the position of the norm.
"""

from collections.abc import Callable

from torch import Tensor, nn

from course_lib.components.layer_norm import LayerNorm


class ResidualSublayer(nn.Module):
    """A residual connection around a sub-layer, with a normalisation.

    - pre-norm: the sub-layer's input is normalised, and the sum is not
    - post-norm, as in the paper of 2017: the sum is normalised, and the sub-layer's input is not

    In both, dropout is applied to the sub-layer's output before it is added.

    Args:
        d_model: D, the width.
        dropout: the probability of dropping each number of the sub-layer's output in training.
        norm_first: True for pre-norm, False for post-norm.

    Parameters: those of ``norm``, a `LayerNorm`. The sub-layer is an argument of each call and has its own
    parameters.

    Source: He et al. 2016 (arXiv:1512.03385); Vaswani et al. 2017, section 3.1 (post-norm); Xiong et al. 2020
    (arXiv:2002.04745, pre-norm).
    """

    def __init__(self, d_model: int, dropout: float = 0.1, norm_first: bool = True) -> None:
        super().__init__()
        self.norm = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        """Call the sub-layer, and add what it returns to ``x``.

        Args:
            x: (B, T, D).
            sublayer: a function from (B, T, D) to (B, T, D).

        Returns:
            (B, T, D).
        """
        if self.norm_first:
            output: Tensor = x + self.dropout(sublayer(self.norm(x)))  # (B, T, D)
        else:
            output = self.norm(x + self.dropout(sublayer(x)))  # (B, T, D)
        return output
