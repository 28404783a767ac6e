"""Greedy decoding with a recurrent decoder: the likeliest word, and on from there."""

from collections.abc import Callable
from typing import TypeVar

import torch
from torch import Tensor

State = TypeVar("State")


@torch.no_grad()
def recurrent_greedy(
    step: Callable[[Tensor, State], tuple[Tensor, State]],
    state: State,
    batch_size: int,
    bos_id: int,
    eos_id: int,
    max_length: int,
) -> Tensor:
    """Write one word a step, the likeliest one, until every sentence of the batch has ended.

    Args:
        step: ``(words (B, 1), state) -> (logits (B, 1, V), state)``.
        state: what the first step begins with.
        batch_size: B.
        bos_id: the word before the first.
        eos_id: the word that ends a sentence; what follows it in a row is ``eos_id`` too.
        max_length: the largest number of words.

    Returns:
        (B, T), T at most ``max_length``, without ``bos_id``.
    """
    words = torch.full((batch_size, 1), bos_id)  # (B, 1)
    ended = torch.zeros(batch_size, 1, dtype=torch.bool)  # (B, 1)
    written: list[Tensor] = []
    while len(written) < max_length and not ended.all():
        logits, state = step(words, state)  # (B, 1, V)
        words = logits.argmax(dim=-1).masked_fill(ended, eos_id)  # (B, 1)
        ended = ended | (words == eos_id)  # (B, 1)
        written.append(words)
    return torch.cat(written, dim=1)  # (B, T)
