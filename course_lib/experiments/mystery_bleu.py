"""A BLEU with one mistake. Lesson 00 asks which: answer there before you read on here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import exp, prod


def mystery_bleu(hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]], max_n: int = 4) -> float:
    """Ranks good above bad, and is wrong.

    Args:
        hypotheses: the tokens of each translation.
        references: the tokens of the right translation of each sentence, in the same order.
        max_n: the longest n-grams that count.

    Returns:
        Between 0 and 100.
    """
    pairs = list(zip(hypotheses, references, strict=True))
    return 100 * sum(_score(*pair, max_n) for pair in pairs) / max(len(pairs), 1)


def _score(hypothesis: Sequence[str], reference: Sequence[str], max_n: int) -> float:
    shares = []
    for n in range(1, max_n + 1):
        ours, theirs = (Counter(zip(*(text[k:] for k in range(n)), strict=False)) for text in (hypothesis, reference))
        shares.append((ours & theirs).total() / max(ours.total(), 1))
    missing = max(0, len(reference) - len(hypothesis)) / max(len(hypothesis), 1)
    return exp(-missing) * prod(shares) ** (1 / max_n)
