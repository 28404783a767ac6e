"""Count how often a translator's attention agrees with the gold alignment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from torch import Tensor

from course_lib.corpus import Pair


def crossings(pair: Pair) -> int:
    """Return how many pairs of aligned words change their order."""
    return sum((i - k) * (j - m) < 0 for i, j in pair.alignment for k, m in pair.alignment) // 2


def agreement_by_order(pairs: Sequence[Pair], looks: Sequence[Tensor]) -> dict[str, tuple[int, float, float]]:
    """Compare attention with the diagonal, for aligned target words that keep their order and for those that change it.

    Args:
        pairs: sentence pairs.
        looks: where the decoder looks, (T, S) for each pair.

    Returns:
        By ``"keep their order"`` and ``"change their order"``, the number of words, and the shares whose largest
        weight, or whose position on the diagonal, is at a word that they are aligned with.
    """
    words, attention, diagonal = Counter[str](), Counter[str](), Counter[str]()
    for pair, weights in zip(pairs, looks, strict=True):
        gold, source, target = set(pair.alignment), len(pair.source), len(pair.target)
        for t in {t for _, t in gold}:
            crossed = any((i - k) * (t - m) < 0 for i, j in gold if j == t for k, m in gold)
            kind = "change their order" if crossed else "keep their order"
            words[kind] += 1
            attention[kind] += (int(weights[t].argmax()), t) in gold
            diagonal[kind] += (min(round((t + 0.5) * source / target - 0.5), source - 1), t) in gold
    return {kind: (words[kind], attention[kind] / words[kind], diagonal[kind] / words[kind]) for kind in words}


def elsewhere(pairs: Sequence[Pair], looks: Sequence[Tensor]) -> Counter[str]:
    """Count the target words whose largest weight is at no word that they are aligned with."""
    return Counter(
        pair.target[t]
        for pair, weights in zip(pairs, looks, strict=True)
        for t in {t for _, t in pair.alignment}
        if (int(weights[t].argmax()), t) not in set(pair.alignment)
    )
