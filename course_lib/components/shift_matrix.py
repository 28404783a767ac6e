"""The matrix that moves every position by the same number of positions.

Each pair of dimensions turns by its own angle, so the matrix has one block of two rows and two columns for each pair.
Fancy indexing writes one corner of all blocks at a time.
"""

import torch
from torch import Tensor


def shift_matrix(d_model: int, shift: int) -> Tensor:
    """Return the matrix that moves sinusoidal positions: ``PE[t] @ matrix`` is ``PE[t + shift]``, for every t.

    The hand of pair i turns by ``w = shift / 10000^(2i/D)``. For the row ``(sin a, cos a)``, that is a product with
    the block ``[[cos w, -sin w], [sin w, cos w]]``. Outside the blocks, the matrix is 0.

    Args:
        d_model: D, an even width.
        shift: by how many positions to move. A negative shift moves back.

    Returns:
        (D, D), of torch's default dtype.

    Source: Vaswani et al. 2017, section 3.5; CS224N lecture 8.
    """
    pairs = torch.arange(0, d_model, 2)  # (D / 2,): the first dimension of each pair
    angles = shift * 10_000.0 ** (-pairs / d_model)  # (D / 2,)
    matrix = torch.zeros(d_model, d_model)  # (D, D)
    matrix[pairs, pairs] = torch.cos(angles)
    matrix[pairs, pairs + 1] = -torch.sin(angles)
    matrix[pairs + 1, pairs] = torch.sin(angles)
    matrix[pairs + 1, pairs + 1] = torch.cos(angles)
    return matrix
