"""Relative positions: how far each key is from each query, up to a limit.

Subtract, clamp, shift: clamped first, so that everything far away shares one row, and shifted last, since a table
starts at 0.
"""

import torch
from torch import Tensor


def relative_positions(query_length: int, key_length: int, max_distance: int) -> Tensor:
    """For each query and each key, the row of the table with the vector of their distance.

    The distance of key s from query t is ``s - t``: negative for a key before the query, positive for one after it.
    Distances beyond K count as K, and below -K as -K, so that ``2K + 1`` are left. Row 0 of the table is for -K, row K
    for the query's own position, and row 2K for K.

    Args:
        query_length: T, the number of queries, at positions 0 to T - 1.
        key_length: S, the number of keys, at positions 0 to S - 1.
        max_distance: K, the largest distance that counts, at least 0; larger ones count as K.

    Returns:
        (T, S), integers from 0 to 2K.

    Source: Shaw et al. 2018, section 3.2.
    """
    distances = torch.arange(key_length) - torch.arange(query_length).unsqueeze(1)  # (T, S)
    return distances.clamp(-max_distance, max_distance) + max_distance  # (T, S)
