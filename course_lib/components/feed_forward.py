"""The feed-forward network: what an encoder layer computes for each token alone.

Nothing here mentions tokens: a linear layer works on the last axis, so each token goes through it alone. Dropout
comes after the ReLU, as in PyTorch's own layer.
"""

import torch
from torch import Tensor, nn


class FeedForward(nn.Module):
    """The position-wise feed-forward network: ``max(0, x W_1 + b_1) W_2 + b_2``.

    Args:
        d_model: D, the width of input and output.
        d_ff: F, the width between them, usually 4 D.
        dropout: the probability of dropping each of the F hidden activations in training.

    Parameters: ``w_1``, an ``nn.Linear(d_model, d_ff)``, and ``w_2``, an ``nn.Linear(d_ff, d_model)``, with biases.

    Source: Vaswani et al. 2017 (arXiv:1706.03762), eq. 2.
    """

    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        """Apply the same two layers to every token; no token sees another.

        Args:
            x: (..., D).

        Returns:
            (..., D).
        """
        hidden = torch.relu(self.w_1(x))  # (..., F)
        output: Tensor = self.w_2(self.dropout(hidden))  # (..., D)
        return output
