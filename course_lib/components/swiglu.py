"""SwiGLU: a feed-forward network in which one matrix decides how much of another matrix's result passes.

SiLU is written out, because its name hides how simple it is. The two matrices that read the token could be one of twice
the width; two names show which is the gate.
"""

import torch
from torch import Tensor, nn


class SwiGLU(nn.Module):
    """The feed-forward network with a gate: ``(silu(x W_gate) ⊙ x W_up) W_down``, where ``silu(z) = z · sigmoid(z)``.

    Args:
        d_model: D, the width of input and output.
        d_ff: F, the width between them.

    Parameters: ``w_gate`` and ``w_up``, each an ``nn.Linear(d_model, d_ff)``, and ``w_down``, an
    ``nn.Linear(d_ff, d_model)``, all without biases.

    Source: Shazeer 2020 (arXiv:2002.05202), eq. 6.
    """

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.w_gate = nn.Linear(d_model, d_ff, bias=False)
        self.w_up = nn.Linear(d_model, d_ff, bias=False)
        self.w_down = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """Apply the same gated network to every token; no token sees another.

        Args:
            x: (..., D).

        Returns:
            (..., D).
        """
        gate, up = self.w_gate(x), self.w_up(x)  # (..., F) each
        hidden = gate * torch.sigmoid(gate) * up  # (..., F)
        output: Tensor = self.w_down(hidden)  # (..., D)
        return output
