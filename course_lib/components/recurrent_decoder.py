"""A recurrent decoder: it writes a sentence word by word, starting from an encoder's last state."""

import torch
from torch import Tensor, nn

from course_lib.components.scaled_embedding import ScaledEmbedding


class RecurrentDecoder(nn.Module):
    """An embedding, one layer of LSTM, and a score for every word that may come next.

    Args:
        vocabulary_size: V, the number of different tokens.
        d_model: D, the width of embeddings and states.
        pad_id: the token that fills short sentences up.
        with_context: whether every step receives the encoder's last state as well as its word. Otherwise
            only the first step does, as the state that it begins with.

    The output projection and the embedding are one matrix, (V, D), initialised from N(0, 1/D): a word's logit is the
    dot product of its vector with the decoder's output (Press and Wolf 2017).

    Source: Sutskever et al. 2014; with context at every step Cho et al. 2014. CS 4644/7643 lecture 13, "Machine
    Translation with RNNs"; CSCE 638 lecture 7, "Recap: RNN as Decoder".
    """

    def __init__(self, vocabulary_size: int, d_model: int, pad_id: int = 0, with_context: bool = False) -> None:
        super().__init__()
        self.with_context = with_context
        self.embedding = ScaledEmbedding(vocabulary_size, d_model, padding_idx=pad_id)
        self.lstm = nn.LSTM(2 * d_model if with_context else d_model, d_model, batch_first=True)
        self.output = nn.Linear(d_model, d_model)
        self.readout = nn.Linear(d_model, vocabulary_size)
        self.readout.weight = self.embedding.weight
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)

    def forward(
        self, inputs: Tensor, state: tuple[Tensor, Tensor], context: Tensor
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """Go on from a state, reading the given words.

        Args:
            inputs: (B, T), the words before those to be predicted. In training they are the reference's
                ("teacher forcing"), all at once; in decoding T is 1, and the word is the decoder's own.
            state: h and c, (B, D) each.
            context: (B, D), the encoder's last state; not looked at unless ``with_context``.

        Returns:
            ``(logits, state)``: (B, T, V), and the state after the last word.
        """
        x = self.embedding(inputs)  # (B, T, D)
        if self.with_context:
            repeated = context.unsqueeze(1).expand(-1, inputs.size(1), -1)  # (B, T, D)
            x = torch.cat([x, repeated], dim=-1)  # (B, T, 2 D)
        h, c = state
        states, (h, c) = self.lstm(x, (h.unsqueeze(0), c.unsqueeze(0)))  # (B, T, D)
        logits: Tensor = self.readout(torch.tanh(self.output(states)))  # (B, T, V)
        return logits, (h.squeeze(0), c.squeeze(0))
