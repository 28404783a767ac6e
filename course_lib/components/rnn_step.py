"""One step of a recurrent network: the state so far and the next word's vector become a new state.

`weight_ih.T` on the right, because rows are sentences: one line serves a whole batch. It's the shape in which PyTorch
keeps its own weights, so the two can be compared number by number.
"""

import torch
from torch import Tensor


def rnn_step(x: Tensor, h: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias: Tensor) -> Tensor:
    """The next state of a plain (Elman) recurrent network.

    The formula is in section 1 of lesson 01. Weights are stored as in ``nn.RNNCell``, with one row for each output.
    PyTorch has two biases, ``bias_ih`` and ``bias_hh``, and adds both; here there is one, their sum.

    Args:
        x: (B, E), the word vectors of this step.
        h: (B, D), the state so far.
        weight_ih: (D, E), from input to state.
        weight_hh: (D, D), from state to state.
        bias: (D,).

    Returns:
        The new state (B, D). ``h`` is not changed.

    Source: Elman 1990, doi 10.1207/s15516709cog1402_1; CS 4644/7643 lecture 13, "Vanilla RNN Gradient Flow".
    """
    return torch.tanh(x @ weight_ih.T + h @ weight_hh.T + bias)  # (B, D)
