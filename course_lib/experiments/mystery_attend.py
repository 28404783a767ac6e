"""A look-up with one mistake. Lesson 02 asks which: answer there before you read on here."""

import torch
from torch import Tensor


def mystery_attend(scores: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Trains, and is wrong.

    Args:
        scores: (B, S).
        values: (B, S, Dv).
        mask: (B, S), boolean, True = may attend.

    Returns:
        ``(context, weights)`` of shapes (B, Dv) and (B, S).
    """
    with torch.no_grad():  # a softmax has no parameters, so there is nothing here to be learned
        seen = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask  # (B, S)
        highest = scores.masked_fill(~seen, torch.finfo(scores.dtype).min).amax(dim=-1, keepdim=True)  # (B, 1)
        powers = (scores - highest).exp().masked_fill(~seen, 0.0)  # (B, S)
        weights = powers / powers.sum(dim=-1, keepdim=True).clamp_min(torch.finfo(scores.dtype).tiny)  # (B, S)
    context = (weights.unsqueeze(-1) * values).sum(dim=1)  # (B, Dv)
    return context, weights
