"""The paired bootstrap: would the better system still be better on other sentences?

Both systems are scored on the same resampled sentences, which is what makes the test *paired*. The loop reads like
the definition. It would be faster to count the n-grams of each sentence once and add up the counts.
"""

from collections.abc import Sequence

from course_lib.components.corpus_bleu import corpus_bleu


def paired_bootstrap(
    first: Sequence[Sequence[str]],
    second: Sequence[Sequence[str]],
    references: Sequence[Sequence[str]],
    samples: Sequence[Sequence[int]],
) -> float:
    """The share of resampled test sets on which the first system has the higher BLEU.

    A sample is a list of sentence numbers, sampled with replacement: a number that occurs
    twice means that the sentence counts twice. A tie is not a win.

    Args:
        first: the tokens of the first system's translations.
        second: the tokens of the second system's translations of the same sentences.
        references: the tokens of the correct translations.
        samples: the samples, at least one; sentences are numbered from 0.

    Returns:
        A number between 0 and 1.

    Source: Koehn 2004.
    """
    wins = 0
    for sample in samples:
        right = [references[i] for i in sample]
        ours, theirs = (corpus_bleu([system[i] for i in sample], right) for system in (first, second))
        wins += ours > theirs
    return wins / len(samples)
