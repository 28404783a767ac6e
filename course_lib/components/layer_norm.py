"""Layer normalisation: each token's features get mean 0 and variance 1, then a learned scale and shift.

`x - mean` is kept, because variance and result both need it. The variance divides by D, not by D - 1, and ε is
*inside* the root, as in the paper and in PyTorch.
"""

import torch
from torch import Tensor, nn


class LayerNorm(nn.Module):
    """Layer normalisation: ``γ (x - μ) / sqrt(σ² + ε) + β``.

    ``μ = 1/D Σ_k x_k`` and ``σ² = 1/D Σ_k (x_k - μ)²`` are taken over the features of *one* token, so that no token's
    output depends on another token.

    Args:
        d_model: D, the number of features.
        eps: ε, which prevents a division by zero if all features of a token are equal.

    Parameters: ``gamma`` (D,), which starts with ones, and ``beta`` (D,), which starts with zeros.

    Source: Ba et al. 2016 (arXiv:1607.06450).
    """

    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))  # (D,)
        self.beta = nn.Parameter(torch.zeros(d_model))  # (D,)
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        """Normalise the last axis of ``x``.

        Args:
            x: (..., D), with any leading dimensions: none, tokens, or a batch of tokens.

        Returns:
            (..., D).
        """
        centred = x - x.mean(dim=-1, keepdim=True)  # (..., D)
        variance = centred.square().mean(dim=-1, keepdim=True)  # (..., 1)
        return self.gamma * centred / torch.sqrt(variance + self.eps) + self.beta  # (..., D)
