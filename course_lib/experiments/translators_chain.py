"""How many operations of a translator must wait for one another: recurrent with attention, and a Transformer.

They are counted in the graph that PyTorch records of one forward pass in training, when all target words are known. No
clock is read, so every machine counts the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from course_lib.experiments.sequence_layers import longest_path
from course_lib.experiments.series import Series

#: the tested lengths, of source and target alike
LENGTHS = (5, 10, 20, 40, 80, 160)
WORDS, WIDTH = 20, 16
#: the arguments of `Transformer`: two layers and four heads like the translator, but narrow, as width has no effect
SETTINGS: dict[str, Any] = {
    "source_vocab_size": WORDS,
    "target_vocab_size": WORDS,
    "d_model": WIDTH,
    "num_heads": 4,
    "num_layers": 2,
    "d_ff": 2 * WIDTH,
    "max_length": LENGTHS[-1],
    "dropout": 0.0,
}


class StepByStep(nn.Module):
    """A recurrent translator with attention as in lesson 02, written as loops, so that its steps can be counted."""

    def __init__(self) -> None:
        super().__init__()
        self.source, self.target = nn.Embedding(WORDS, WIDTH), nn.Embedding(WORDS, WIDTH)
        self.reads, self.writes = nn.RNNCell(WIDTH, WIDTH), nn.RNNCell(2 * WIDTH, WIDTH)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """Return the logits (B, T, V) of the word after each of the ``target`` (B, T), for a ``source`` (B, S)."""
        read, written = self.source(source), self.target(target)  # (B, S, D), (B, T, D)
        state, states, logits = read.new_zeros(len(read), WIDTH), [], []  # (B, D)
        for s in range(read.size(1)):
            state = self.reads(read[:, s], state)  # (B, D)
            states.append(state)
        memory = torch.stack(states, dim=1)  # (B, S, D)
        for t in range(written.size(1)):
            weights = torch.softmax(memory @ state.unsqueeze(2), dim=1)  # (B, S, 1)
            found = (weights * memory).sum(dim=1)  # (B, D)
            state = self.writes(torch.cat([written[:, t], found], dim=-1), state)  # (B, D)
            logits.append(state @ self.target.weight.T)  # (B, V)
        return torch.stack(logits, dim=1)  # (B, T, V)


def longest_chain(transformer: Callable[..., nn.Module]) -> Series:
    """Return the longest chain of operations in one forward pass, by length.

    Args:
        transformer: `Transformer`, yours for instance.

    Returns:
        ``length``, ``recurrent`` and ``transformer``.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        translators = {"recurrent": StepByStep(), "transformer": transformer(**SETTINGS)}
    series: Series = {"length": [float(n) for n in LENGTHS], "recurrent": [], "transformer": []}
    for length in LENGTHS:
        words = torch.ones(1, length, dtype=torch.long)  # (B, S), and (B, T)
        for name, translator in translators.items():
            series[name].append(float(longest_path(translator(words, words))))
    return series
