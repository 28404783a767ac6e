"""A bidirectional encoder: two LSTMs read each sentence, one from its first word and one from its last.

The state of a word joins what both have read, so it knows what comes before the word and what comes after it. `mirror`
swaps positions within each sentence. Applied twice, it restores the order, so one index serves for words and states.
"""

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class BidirectionalEncoder(nn.Module):
    """An embedding and two LSTMs that read in opposite directions.

    Args:
        vocabulary_size: V, the number of different tokens.
        d_model: D, the width of embeddings and of joined states. It is even: each LSTM has states of width D/2.
        pad_id: the id of padding, which fills up short sentences on the right.

    Parameters: those of ``embedding``, an ``nn.Embedding(V, D)``, and of ``left_to_right`` and ``right_to_left``, an
    ``nn.LSTM(D, D // 2)`` each, of one layer with the batch first.

    Source: Schuster and Paliwal 1997; Bahdanau et al. 2015, section 3.2.
    """

    def __init__(self, vocabulary_size: int, d_model: int, pad_id: int = 0) -> None:
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.left_to_right = nn.LSTM(d_model, d_model // 2, batch_first=True)
        self.right_to_left = nn.LSTM(d_model, d_model // 2, batch_first=True)

    def read(self, lstm: nn.LSTM, words: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Read each row from position 0 on, for as many steps as its length says.

        Args:
            lstm: the LSTM that reads.
            words: (B, S, D), the vectors that it reads.
            lengths: (B,), how many of each row it reads.

        Returns:
            ``(states, h, c)``. States: (B, S, D/2), with zeros after the last step. h and c: (B, D/2) each, after the
            last step.
        """
        packed = pack_padded_sequence(words, lengths.cpu(), batch_first=True, enforce_sorted=False)
        packed_states, (h, c) = lstm(packed)  # (1, B, D/2) each
        states, _ = pad_packed_sequence(packed_states, batch_first=True, total_length=words.size(1))  # (B, S, D/2)
        return states, h.squeeze(0), c.squeeze(0)

    def forward(self, source: Tensor) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """Read every sentence in both directions, without its padding.

        Args:
            source: (B, S) token ids, padded on the right with ``pad_id``; each sentence has a real token.

        Returns:
            ``(states, (h, c))``. States: (B, S, D), for each word the state of ``left_to_right``, then the state of
            ``right_to_left`` after that word, with zeros at padding. h and c: (B, D) each, of both LSTMs in the same
            order, after the last word that each of them reads.
        """
        lengths = (source != self.pad_id).sum(dim=1)  # (B,)
        embedded = self.embedding(source)  # (B, S, D)
        position = torch.arange(source.size(1), device=source.device)  # (S,)
        last = lengths.unsqueeze(1) - 1  # (B, 1): the position of the last word
        mirror = torch.where(position <= last, last - position, position)  # (B, S): padding stays where it is
        row = torch.arange(source.size(0), device=source.device).unsqueeze(1)  # (B, 1)
        states, h, c = self.read(self.left_to_right, embedded, lengths)  # (B, S, D/2), (B, D/2), (B, D/2)
        back_states, back_h, back_c = self.read(self.right_to_left, embedded[row, mirror], lengths)
        states = torch.cat([states, back_states[row, mirror]], dim=-1)  # (B, S, D)
        return states, (torch.cat([h, back_h], dim=-1), torch.cat([c, back_c], dim=-1))
