"""One step of online softmax: sum over a row of weights without ever having the whole row in memory.

What was summed so far is rescaled when a larger score turns up; that factor is all there is to it. `shift` replaces
a maximum that is still minus infinity, because its difference with itself would be NaN.
"""

import torch
from torch import Tensor


def online_softmax(
    maximum: Tensor, total: Tensor, mixture: Tensor, scores: Tensor, value: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Take up the scores and values of one more chunk of keys.

    Whatever order the chunks come in, ``mixture / total`` ends up as what softmax over all scores makes of the values.
    No exponential is larger than 1, since each is taken relative to the largest score so far.

    Args:
        maximum: (..., T), each query's largest score so far; minus infinity where there was none.
        total: (..., T), the sum of ``exp(score - maximum)`` over all scores so far.
        mixture: (..., T, Dv), the sum of ``exp(score - maximum) * value`` so far.
        scores: (..., T, C), those of the chunk; minus infinity where a key is masked.
        value: (..., C, Dv), its values.

    Returns:
        ``(maximum, total, mixture)`` with the chunk taken up. Where all scores so far are minus infinity, ``maximum``
        stays at that, and the sums stay 0.

    Source: Milakov & Gimelshein 2018, algorithm 3; Dao et al. 2022, section 3.1.
    """
    new = torch.maximum(maximum, scores.amax(dim=-1))  # (..., T)
    shift = new.masked_fill(new == -torch.inf, 0.0)  # (..., T): minus infinity less itself would be nan
    shrink = torch.exp(maximum - shift)  # (..., T): what earlier exponentials are worth by the new maximum
    weights = torch.exp(scores - shift.unsqueeze(-1))  # (..., T, C)
    total = total * shrink + weights.sum(dim=-1)  # (..., T)
    mixture = mixture * shrink.unsqueeze(-1) + weights @ value  # (..., T, Dv)
    return new, total, mixture
