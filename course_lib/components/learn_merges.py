"""Byte-pair merges, learned: which pairs of pieces are worth a piece of their own.

The pieces of each word are kept from step to step, so that each step applies only the newest merge. The key of `min`
sorts by falling count and then by the pair itself, which settles ties.
"""

from collections import Counter
from collections.abc import Mapping
from itertools import pairwise

from course_lib.components.apply_merges import apply_merges


def learn_merges(counts: Mapping[str, int], steps: int) -> list[tuple[str, str]]:
    """Learn byte-pair merges from the words of a text.

    At first, the pieces of each word are its letters. Each step finds the pair of neighbouring pieces
    that is most frequent in the text, and joins it in all words. Of equally frequent pairs, it takes
    the one that Python sorts first. Pairs never reach from one word into the next.

    Args:
        counts: how often each word occurs in the text. A pair that a word contains twice counts twice for it.
        steps: the number of merges to learn.

    Returns:
        The merges, in the order in which they were learned. There are fewer than ``steps`` only if no
        word has a pair left.

    Source: Sennrich et al. 2016, section 3.2 and algorithm 1.
    """
    words = {word: list(word) for word in counts}
    merges: list[tuple[str, str]] = []
    for _ in range(steps):
        pairs: Counter[tuple[str, str]] = Counter()
        for word, pieces in words.items():
            for pair in pairwise(pieces):
                pairs[pair] += counts[word]
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merges.append(best)
        words = {word: apply_merges(pieces, [best]) for word, pieces in words.items()}
    return merges
