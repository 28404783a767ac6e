"""Beam search: of all translations begun so far, the best few.

An ended hypothesis may only go on with padding, at no cost: it stays in the race with its score unchanged, without a
list of its own. One `topk` over K · V candidates finds parent and word at once, by division and remainder.
"""

import torch
from torch import Tensor

from course_lib.components.transformer import Transformer


@torch.no_grad()
def beam_search(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int, alpha: float = 0.0
) -> tuple[Tensor, Tensor]:
    """Translate a batch, keeping the ``width`` best hypotheses of each sentence at every step.

    A hypothesis's score is ``log P(its tokens | source) / length^alpha``; its length counts the tokens written,
    ``eos_id`` too and ``bos_id`` not. At every step each hypothesis that has not ended goes on with every token of the
    vocabulary. One that has ended goes on in one way only: it keeps its score, its length and its place in the
    comparison. Of all these of one sentence the ``width`` best are kept. The search ends when all of these have
    ended, or after ``max_length`` tokens; the best of them wins, ended or not. With width 1 it is greedy decoding.

    Args:
        model: with the ``encode``, ``decode`` and ``pad_id`` of `Transformer`.
        source: (B, S) token ids, padded.
        bos_id: what every target starts with.
        eos_id: what a target ends with.
        max_length: T_max, at least 1: the most tokens that are written, ``eos_id`` counted.
        width: K, at least 1. There may be fewer than K hypotheses at first.
        alpha: the exponent of the length penalty. With 0 the score is the log-probability, with 1 its mean.

    Returns:
        ``(written, scores)``: the winners (B, T) as in `greedy_decode`, without ``bos_id``, padded after their end, T
        the length of the longest of them; and their scores (B,).

    Source: Lowerre 1976; Wu et al. 2016, section 7, divide by another power, ((5 + length) / 6)^alpha.
    """
    memory, memory_mask = model.encode(source)  # (B, S, D), (B, 1, 1, S)
    written = torch.full((source.size(0), 1, 1), bos_id, device=source.device)  # (B, K, 1), with K = 1 at first
    total = memory.new_zeros(written.shape[:2])  # (B, K): the sum of log-probabilities
    length = torch.zeros_like(total)  # (B, K)
    ended = torch.zeros_like(total, dtype=torch.bool)  # (B, K)
    while written.size(2) <= max_length and not ended.all():
        beams = written.size(1)
        each = (memory.repeat_interleave(beams, dim=0), memory_mask.repeat_interleave(beams, dim=0))
        logits = model.decode(written.flatten(0, 1), *each)[:, -1]  # (B K, V)
        steps = torch.log_softmax(logits, dim=-1).view(-1, beams, logits.size(-1))  # (B, K, V)
        stay = torch.full_like(steps[0, 0], -torch.inf)  # (V,): nothing may follow an end,
        stay[model.pad_id] = 0.0  # but padding, for certain
        totals = total.unsqueeze(2) + torch.where(ended.unsqueeze(2), stay, steps)  # (B, K, V)
        length = length + ~ended  # (B, K)
        scores = (totals / length.unsqueeze(2) ** alpha).flatten(1)  # (B, K V)
        score, best = scores.topk(min(width, scores.size(1)), dim=1)  # (B, K), (B, K): the best first
        parent, token = best // steps.size(2), best % steps.size(2)  # (B, K), (B, K)
        history = written.gather(1, parent.unsqueeze(2).expand(-1, -1, written.size(2)))  # (B, K, t)
        written = torch.cat([history, token.unsqueeze(2)], dim=2)  # (B, K, t + 1)
        total, length = totals.flatten(1).gather(1, best), length.gather(1, parent)  # (B, K), (B, K)
        ended = ended.gather(1, parent) | (token == eos_id)  # (B, K)
    longest = int(length[:, 0].max())
    return written[:, 0, 1 : longest + 1], score[:, 0]
