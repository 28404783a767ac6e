"""An encoder with a head that scores each token, or the whole sentence.

There is one linear layer. For tags it's applied to every token, otherwise to the pooled vector, by the same line.
The mean divides by the number of real tokens, not by the width of the batch.
"""

from torch import Tensor, nn

from course_lib.components.encoder import Encoder
from course_lib.components.padding_mask import padding_mask
from course_lib.components.position_embedding import PositionEmbedding


class EncoderClassifier(nn.Module):
    """An encoder with a linear layer on top, the *head*.

    - ``pooling=None``: the head scores each token: a tagger, or, with a class for every word, a masked language model.
    - ``pooling="cls"``: the head scores the vector at position 0, whose token is there for this purpose.
    - ``pooling="mean"``: the head scores the mean of the vectors of all real tokens, the one at position 0 included.

    Args:
        vocab_size: V, the number of different tokens.
        num_classes: C, what the head distinguishes.
        d_model: D, the width.
        num_heads: H, which must divide D.
        num_layers: layers of the encoder.
        d_ff: F, the width inside the feed-forward networks.
        max_length: the largest number of tokens in a sentence.
        pooling: None, ``"cls"`` or ``"mean"``.
        dropout: the probability of dropping, in training, of embeddings and in each layer.
        pad_id: the id of the padding token, which no token sees.

    Parameters: those of ``embedding``, a `PositionEmbedding`; of ``encoder``, an `Encoder` (pre-norm); and of ``head``,
    an ``nn.Linear(d_model, num_classes)``.

    Source: Devlin et al. 2019, figure 4 (a token's and a sentence's class); Reimers & Gurevych 2019, section 3 (mean).
    """

    def __init__(
        self,
        vocab_size: int,
        num_classes: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        pooling: str | None = None,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.head = nn.Linear(d_model, num_classes)
        self.pooling, self.pad_id = pooling, pad_id

    def encode(self, ids: Tensor) -> Tensor:
        """The contextual vector of each token: (B, T) ids to (B, T, D)."""
        mask = padding_mask(ids, self.pad_id).unsqueeze(1)  # (B, 1, 1, T)
        states: Tensor = self.encoder(self.embedding(ids), mask)  # (B, T, D)
        return states

    def forward(self, ids: Tensor) -> Tensor:
        """Score each token, or each sentence.

        Args:
            ids: (B, T) token ids, padded. Each sentence has at least one real token.

        Returns:
            Logits (B, T, C) without pooling, (B, C) with.
        """
        states = self.encode(ids)  # (B, T, D)
        if self.pooling == "cls":
            states = states[:, 0]  # (B, D)
        elif self.pooling == "mean":
            real = (ids != self.pad_id).unsqueeze(-1)  # (B, T, 1)
            states = (states * real).sum(dim=1) / real.sum(dim=1)  # (B, D)
        logits: Tensor = self.head(states)
        return logits
