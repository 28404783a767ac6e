"""A beam search with one mistake. Lesson 10 asks which: answer there before you read on here."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor


@torch.no_grad()
def mystery_beam_search(
    model: Any, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int, alpha: float = 0.0
) -> tuple[Tensor, Tensor]:
    """Translates, and is wrong.

    Args:
        model: with the ``encode``, ``decode`` and ``pad_id`` of a Transformer.
        source: (B, S) token ids, padded.
        bos_id: what every target starts with.
        eos_id: what a target ends with.
        max_length: the most tokens that are written.
        width: how many hypotheses are kept.
        alpha: the exponent of the length penalty.

    Returns:
        The translations (B, T), and their scores (B,).
    """
    encoded = [model.encode(sentence.unsqueeze(0)) for sentence in source]
    # of each sentence a beam, of each hypothesis its tokens and its log-probability
    beams: list[list[tuple[list[int], float]]] = [[([bos_id], 0.0)] for _ in encoded]
    scores = [0.0 for _ in encoded]
    for place in range(1, max_length + 1):
        for number, (memory, memory_mask) in enumerate(encoded):
            beam = beams[number]
            batch = torch.tensor([tokens for tokens, _ in beam])  # (K, t)
            memories = memory.expand(len(beam), -1, -1), memory_mask.expand(len(beam), -1, -1, -1)
            steps = model.decode(batch, *memories)[:, -1].log_softmax(dim=-1)  # (K, V)
            likely = steps.topk(min(width, steps.size(1)), dim=1)  # (K, few): a hypothesis needs no more children
            grown: list[tuple[list[int], float]] = []
            for (tokens, total), logs, words in zip(beam, likely.values.tolist(), likely.indices.tolist(), strict=True):
                if eos_id in tokens:
                    grown.append(([*tokens, model.pad_id], total))
                else:
                    grown += [([*tokens, word], total + log) for word, log in zip(words, logs, strict=True)]
            grown.sort(key=lambda hypothesis: hypothesis[1] / place**alpha, reverse=True)
            beams[number] = grown[:width]
            scores[number] = grown[0][1] / place**alpha
        if all(eos_id in tokens for beam in beams for tokens, _ in beam):
            break
    return torch.tensor([beam[0][0][1:] for beam in beams]), torch.tensor(scores)
