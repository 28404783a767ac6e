"""Learned absolute positions: a vector for each position, trained like any other weight.

The table is a parameter, and a slice of it is all that `forward` needs. Asking for more positions than were learned
is refused by name: the slice alone would be shorter, without a word.
"""

import torch
from torch import Tensor, nn


class LearnedPositions(nn.Module):
    """A trained vector for each of ``max_length`` positions.

    Args:
        max_length: L, the number of positions that can be learned.
        d_model: D, the width.

    Parameter: ``weight`` (L, D), an ``nn.Parameter`` whose row t belongs to position t. Any initialisation
    will do; ours is normal with standard deviation 0.02.

    Source: COS 484 lecture 8, "Learned absolute position encoding"; CS224N lecture 8, "Position
    representation vectors learned from scratch". Both write the vectors as *columns*, (D, L).
    """

    def __init__(self, max_length: int, d_model: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))  # (L, D)

    def forward(self, length: int) -> Tensor:
        """The vectors of positions 0 to ``length - 1``.

        Args:
            length: T, at most ``max_length``.

        Returns:
            (T, D), which can be added to each sentence of a batch.

        Raises:
            ValueError: ``length`` is greater than ``max_length``, so there is no row for the last positions.
        """
        max_length = self.weight.size(0)
        if length > max_length:
            raise ValueError(f"{length} positions are asked for, and only {max_length} were learned")
        return self.weight[:length]  # (T, D)
