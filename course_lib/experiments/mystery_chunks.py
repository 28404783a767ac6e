"""Attention in chunks with one mistake. Lesson 12 asks which: answer there before you read on here."""

from __future__ import annotations

import math

import torch
from torch import Tensor


def mystery(query: Tensor, key: Tensor, value: Tensor, chunk_size: int, mask: Tensor | None = None) -> Tensor:
    """Attention, one chunk of keys after the other: (..., T, Dk), (..., S, Dk) and (..., S, Dv) to (..., T, Dv)."""
    largest = sums = query.new_zeros(query.shape[:-1])  # (..., T)
    mixed = query.new_zeros(*query.shape[:-1], value.size(-1))  # (..., T, Dv)
    for start in range(0, key.size(-2), chunk_size):
        keys, values = (x[..., start : start + chunk_size, :] for x in (key, value))  # (..., C, Dk), (..., C, Dv)
        scores = query @ keys.mT / math.sqrt(query.size(-1))  # (..., T, C)
        if mask is not None:
            scores = scores.masked_fill(~mask[..., start : start + chunk_size], -math.inf)
        before, largest = largest, torch.maximum(largest, scores.amax(dim=-1))  # (..., T) each
        weights = torch.exp(scores - largest[..., None])  # (..., T, C)
        sums = sums * torch.exp(before - largest) + weights.sum(dim=-1)  # (..., T)
        mixed = mixed * torch.exp(before - largest)[..., None] + weights @ values  # (..., T, Dv)
    return mixed / sums.masked_fill(sums == 0, 1.0)[..., None]
