"""The corruption of a masked language model with one mistake. Lesson 15 asks which: answer there before you read on."""

from __future__ import annotations

import torch
from torch import Tensor


def mystery(
    ids: Tensor, uniform: Tensor, replacements: Tensor, mask_id: int, rate: float = 0.15, num_special: int = 4
) -> tuple[Tensor, Tensor]:
    """What the model reads and what it is asked, (B, T) each, from ids (B, T)."""
    share = torch.where(ids < num_special, torch.inf, uniform / rate)  # (B, T): below 1 where something may happen
    read = torch.where(share < 0.9, replacements, ids)
    read = torch.where(share < 0.8, mask_id, read)
    return read, torch.where(read != ids, ids, -100)
