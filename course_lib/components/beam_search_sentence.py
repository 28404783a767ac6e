"""Beam search for one sentence: of all translations begun so far, the best few, in a Python list.

An ended hypothesis remains a candidate as it is, so that others have to be better to replace it.
"""

import torch
from torch import Tensor

from course_lib.components.transformer import Transformer


@torch.no_grad()
def beam_search_sentence(
    model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int, width: int
) -> tuple[list[int], float]:
    """Translate one sentence, keeping the ``width`` best hypotheses at every step.

    A hypothesis's score is ``log P(its tokens | source)``, the sum of the log-probabilities of the tokens written,
    ``eos_id`` too. At every step, each hypothesis that has not ended is extended by every token of the vocabulary. One
    that has ended is a candidate as it is. The ``width`` best of all candidates are kept. The search ends when all of
    them have ended, or after ``max_length`` tokens; the best of them wins, ended or not. With width 1 it is greedy
    decoding. The source is encoded once.

    Args:
        model: with the ``encode`` and ``decode`` of `Transformer`, in evaluation mode.
        source: (1, S) token ids of one sentence, without padding.
        bos_id: what every target starts with.
        eos_id: what a target ends with.
        max_length: T_max, at least 1: the largest number of tokens to write, ``eos_id`` included.
        width: K, at least 1. There may be fewer than K hypotheses at first.

    Returns:
        ``(written, score)``: the winner's token ids, a list of T integers, without ``bos_id``, with ``eos_id`` if it
        has ended; and its log-probability, a Python float.

    Source: Lowerre 1976.
    """
    memory, memory_mask = model.encode(source)  # (1, S, D), (1, 1, 1, S)
    beam = [([bos_id], 0.0)]  # for each hypothesis its ids, and the sum of their log-probabilities
    for _ in range(max_length):
        if all(ids[-1] == eos_id for ids, _ in beam):
            break
        candidates = []
        for ids, total in beam:
            if ids[-1] == eos_id:
                candidates.append((ids, total))
                continue
            target = torch.tensor([ids], device=source.device)  # (1, t)
            logits = model.decode(target, memory, memory_mask)[0, -1]  # (V,)
            steps = torch.log_softmax(logits, dim=-1).tolist()  # V numbers
            candidates += [([*ids, token], total + step) for token, step in enumerate(steps)]
        beam = sorted(candidates, key=lambda candidate: candidate[1], reverse=True)[:width]
    ids, total = beam[0]
    return ids[1:], total
