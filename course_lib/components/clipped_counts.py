"""Clipped n-gram counts: how much of a translation is in the reference.

A `Counter` says 0 for what it hasn't seen, so no n-gram needs an `if`. Tuples, because a list can't be counted; and a
sentence shorter than n gives an empty range, not a special case.
"""

from collections import Counter
from collections.abc import Sequence


def clipped_counts(hypothesis: Sequence[str], reference: Sequence[str], n: int) -> tuple[int, int]:
    """Count the n-grams of a translation, and how many of them match the reference.

    An n-gram is n tokens in a row. One that occurs twice in the reference matches at most twice,
    however often the translation repeats it: its count is *clipped*.

    Args:
        hypothesis: the tokens of the translation to be scored.
        reference: the tokens of the correct translation.
        n: the number of tokens in an n-gram, at least 1.

    Returns:
        ``(matches, total)``: the number of clipped matches, and the number of all n-grams of the
        hypothesis. Both are 0 if it is shorter than n.

    Source: Papineni et al. 2002, section 2.1, "modified n-gram precision".
    """
    ours, theirs = (
        Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)) for tokens in (hypothesis, reference)
    )
    matches = sum(min(count, theirs[ngram]) for ngram, count in ours.items())
    return matches, sum(ours.values())
