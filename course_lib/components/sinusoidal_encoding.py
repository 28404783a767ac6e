"""Sinusoidal positional encoding: a vector for each position, computed rather than learned.

The angles are computed once; sines go to the even columns, cosines to the odd. The slice of `angles` only matters for
an odd width, which has one cosine fewer.
"""

import torch
from torch import Tensor


def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    """Encode the positions 0 to ``length - 1`` by sines and cosines of falling frequency.

    ``PE[t, 2i] = sin(t / 10000^(2i/D))`` and ``PE[t, 2i+1] = cos(t / 10000^(2i/D))``: dimensions come
    in pairs, a sine and its cosine, and i counts the pairs. Pair 0 is the fastest: one turn takes 2π positions.

    Args:
        length: T, the number of positions.
        d_model: D, the width. If it is odd, the last dimension is a sine without its cosine.

    Returns:
        (T, D), of torch's default dtype.

    Source: Vaswani et al. 2017, section 3.5; CSCE 638 lecture 7, "Sinusoidal Positional Encoding".
    """
    positions = torch.arange(length).unsqueeze(1)  # (T, 1)
    frequencies = 10_000.0 ** (-torch.arange(0, d_model, 2) / d_model)  # (ceil(D / 2),): one for each pair
    angles = positions * frequencies  # (T, ceil(D / 2))
    encoding = torch.empty(length, d_model)  # (T, D)
    encoding[:, 0::2] = torch.sin(angles)
    encoding[:, 1::2] = torch.cos(angles[:, : d_model // 2])  # an odd width has one cosine less
    return encoding
