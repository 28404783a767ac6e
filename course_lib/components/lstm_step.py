"""One step of an LSTM: gates decide what its cell state keeps, what is added, and what is shown.

One product computes all four gates, and `chunk` cuts them apart: four small products would do the same more slowly.
The order i, f, g, o is PyTorch's, so that its weights can be copied in.
"""

import torch
from torch import Tensor


def lstm_step(
    x: Tensor, h: Tensor, c: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias: Tensor
) -> tuple[Tensor, Tensor]:
    """The next state and cell state of a long short-term memory.

    The formulas are in section 4 of lesson 01. Weights are stored as in ``nn.LSTMCell``: four blocks of D rows each,
    stacked **in the order i, f, g, o**. PyTorch has two biases and adds both; here there is one, their sum.

    Args:
        x: (B, E), the word vectors of this step.
        h: (B, D), the state so far.
        c: (B, D), the cell state so far.
        weight_ih: (4D, E), from input to gates.
        weight_hh: (4D, D), from state to gates.
        bias: (4D,).

    Returns:
        ``(h', c')``, each (B, D). ``h`` and ``c`` are not changed.

    Source: Hochreiter and Schmidhuber 1997, doi 10.1162/neco.1997.9.8.1735; the forget gate is from Gers et al. 2000,
    doi 10.1162/089976600300015015; CS 4644/7643 lecture 13, "Long Short Term Memory (LSTM)".
    """
    gates = x @ weight_ih.T + h @ weight_hh.T + bias  # (B, 4D)
    i, f, g, o = gates.chunk(4, dim=-1)  # (B, D) each
    memory = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)  # (B, D)
    state = torch.sigmoid(o) * torch.tanh(memory)  # (B, D)
    return state, memory
