"""Attention in chunks with one mistake. Lesson 14 asks which: answer there before you read on here."""

from __future__ import annotations

import math

import torch
from torch import Tensor


def mystery(query: Tensor, key: Tensor, value: Tensor, chunk_size: int, mask: Tensor | None = None) -> Tensor:
    """Attention, one chunk of keys after the other: (..., T, Dk), (..., S, Dk) and (..., S, Dv) to (..., T, Dv)."""
    largest = sums = query.new_zeros(query.shape[:-1])  # (..., T)
    mixed = query.new_zeros(*query.shape[:-1], value.size(-1))  # (..., T, Dv)
    seen = torch.ones_like(key[..., 0], dtype=torch.bool).unsqueeze(-2) if mask is None else mask  # (..., 1 or T, S)
    parts = ((key, -2), (value, -2), (seen, -1))
    for keys, values, open_ in zip(*(torch.split(x, chunk_size, dim=axis) for x, axis in parts), strict=True):
        scores = torch.where(open_, query @ keys.mT / math.sqrt(query.size(-1)), -math.inf)  # (..., T, C)
        before, largest = largest, torch.maximum(largest, scores.amax(dim=-1))  # (..., T) each
        weights = torch.exp(scores - largest[..., None])  # (..., T, C)
        sums = sums * torch.exp(before - largest) + weights.sum(dim=-1)  # (..., T)
        mixed = mixed * torch.exp(before - largest)[..., None] + weights @ values  # (..., T, Dv)
    return mixed / sums.masked_fill(sums == 0, 1.0)[..., None]
