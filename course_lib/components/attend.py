"""From scores to what attention brings back: weights that sum to 1, and a mean of the values.

The smallest finite number instead of minus infinity: a row in which nothing may be attended to stays free of NaN. Its
weights would then be equal, so they're set to 0 after the softmax; for every other row that changes nothing.
"""

import torch
from torch import Tensor


def attend(scores: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """One query's attention: ``α = softmax(e)``, ``a = Σ_i α_i v_i``.

    Args:
        scores: e, (B, S), one score for each key.
        values: v_1 … v_S, (B, S, Dv).
        mask: (B, S), boolean, **True = may attend**. A masked key gets weight 0. A sentence whose
            keys are all masked gets weights and context of zeros.

    Returns:
        ``(context, weights)``: a, (B, Dv), and α, (B, S).

    Source: COS 484 lecture 8, "Recap: Attention"; CSCE 638 lecture 7, "RNN with Attention".
    """
    if mask is not None:
        # the lowest finite number, not -inf: a softmax over nothing but -inf is NaN
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)  # (B, S)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)  # matters only where every key is masked
    context = (weights.unsqueeze(1) @ values).squeeze(1)  # (B, Dv)
    return context, weights
