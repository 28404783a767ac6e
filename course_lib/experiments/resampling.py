"""Experiments of lesson 00: how far the BLEU of a test set can be trusted.

BLEU needs only sums over sentences. So each sentence is counted once, with your `clipped_counts`, and a resampled test
set is a sum of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from course_lib.corpus import Pair, generate
from course_lib.experiments.series import Series
from course_lib.experiments.the_task import PAIRS, make_dictionary, word_by_word

Numbers = NDArray[Any]
#: ``(hypothesis, reference, n) -> (matches, total)``
ClippedCounts = Callable[..., tuple[int, int]]

#: the pairs that the dictionaries are made from, the largest first
SIZES = (PAIRS, 2000, 1000)
#: test sentences: of one test set, and all
SENTENCES, ALL = 1000, 8000
#: how often a test set is resampled, and how many test sets of each size are tried
RESAMPLED, TEST_SETS = 1000, 100
#: a difference counts as real if it is found on this share of the resampled test sets
CONVINCING = 0.95


def resamples(sentences: int, times: int, seed: int) -> list[list[int]]:
    """Return lists of as many sentence numbers as there are sentences, drawn with replacement."""
    drawn: list[list[int]] = np.random.default_rng(seed).integers(0, sentences, (times, sentences)).tolist()
    return drawn


def translations(seed: int, sentences: int) -> tuple[dict[int, list[list[str]]], list[tuple[str, ...]]]:
    """Return what dictionaries made from different numbers of pairs say to new sentences, and the references."""
    training = list(islice(generate(seed), PAIRS))
    new: list[Pair] = list(islice(generate(1000 + seed, "held_out", distinct=True), sentences))
    said = {}
    for size in SIZES:
        dictionary = make_dictionary(training[:size])
        said[size] = [word_by_word(pair.source, dictionary) for pair in new]
    return said, [pair.target for pair in new]


def counted(
    clipped_counts: ClippedCounts, hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]]
) -> Numbers:
    """Return each sentence's matches and totals for n = 1 to 4, and both lengths: (sentences, 10)."""
    return np.array(
        [
            [*np.ravel([clipped_counts(ours, right, n) for n in range(1, 5)]), len(ours), len(right)]
            for ours, right in zip(hypotheses, references, strict=True)
        ]
    )


def bleu(sums: Numbers) -> Numbers:
    """Return BLEU for each row of summed counts: (…, 10) to (…)."""
    matches, totals, ours, right = sums[..., 0:8:2], sums[..., 1:8:2], sums[..., 8], sums[..., 9]
    with np.errstate(divide="ignore"):
        logarithms: Numbers = np.log(matches / np.maximum(totals, 1)).mean(axis=-1)
    scores: Numbers = 100 * np.exp(logarithms + np.minimum(0, 1 - right / np.maximum(ours, 1)))
    return scores


def resampled_scores(clipped_counts: ClippedCounts, seed: int) -> dict[int, Numbers]:
    """Return the BLEU of each dictionary on the same resampled test sets, by the pairs that it is made from."""
    said, references = translations(seed, SENTENCES)
    numbers = np.array(resamples(SENTENCES, RESAMPLED, seed))
    return {size: bleu(counted(clipped_counts, said[size], references)[numbers].sum(axis=1)) for size in SIZES}


def interval(clipped_counts: ClippedCounts, seed: int) -> Series:
    """Return the width of the interval that has 95 % of the resampled scores: of two systems, and of their difference.

    Also return the share of the resampled test sets on which the largest dictionary beats the smallest.
    """
    scores = resampled_scores(clipped_counts, seed)
    large, small = scores[SIZES[0]], scores[SIZES[-1]]
    widths = [float(np.subtract(*np.percentile(each, [97.5, 2.5]))) for each in (large, small, large - small)]
    names = ("large", "small", "difference")
    return {
        "sentences": [float(SENTENCES)],
        **{name: [width] for name, width in zip(names, widths, strict=True)},
        "share": [float((large > small).mean())],
    }


def found(clipped_counts: ClippedCounts, seed: int) -> Series:
    """Return on which share of the test sets the largest dictionary is found to be better, by their sentences.

    There are two differences: to the smallest dictionary (``wide``) and to the middle one (``narrow``).
    """
    said, references = translations(seed, ALL)
    rows = {size: counted(clipped_counts, said[size], references) for size in SIZES}
    random = np.random.default_rng(seed)
    sizes = (50, 100, 200, 500, 1000)
    series: Series = {"sentences": [float(size) for size in sizes], "wide": [], "narrow": []}
    for size in sizes:
        convinced = {"wide": 0, "narrow": 0}
        for _ in range(TEST_SETS):
            chosen = random.choice(ALL, size, replace=False)
            numbers = random.integers(0, size, (200, size))
            scores = {pairs: bleu(table[chosen][numbers].sum(axis=1)) for pairs, table in rows.items()}
            for name, other in (("wide", SIZES[2]), ("narrow", SIZES[1])):
                convinced[name] += bool((scores[SIZES[0]] > scores[other]).mean() >= CONVINCING)
        for name, times in convinced.items():
            series[name].append(times / TEST_SETS)
    return series


def gaps(clipped_counts: ClippedCounts, seed: int) -> Series:
    """Return by how much BLEU the largest dictionary is better than the others on all test sentences."""
    said, references = translations(seed, ALL)
    scores = {size: float(bleu(counted(clipped_counts, said[size], references).sum(axis=0))) for size in SIZES}
    return {"pairs": [float(size) for size in SIZES[1:]], "gap": [scores[SIZES[0]] - scores[s] for s in SIZES[1:]]}


#: what ``make experiments`` records, by name: functions of your `clipped_counts` and a seed
EXPERIMENTS: dict[str, Callable[[ClippedCounts, int], Series]] = {"interval": interval, "found": found, "gaps": gaps}
