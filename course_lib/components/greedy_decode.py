"""Greedy decoding: always the likeliest next token, for a batch of sentences at once.

Encoding happens once, before the loop. Sentences that have ended are filled with padding, so that the batch stays one
tensor, and the loop stops when all have ended.
"""

import torch
from torch import Tensor

from course_lib.components.transformer import Transformer


@torch.no_grad()
def greedy_decode(model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    """Translate a batch, one token per step, until every sentence has ended.

    A sentence ends with its first ``eos_id``, and the model's ``pad_id`` follows. The source is encoded
    once. The model has to be in evaluation mode: with dropout, its translations would be random, too.

    Args:
        model: with the ``encode``, ``decode`` and ``pad_id`` of `Transformer`.
        source: (B, S) token ids, padded.
        bos_id: what every target starts with.
        eos_id: what a target ends with.
        max_length: T_max, at least 1: the largest number of tokens to write, ``eos_id`` included.

    Returns:
        (B, T) token ids: what was written, without ``bos_id``, with ``eos_id`` if a sentence has ended. T is the
        length of the longest, at most T_max.

    Source: CSC401, "Transformers", assignment 2, row 15 of its marking table.
    """
    memory, memory_mask = model.encode(source)  # (B, S, D), (B, 1, 1, S)
    written = torch.full((source.size(0), 1), bos_id, device=source.device)  # (B, 1)
    ended = torch.zeros(source.size(0), dtype=torch.bool, device=source.device)  # (B,)
    while written.size(1) <= max_length and not ended.all():
        logits = model.decode(written, memory, memory_mask)[:, -1]  # (B, V)
        token = logits.argmax(dim=-1).masked_fill(ended, model.pad_id)  # (B,)
        written = torch.cat([written, token.unsqueeze(1)], dim=1)  # (B, t + 1)
        ended = ended | (token == eos_id)  # (B,)
    return written[:, 1:]
