"""One step of a recurrent network: what was read so far, and the next vector, become a new state."""

import torch
from torch import Tensor


def rnn_step(x: Tensor, h: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias: Tensor) -> Tensor:
    """The next state of a plain (Elman) recurrent network.

    ``h' = tanh(x W_ihᵀ + h W_hhᵀ + b)``

    Weights lie as in ``nn.RNNCell``: a row for each output. PyTorch keeps two biases, ``bias_ih`` and
    ``bias_hh``, and adds both; one, their sum, does the same.

    Args:
        x: (B, E), what is read at this step.
        h: (B, D), the state so far.
        weight_ih: (D, E), from input to state.
        weight_hh: (D, D), from state to state.
        bias: (D,).

    Returns:
        The new state (B, D). ``h`` is left as it was.

    Source: CS 4644/7643 lecture 13, "Vanilla RNN Gradient Flow"; Elman 1990.
    """
    return torch.tanh(x @ weight_ih.T + h @ weight_hh.T + bias)  # (B, D)
