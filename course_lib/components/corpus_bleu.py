"""BLEU: a score for the translation of a whole corpus."""

import math
from collections.abc import Sequence

from course_lib.components.brevity_penalty import brevity_penalty
from course_lib.components.clipped_counts import clipped_counts


def corpus_bleu(hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]], max_n: int = 4) -> float:
    """BLEU of a corpus, in percent: the geometric mean of the n-gram precisions, times the brevity penalty.

    The precision of order n is the sum of all sentences' clipped matches over the sum of all
    their n-grams: counts are added up first and divided once, over the whole corpus. It is 0
    where there are no n-grams. One precision of 0 makes BLEU 0: nothing is smoothed.

    Args:
        hypotheses: the tokens of each translation.
        references: the tokens of the right translation of each sentence, in the same order.
        max_n: the longest n-grams that count; orders 1 to ``max_n`` weigh alike.

    Returns:
        Between 0 and 100; 0 for a corpus without sentences.

    Raises:
        ValueError: there are not as many references as hypotheses.

    Source: Papineni et al. 2002, section 2.3. On tokens it equals sacreBLEU (Post 2018) with
    ``smooth_method="none"``, and with its default too wherever each order has a match.
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
