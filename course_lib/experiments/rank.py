"""What share of an attention matrix is explained by its largest singular values."""

from __future__ import annotations

from itertools import islice

import torch
from torch import Tensor

from course_lib.corpus import generate
from course_lib.experiments.series import Series
from course_lib.translator import load_translator
from course_lib.translator.recorded_attention import recorded_attention

#: the longest sentences that the translator was trained on
LENGTH, SENTENCES = 14, 50


def share_held(weights: Tensor) -> list[float]:
    """Return the share of the sum of squares explained by the largest 1, 2, … singular values.

    Args:
        weights: (B, T, T); the mean over B is returned.
    """
    squares = torch.linalg.svdvals(weights.double()) ** 2  # (B, T)
    shares = squares.cumsum(dim=-1) / squares.sum(dim=-1, keepdim=True)  # (B, T)
    return [float(share) for share in shares.mean(dim=0)]


def trained_weights(seed: int) -> Tensor:
    """Return the self-attention of the shipped translator's encoder, all layers and heads: (B, T, T)."""
    translator = load_translator()
    pairs = (pair for pair in generate(100 + seed, "held_out") if len(pair.source) == LENGTH)
    ids = [[translator.english_ids[word] for word in pair.source] for pair in islice(pairs, SENTENCES)]
    with torch.no_grad(), recorded_attention(translator.network, "self_attention", "self_attn") as heads:
        translator.network.encode(torch.tensor(ids))  # type: ignore[operator]
    return torch.cat([weights.flatten(0, 1) for weights in heads])


def random_weights(seed: int) -> Tensor:
    """Return attention weights of random queries and keys, as many as those of the translator: (B, T, T)."""
    generator = torch.Generator().manual_seed(seed)
    return torch.softmax(torch.randn(SENTENCES * 8, LENGTH, LENGTH, generator=generator), dim=-1)


def share_of_singular_values(seed: int) -> Series:
    """Return the share that the largest singular values explain, for three matrices.

    Returns:
        ``values``: how many; ``trained``; ``random``; ``shift``: every word looks only at the one before it, and the
        first at itself.
    """
    return {
        "values": [float(i) for i in range(1, LENGTH + 1)],
        "trained": share_held(trained_weights(seed)),
        "random": share_held(random_weights(seed)),
        "shift": share_held(_shift()),
    }


def _shift() -> Tensor:
    """Let every word look at the one before it, and the first at itself: (1, T, T)."""
    return torch.eye(LENGTH)[[0, *range(LENGTH - 1)]][None]
