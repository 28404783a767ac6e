"""One step of online softmax: sum over a row of weights without ever having the whole row in memory.

The sums so far are rescaled when a larger score turns up; that factor is the whole trick. `shift` replaces
a maximum that is still minus infinity, because its difference with itself would be NaN.
"""

import torch
from torch import Tensor


def online_softmax(
    maximum: Tensor, total: Tensor, mixture: Tensor, scores: Tensor, value: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Add the scores and values of one more chunk of keys to the running sums.

    For any order of the chunks, ``mixture / total`` at the end is the output of softmax attention over all keys.
    No exponential is larger than 1, since each is taken relative to the largest score so far.

    Args:
        maximum: (..., T), each query's largest score so far; minus infinity if there was none.
        total: (..., T), the sum of ``exp(score - maximum)`` over all scores so far.
        mixture: (..., T, Dv), the sum of ``exp(score - maximum) * value`` so far.
        scores: (..., T, C), those of the chunk; minus infinity if a key is masked.
        value: (..., C, Dv), its values.

    Returns:
        ``(maximum, total, mixture)`` with the chunk included. If all scores so far are minus infinity, ``maximum``
        stays minus infinity, and the sums stay 0.

    Source: Milakov & Gimelshein 2018, algorithm 3; Dao et al. 2022, section 3.1.
    """
    new = torch.maximum(maximum, scores.amax(dim=-1))  # (..., T)
    shift = new.masked_fill(new == -torch.inf, 0.0)  # (..., T): minus infinity less itself would be nan
    shrink = torch.exp(maximum - shift)  # (..., T): what earlier exponentials are worth by the new maximum
    weights = torch.exp(scores - shift.unsqueeze(-1))  # (..., T, C)
    total = total * shrink + weights.sum(dim=-1)  # (..., T)
    mixture = mixture * shrink.unsqueeze(-1) + weights @ value  # (..., T, Dv)
    return new, total, mixture
