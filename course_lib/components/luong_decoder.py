"""Luong's decoder over a whole sentence: one step of it, repeated for each word."""

from typing import Any

import torch
from torch import Tensor, nn


class LuongDecoder(nn.Module):
    """A loop around a step such as `DecoderStep`.

    In training it reads the right words; in decoding, it reads its own words, one in each call.

    Args:
        step: ``(word (B,), state, keys (B, S, D), mask (B, S)) -> (logits (B, V), state, weights (B, S))``.

    Source: Luong et al. 2015, section 3.
    """

    def __init__(self, step: nn.Module) -> None:
        super().__init__()
        self.step = step

    def forward(
        self, inputs: Tensor, state: tuple[Tensor, Tensor], keys: Tensor, mask: Tensor, need_weights: bool = False
    ) -> tuple[Any, ...]:
        """Continue from a state with the given words.

        Args:
            inputs: (B, T), the words before those to be predicted; T is 1 in decoding.
            state: h and c, (B, D) each.
            keys: (B, S, D), the encoder's states; they are the values, too.
            mask: (B, S), boolean, **True = may attend**.
            need_weights: whether to return the weights, too.

        Returns:
            ``(logits, state)`` or ``(logits, state, weights)``: (B, T, V), the state after the last word, (B, T, S).
        """
        scored, looked = [], []
        for word in inputs.unbind(dim=1):  # (B,)
            logits, state, weights = self.step(word, state, keys, mask)
            scored.append(logits)
            looked.append(weights)
        logits = torch.stack(scored, dim=1)  # (B, T, V)
        return (logits, state, torch.stack(looked, dim=1)) if need_weights else (logits, state)
