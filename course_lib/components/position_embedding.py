"""The embedding layer: which word, and at which position.

The positions are a buffer: they move to a device with the module, and no optimizer sees them. `persistent=False`
keeps them out of saved weights, since they can be computed. The factor √D undoes the small start of the embedding, so
that words and positions weigh alike.
"""

import math

from torch import Tensor, nn

from course_lib.components.sinusoidal_encoding import sinusoidal_encoding


class PositionEmbedding(nn.Module):
    """Embed tokens, scaled by the root of the width, and add their positions; then dropout.

    Args:
        vocab_size: V, the number of different tokens.
        d_model: D, the width.
        max_length: L, the largest number of tokens in a sentence.
        dropout: the probability with which each number of the sum is dropped in training.

    Parameter: ``token_embedding.weight`` (V, D).
    Buffer: ``positions`` (L, D), the sinusoids. A buffer moves along with the module, but no optimiser
    changes it. It isn't saved with the weights (``persistent=False``), since it can be computed again.

    Source: Vaswani et al. 2017, sections 3.4, 3.5 and 5.4; CS224N lecture 8, "Position representation vectors".
    """

    positions: Tensor

    def __init__(self, vocab_size: int, d_model: int, max_length: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.token_embedding.weight, std=d_model**-0.5)  # sqrt(D) brings it back to 1
        self.register_buffer("positions", sinusoidal_encoding(max_length, d_model), persistent=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids: Tensor) -> Tensor:
        """Turn tokens into vectors. Padding gets one like any other token: masks hide it later.

        Args:
            ids: (B, T) integers below V; T is at most ``max_length``.

        Returns:
            (B, T, D): the embedded tokens times ``sqrt(D)``, plus the vectors of positions 0 to T - 1;
            in training, dropout is applied to the sum.
        """
        tokens = self.token_embedding(ids) * math.sqrt(self.token_embedding.embedding_dim)  # (B, T, D)
        positions = self.positions[: ids.size(1)]  # (T, D)
        embedded: Tensor = self.dropout(tokens + positions)  # (B, T, D)
        return embedded
