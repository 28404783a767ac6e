"""One step of a decoder with attention in Luong's order: the recurrence first, and then attention.

The new state is the query, so it already knows the word that was just read. The context goes into the next word's
scores but not into the state, which is returned as the LSTM made it.
"""

from torch import Tensor, nn

from course_lib.components.attentional_state import AttentionalState
from course_lib.components.scaled_embedding import ScaledEmbedding


class DecoderStep(nn.Module):
    """Read one word, attend to the source, and score every word that may come next.

    Args:
        vocabulary_size: V, the number of different tokens.
        d_model: D, the width of embeddings, states and keys.
        pad_id: the token that pads short sentences.

    Parameters: those of ``embedding``, a `ScaledEmbedding`, of ``lstm``, an ``nn.LSTMCell(D, D)``, of
    ``attentional_state``, an `AttentionalState(D, D)`, and of ``readout``, an ``nn.Linear(D, V)`` whose weight (V, D)
    is the embedding's.

    Source: Luong et al. 2015, section 3; CSCE 638 lecture 7, "RNN with Attention".
    """

    def __init__(self, vocabulary_size: int, d_model: int, pad_id: int = 0) -> None:
        super().__init__()
        self.embedding = ScaledEmbedding(vocabulary_size, d_model, padding_idx=pad_id)
        self.lstm = nn.LSTMCell(d_model, d_model)
        self.attentional_state = AttentionalState(d_model, d_model)
        self.readout = nn.Linear(d_model, vocabulary_size)
        self.readout.weight = self.embedding.weight
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)

    def forward(
        self, word: Tensor, state: tuple[Tensor, Tensor], keys: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, tuple[Tensor, Tensor], Tensor]:
        """Take one step.

        Args:
            word: (B,), the id of the previous word.
            state: h and c, (B, D) each, as the previous step returned them.
            keys: (B, S, D), the encoder's states. They are the values, too.
            mask: (B, S), boolean, **True = may attend**.

        Returns:
            ``(logits, (h, c), weights)``: (B, V), the new h and c, (B, D) each, and the attention weights, (B, S).
        """
        x = self.embedding(word)  # (B, D)
        h, c = self.lstm(x, state)  # (B, D) each
        mixed, weights = self.attentional_state(h, keys, keys, mask, need_weights=True)  # (B, D), (B, S)
        logits = self.readout(mixed)  # (B, V)
        return logits, (h, c), weights
