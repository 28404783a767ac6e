"""A decoder with attention in Luong's form: the state that a word has led to asks, after the recurrence."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from course_lib.components.scaled_embedding import ScaledEmbedding


class AttentionalDecoder(nn.Module):
    """An LSTM whose every state looks at the encoder's: ``s̃_t = tanh(W [a_t; s_t])`` scores the next word.

    The states need no context to go on. So all T of them are computed first, and then all T ask at once.

    Args:
        vocabulary_size: V, the number of different tokens.
        d_model: D, the width of embeddings and states.
        scores: one query's scores, ``(query (B, D), keys (B, S, D)) -> (B, S)``; a module's parameters are learned too.
        attend: one query's attention, ``(scores (B, S), values (B, S, D), mask (B, S)) -> (context, weights)``.
        pad_id: the token that fills short sentences up.

    The read-out and the embedding are one matrix, (V, D).

    Source: Luong et al. 2015, section 3; COS 484 lecture 8, "Recap: Attention"; CSCE 638 lecture 7, "RNN with
    Attention".
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
        self.lstm = nn.LSTM(d_model, d_model, batch_first=True)
        self.w = nn.Linear(2 * d_model, d_model, bias=False)
        self.readout = nn.Linear(d_model, vocabulary_size)
        self.readout.weight = self.embedding.weight
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)

    def forward(
        self, inputs: Tensor, state: tuple[Tensor, Tensor], keys: Tensor, mask: Tensor, need_weights: bool = False
    ) -> tuple[Any, ...]:
        """Go on from a state, with the words that are given.

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
        # what is written for one query is done for T: vmap hands it the queries along axis 1, and the same keys
        scores = torch.vmap(self.scores, in_dims=(1, None), out_dims=1)(states, keys)  # (B, T, S)
        contexts, weights = torch.vmap(self.attend, in_dims=(1, None, None), out_dims=1)(scores, keys, mask)
        both = torch.cat([contexts, states], dim=-1)  # (B, T, 2 D)
        logits = self.readout(torch.tanh(self.w(both)))  # (B, T, V)
        state = (h.squeeze(0), c.squeeze(0))
        return (logits, state, weights) if need_weights else (logits, state)
