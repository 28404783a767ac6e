"""A decoder with attention in Bahdanau's form: the state before asks, and what it finds enters the recurrence."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from course_lib.components.scaled_embedding import ScaledEmbedding


class BahdanauDecoder(nn.Module):
    """An LSTM that looks before it goes on: ``s_t = LSTM([y_{t−1}; a_t], s_{t−1})``, and ``s_{t−1}`` asks for ``a_t``.

    Each step needs the one before, attention and all: the T steps of a sentence cannot be done at once. The next word
    is scored from ``tanh(W [a_t; s_t])``, as in `AttentionalDecoder`; Bahdanau's read-out is a maxout layer.

    Args:
        vocabulary_size: V, the number of different tokens.
        d_model: D, the width of embeddings and states.
        scores: one query's scores, ``(query (B, D), keys (B, S, D)) -> (B, S)``; a module's parameters are learned too.
        attend: one query's attention, ``(scores (B, S), values (B, S, D), mask (B, S)) -> (context, weights)``.
        pad_id: the token that fills short sentences up.

    Source: Bahdanau et al. 2015, sections 3.1 and A.1.2 (with a GRU); CS 4644/7643 lecture 13, "Machine Translation
    with RNNs and Attention".
    """

    def __init__(
        self,
        vocabulary_size: int,
        d_model: int,
        scores: Callable[..., Tensor],
        attend: Callable[..., tuple[Tensor, Tensor]],
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.scores, self.attend = scores, attend
        self.embedding = ScaledEmbedding(vocabulary_size, d_model, padding_idx=pad_id)
        self.cell = nn.LSTMCell(2 * d_model, d_model)
        self.w = nn.Linear(2 * d_model, d_model, bias=False)
        self.readout = nn.Linear(d_model, vocabulary_size)
        self.readout.weight = self.embedding.weight
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)

    def forward(
        self, inputs: Tensor, state: tuple[Tensor, Tensor], keys: Tensor, mask: Tensor, need_weights: bool = False
    ) -> tuple[Any, ...]:
        """Go on from a state, with the words that are given; arguments and results as `AttentionalDecoder`'s."""
        outputs, looked = [], []
        for x in self.embedding(inputs).unbind(dim=1):  # (B, D)
            context, weights = self.attend(self.scores(state[0], keys), keys, mask)  # (B, D), (B, S)
            state = self.cell(torch.cat([x, context], dim=-1), state)  # (B, D) each
            outputs.append(torch.cat([context, state[0]], dim=-1))  # (B, 2 D)
            looked.append(weights)
        logits = self.readout(torch.tanh(self.w(torch.stack(outputs, dim=1))))  # (B, T, V)
        return (logits, state, torch.stack(looked, dim=1)) if need_weights else (logits, state)
