"""Luong's decoder with any attentional state: it computes all states first, and then attends from all at once."""

from collections.abc import Callable
from typing import Any

from torch import Tensor, nn

from course_lib.components.scaled_embedding import ScaledEmbedding


class LuongDecoder(nn.Module):
    """An LSTM in which each state attends to the encoder's states, and the result scores the next word.

    Args:
        vocabulary_size: V, the number of different tokens.
        d_model: D, the width of embeddings and states.
        attentional_state: `AttentionalState` or a class like it, constructed with ``(d_state, d_value)``.
        pad_id: the token that pads short sentences.

    The read-out and the embedding share one matrix, (V, D).

    Source: Luong et al. 2015, section 3.
    """

    def __init__(
        self, vocabulary_size: int, d_model: int, attentional_state: Callable[[int, int], nn.Module], pad_id: int = 0
    ) -> None:
        super().__init__()
        self.embedding = ScaledEmbedding(vocabulary_size, d_model, padding_idx=pad_id)
        self.lstm = nn.LSTM(d_model, d_model, batch_first=True)
        self.attentional_state = attentional_state(d_model, d_model)
        self.readout = nn.Linear(d_model, vocabulary_size)
        self.readout.weight = self.embedding.weight
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)

    def forward(
        self, inputs: Tensor, state: tuple[Tensor, Tensor], keys: Tensor, mask: Tensor, need_weights: bool = False
    ) -> tuple[Any, ...]:
        """Continue from a state with the given words.

        Args:
            inputs: (B, T), the words before those to be predicted; T is 1 in decoding.
            state: h and c, (B, D) each.
            keys: (B, S, D), the encoder's states; they are the values too.
            mask: (B, S), boolean, **True = may attend**.
            need_weights: whether to return the weights too.

        Returns:
            ``(logits, state)`` or ``(logits, state, weights)``: (B, T, V), the state after the last word, (B, T, S).
        """
        h, c = state
        states, (h, c) = self.lstm(self.embedding(inputs), (h.unsqueeze(0), c.unsqueeze(0)))  # (B, T, D)
        # the attentional state takes one query per sentence: B · T sentences, each with its own copy of the keys
        count = states.size(1)
        keys = keys.repeat_interleave(count, dim=0)  # (B · T, S, D)
        mask = mask.repeat_interleave(count, dim=0)  # (B · T, S)
        mixed, weights = self.attentional_state(states.flatten(0, 1), keys, keys, mask, need_weights=True)
        logits = self.readout(mixed).unflatten(0, (-1, count))  # (B, T, V)
        state = (h.squeeze(0), c.squeeze(0))
        return (logits, state, weights.unflatten(0, (-1, count))) if need_weights else (logits, state)
