"""One step of an LSTM: a memory that is written and erased by gates."""

import torch
from torch import Tensor


def lstm_step(
    x: Tensor, h: Tensor, c: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias: Tensor
) -> tuple[Tensor, Tensor]:
    """The next state and memory of a long short-term memory.

    ``c' = f ⊙ c + i ⊙ g`` and ``h' = o ⊙ tanh(c')``, where the gates i, f, o are sigmoids and the candidate g a
    tanh of the four quarters of ``x W_ihᵀ + h W_hhᵀ + b``.

    Weights lie as in ``nn.LSTMCell``: the rows of the four quarters stand below each other **in the order
    i, f, g, o**. PyTorch keeps two biases and adds both; one, their sum, does the same.

    Args:
        x: (B, E), what is read at this step.
        h: (B, D), the state so far.
        c: (B, D), the memory so far.
        weight_ih: (4D, E), from input to gates.
        weight_hh: (4D, D), from state to gates.
        bias: (4D,).

    Returns:
        ``(h', c')``, each (B, D). ``h`` and ``c`` are left as they were.

    Source: Hochreiter and Schmidhuber 1997; the forget gate is Gers et al. 2000; CS 4644/7643 lecture 13, "Long
    Short Term Memory (LSTM)".
    """
    gates = x @ weight_ih.T + h @ weight_hh.T + bias  # (B, 4D)
    i, f, g, o = gates.chunk(4, dim=-1)  # (B, D) each
    memory = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)  # (B, D)
    state = torch.sigmoid(o) * torch.tanh(memory)  # (B, D)
    return state, memory
