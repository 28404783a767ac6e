"""The paired bootstrap equals one that adds up each sentence's counts in NumPy, on the same samples."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray
from test_components import random_corpus

from course_lib.components import clipped_counts, paired_bootstrap


def table(system: list[list[str]], references: list[list[str]]) -> NDArray[np.float64]:
    """Return for each sentence: matches and totals of four orders, and both lengths."""
    return np.array(
        [
            [*np.ravel([clipped_counts(ours, right, n) for n in (1, 2, 3, 4)]), len(ours), len(right)]
            for ours, right in zip(system, references, strict=True)
        ],
        dtype=float,
    )  # (sentences, 10)


def bleu(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return BLEU of each row of summed counts, rounded so that ties are ties."""
    matches, totals, ours, right = counts[:, 0:8:2], counts[:, 1:8:2], counts[:, 8], counts[:, 9]
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.exp(np.log(matches / np.maximum(totals, 1)).mean(axis=1))
        return np.round(mean * np.exp(np.minimum(0, 1 - right / ours)), 12)  # type: ignore[no-any-return]


@pytest.mark.parametrize("seed", range(30))
def test_the_share_of_wins_equals_numpys(seed: int) -> None:
    random = Random(seed)
    hypotheses, references = random_corpus(random)
    others = [random.choice((ours, right, right[:-1])) for ours, right in zip(hypotheses, references, strict=True)]
    n = len(references)
    samples = np.random.default_rng(seed).integers(0, n, (50, n))
    first, second = (bleu(table(system, references)[samples].sum(axis=1)) for system in (hypotheses, others))
    assert paired_bootstrap(hypotheses, others, references, samples.tolist()) == np.mean(first > second)
