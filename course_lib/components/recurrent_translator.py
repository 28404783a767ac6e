"""Encoder and decoder as one model, without attention and with it."""

from typing import Any

import torch
from torch import Tensor, nn

from course_lib.components.recurrent_greedy import recurrent_greedy


class RecurrentTranslator(nn.Module):
    """A recurrent encoder and decoder: all the decoder gets to know of the source is one state.

    Args:
        encoder: ``(source (B, S)) -> (states (B, S, D), (h, c))``, `RecurrentEncoder`.
        decoder: ``(inputs (B, T), state, *memory) -> (logits (B, T, V), state)``, `RecurrentDecoder`.
        backwards: whether to read the source from its end. Its first word, which the translation mostly begins with, is
            then the last one read (Sutskever et al. 2014, section 3.3).
    """

    def __init__(self, encoder: nn.Module, decoder: nn.Module, backwards: bool = False) -> None:
        super().__init__()
        self.encoder, self.decoder, self.backwards = encoder, decoder, backwards

    def encode(self, source: Tensor) -> tuple[tuple[Tensor, Tensor], tuple[Any, ...]]:
        """``(state, memory)`` of a source (B, S): what the decoder begins with, and what it is given at each step."""
        if self.backwards:
            # a stable sort by "is it padding" brings the words to the left again
            source = source.flip(1)  # (B, S)
            source = source.gather(1, (source == 0).int().argsort(dim=1, stable=True))  # (B, S)
        _, state = self.encoder(source)
        return state, (state[0],)

    def forward(self, source: Tensor, inputs: Tensor) -> Tensor:
        """The logits (B, T, V) of the word after each of the ``inputs`` (B, T), for a ``source`` (B, S)."""
        state, memory = self.encode(source)
        logits: Tensor = self.decoder(inputs, state, *memory)[0]  # (B, T, V)
        return logits

    @torch.no_grad()
    def translate(self, source: Tensor, bos_id: int, eos_id: int, max_length: int) -> Tensor:
        """The translations that `recurrent_greedy` finds, (B, T), for a ``source`` (B, S)."""
        state, memory = self.encode(source)
        return recurrent_greedy(
            lambda words, state: self.decoder(words, state, *memory), state, len(source), bos_id, eos_id, max_length
        )
