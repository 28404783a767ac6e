"""Join several sentences into one, so that a model trained on short sentences sees long ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from random import Random

from course_lib.corpus.pairs import Pair

#: the most sentences to join, and the most English tokens of the result
MOST, LONGEST = 4, 30


def joined(pairs: Sequence[Pair], share: float, seed: int) -> Iterator[Pair]:
    """Join sentences with those that follow, each with its end mark: ``it rained . tom slept .``.

    Args:
        pairs: each of them is used exactly once.
        share: the chance, between 0 and 1, that a pair is joined with the 1 to 3 after it. If the result would be
            longer than 30 English tokens, they stay separate.
        seed: for choosing which sentences are joined, and how many.

    Source: Kondo et al. 2021, "Sentence Concatenation Approach to Data Augmentation for Neural Machine Translation".
    """
    random, rest = Random(f"joined {seed}"), iter(pairs)
    for first in rest:
        chosen = [first]
        if random.random() < share:
            chosen += islice(rest, random.randint(1, MOST - 1))
        if sum(len(pair.source) for pair in chosen) <= LONGEST:
            yield _as_one(chosen)
        else:
            yield from chosen


def _as_one(chosen: Sequence[Pair]) -> Pair:
    source: tuple[str, ...] = ()
    target: tuple[str, ...] = ()
    alignment: tuple[tuple[int, int], ...] = ()
    for pair in chosen:
        alignment += tuple((i + len(source), j + len(target)) for i, j in pair.alignment)
        source, target = source + pair.source, target + pair.target
    combinations = tuple(one for pair in chosen for one in pair.combinations)
    return Pair(source, target, alignment, combinations, max(pair.depth for pair in chosen))
