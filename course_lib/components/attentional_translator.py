"""Encoder and attentional decoder as one model."""

from typing import Any

import torch
from torch import Tensor, nn

from course_lib.components.recurrent_translator import RecurrentTranslator


class AttentionalTranslator(RecurrentTranslator):
    """A recurrent encoder, and a decoder that looks at all of its states.

    Args:
        encoder: ``(source (B, S)) -> (states (B, S, D), (h, c))``, `RecurrentEncoder`.
        decoder: ``(inputs (B, T), state, keys, mask) -> (logits (B, T, V), state)``, `AttentionalDecoder` or
            `BahdanauDecoder`.
        pad_id: the token that fills short sources up: no decoder may look at it.
    """

    def __init__(self, encoder: nn.Module, decoder: nn.Module, pad_id: int = 0) -> None:
        super().__init__(encoder, decoder)
        self.pad_id = pad_id

    def encode(self, source: Tensor) -> tuple[tuple[Tensor, Tensor], tuple[Any, ...]]:
        """The encoder's last state; and, as memory, all its states (B, S, D) with the mask over them (B, S)."""
        states, state = self.encoder(source)
        return state, (states, source != self.pad_id)

    @torch.no_grad()
    def weights(self, source: Tensor, inputs: Tensor) -> Tensor:
        """Return the decoder's attention weights, (B, T, S), for the ``inputs`` (B, T) and a ``source`` (B, S)."""
        state, memory = self.encode(source)
        weights: Tensor = self.decoder(inputs, state, *memory, need_weights=True)[2]  # (B, T, S)
        return weights
