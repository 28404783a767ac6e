"""Clipped n-gram counts: how much of a translation stands in the reference."""

from collections import Counter
from collections.abc import Sequence


def clipped_counts(hypothesis: Sequence[str], reference: Sequence[str], n: int) -> tuple[int, int]:
    """Count the n-grams of a translation, and those of them that the reference has too.

    An n-gram is n tokens in a row. One that the reference has twice matches at most twice,
    however often the translation repeats it: its count is *clipped*.

    Args:
        hypothesis: the tokens of the translation that is judged.
        reference: the tokens of the right one.
        n: how many tokens are taken at a time, from 1.

    Returns:
        ``(matches, total)``: the clipped matches, and all n-grams of the hypothesis: 0 where it
        is shorter than n.

    Source: Papineni et al. 2002, section 2.1.1, "modified n-gram precision".
    """
    ours, theirs = (
        Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)) for tokens in (hypothesis, reference)
    )
    matches = sum(min(count, theirs[ngram]) for ngram, count in ours.items())
    return matches, sum(ours.values())
