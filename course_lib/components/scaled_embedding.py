"""Word vectors that a read-out shares, brought to the length that a recurrence learns from."""

import math

from torch import Tensor, nn


class ScaledEmbedding(nn.Embedding):
    """An embedding whose vectors are given out times ``sqrt(D)``; its ``weight`` (V, D) stays as it is.

    Tied to a read-out, the vectors are initialised short, with a variance of 1/D: too short for the LSTM that
    reads them.
    """

    def forward(self, input: Tensor) -> Tensor:
        """Token ids, of any shape, to vectors with D as their last axis."""
        return super().forward(input) * math.sqrt(self.embedding_dim)
