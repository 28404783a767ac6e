"""RMS normalisation: each token is divided by the size of its features, and nothing is subtracted.

It is `LayerNorm` without the mean and without the shift. ε is *inside* the root, as in PyTorch.
"""

import torch
from torch import Tensor, nn


class RMSNorm(nn.Module):
    """RMS normalisation: ``γ x / sqrt(1/D Σ_k x_k² + ε)``.

    The mean of the squares is taken over the features of *one* token, so that no token's output depends on another
    token.

    Args:
        d_model: D, the number of features.
        eps: ε, which prevents a division by zero if all features of a token are 0.

    Parameters: ``gamma`` (D,), which starts with ones.

    Source: Zhang and Sennrich 2019 (arXiv:1910.07467).
    """

    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))  # (D,)
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        """Normalise the last axis of ``x``.

        Args:
            x: (..., D), with any leading dimensions: none, tokens, or a batch of tokens.

        Returns:
            (..., D).
        """
        mean_square = x.square().mean(dim=-1, keepdim=True)  # (..., 1)
        return self.gamma * x / torch.sqrt(mean_square + self.eps)  # (..., D)
