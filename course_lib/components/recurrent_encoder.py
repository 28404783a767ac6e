"""A recurrent encoder: it reads a sentence word by word and returns its states.

A packed sequence stops each sentence at its own end, so `h` and `c` are those of its last *word*, not of its padding.
`total_length` puts the padding back, because a mask of the batch's full width will be laid over the states.
"""

from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class RecurrentEncoder(nn.Module):
    """An embedding and an LSTM of one layer, for sentences of different lengths.

    Args:
        vocabulary_size: V, the number of different tokens.
        d_model: D, the width of embeddings and states.
        pad_id: the id of padding, which fills up short sentences on the right.

    Parameters: those of ``embedding``, an ``nn.Embedding(V, D)``, and of ``lstm``, an ``nn.LSTM(D, D)`` of one
    layer with the batch first.

    Source: Sutskever et al. 2014, arXiv:1409.3215; CS 4644/7643 lecture 13, "Machine Translation with RNNs"; CSCE
    638 lecture 7, "Recap: RNN as Encoder".
    """

    def __init__(self, vocabulary_size: int, d_model: int, pad_id: int = 0) -> None:
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.lstm = nn.LSTM(d_model, d_model, batch_first=True)

    def forward(self, source: Tensor) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """Read every sentence from left to right, to its own end.

        Args:
            source: (B, S) token ids, padded on the right with ``pad_id``; each sentence has a real token.

        Returns:
            ``(states, (h, c))``. States: (B, S, D), the state after each token, with zeros at padding. h and c: (B, D)
            each, the state and cell state after a sentence's last *real* token, as if padding weren't there.
        """
        lengths = (source != self.pad_id).sum(dim=1)  # (B,)
        embedded = self.embedding(source)  # (B, S, D)
        # PyTorch wants the lengths on the CPU, wherever the sentences are
        packed = pack_padded_sequence(embedded, lengths.cpu(), batch_first=True, enforce_sorted=False)
        packed_states, (h, c) = self.lstm(packed)  # (1, B, D) each
        states, _ = pad_packed_sequence(packed_states, batch_first=True, total_length=source.size(1))  # (B, S, D)
        return states, (h.squeeze(0), c.squeeze(0))
