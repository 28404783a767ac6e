"""Cross-entropy with smoothed labels, over real tokens only.

The mean over the vocabulary is the uniform part's cross-entropy, so a smoothed table (B, T, V) is never built. As
before, padding goes before the mean is taken.
"""

import torch
from torch import Tensor


def label_smoothed_loss(logits: Tensor, labels: Tensor, pad_id: int, smoothing: float = 0.1) -> Tensor:
    """The mean over real tokens of ``(1 - ε) (-log p_label) + ε · 1/V Σ_v (-log p_v)``.

    The label gets the probability ``1 - ε + ε/V`` and every other token ``ε/V``, padding too: the convention
    of ``F.cross_entropy(..., label_smoothing=ε)``. Others spread ε over the V - 1 or V - 2 other tokens.

    Args:
        logits: (B, T, V).
        labels: (B, T) token ids. Positions whose label is ``pad_id`` don't count.
        pad_id: the id of the padding token.
        smoothing: ε, from 0 (plain cross-entropy) to 1.

    Returns:
        A tensor without axes, in nats a token.

    Source: Szegedy et al. 2016, section 7; Vaswani et al. 2017, section 5.4.
    """
    log_probabilities = torch.log_softmax(logits, dim=-1)  # (B, T, V)
    of_label = log_probabilities.gather(-1, labels.unsqueeze(-1)).squeeze(-1)  # (B, T)
    of_all = log_probabilities.mean(dim=-1)  # (B, T)
    losses = -(1 - smoothing) * of_label - smoothing * of_all  # (B, T)
    return losses[labels != pad_id].mean()
