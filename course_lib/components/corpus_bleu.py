"""BLEU: a score for the translation of a whole corpus.

Matches and totals are summed over all sentences *before* the division: that's what makes it a corpus score.
Logarithms are added instead of multiplying precisions, so the geometric mean is one `exp` at the end.
"""

import math
from collections.abc import Sequence

from course_lib.components.brevity_penalty import brevity_penalty
from course_lib.components.clipped_counts import clipped_counts


def corpus_bleu(hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]], max_n: int = 4) -> float:
    """BLEU of a corpus, in percent: the geometric mean of the n-gram precisions, times the brevity penalty.

    The precision of order n is a ratio of two sums over all sentences: their clipped matches, and
    their n-grams. So counts are added up first and divided once. It is 0 if there are no n-grams.
    Nothing is smoothed: one precision of 0 makes BLEU 0.

    Args:
        hypotheses: the tokens of each translation.
        references: the tokens of each correct translation, in the same order.
        max_n: the highest order; orders 1 to ``max_n`` count equally.

    Returns:
        A number between 0 and 100, and 0 for a corpus without sentences.

    Raises:
        ValueError: the numbers of hypotheses and references differ.

    Source: Papineni et al. 2002, section 2.3. On tokens it equals sacreBLEU (Post 2018) with
    ``smooth_method="none"``, and with its default wherever each order has a match.
    """
    logarithms = 0.0
    for n in range(1, max_n + 1):
        matches = total = 0
        for hypothesis, reference in zip(hypotheses, references, strict=True):  # strict: or ValueError
            matched, counted = clipped_counts(hypothesis, reference, n)
            matches, total = matches + matched, total + counted
        if matches == 0:
            return 0.0
        logarithms += math.log(matches / total)
    penalty = brevity_penalty(sum(map(len, hypotheses)), sum(map(len, references)))
    return 100 * penalty * math.exp(logarithms / max_n)
