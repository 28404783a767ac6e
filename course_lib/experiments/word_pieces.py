"""Experiments of lesson 00: into how many pieces byte-pair merges cut words, seen and unseen.

Those that need merges take your `learn_merges` and `apply_merges` first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from statistics import fmean

from course_lib.corpus import generate
from course_lib.experiments.series import Series

Merges = Sequence[tuple[str, str]]
#: marks the beginning of a word
MARK = "▁"
#: the numbers of merges to try
STEPS = (0, 50, 100, 200, 300, 400, 600, 800)
#: the number of pairs to learn from, and of new pairs
PAIRS, NEW = 5000, 3000


@dataclass(frozen=True)
class Parts:
    """What the experiments need: how merges are learned and applied."""

    learn_merges: Callable[[Mapping[str, int], int], list[tuple[str, str]]]
    apply_merges: Callable[[Sequence[str], Merges], list[str]]


def word_counts(sentences: Iterable[Sequence[str]]) -> Counter[str]:
    """Count the words of a text, each with the mark in front."""
    return Counter(MARK + word for sentence in sentences for word in sentence)


def pieces_by_merges(parts: Parts, seed: int) -> Series:
    """Return the pieces per French word, by the number of merges: in training text, and in words that it lacks."""
    text = word_counts(pair.target for pair in islice(generate(seed), PAIRS))
    new = word_counts(pair.target for pair in islice(generate(1000 + seed, "held_out"), NEW)).keys() - text.keys()
    merges = parts.learn_merges(text, max(STEPS))
    series: Series = {"merges": [], "text": [], "unseen": []}
    for steps in STEPS:
        pieces = {word: len(parts.apply_merges(word, merges[:steps])) for word in text.keys() | new}
        series["merges"].append(float(steps))
        series["text"].append(sum(count * pieces[word] for word, count in text.items()) / text.total())
        series["unseen"].append(fmean(pieces[word] for word in new))
    return series


def plurals(parts: Parts, seed: int) -> Series:
    """Return the share of unseen English plurals whose pieces begin with all pieces of the singular.

    Plurals are taken out of the text before merges are learned. The mark is put in front of each word, or at its end.
    """
    text = Counter(word for pair in islice(generate(seed), PAIRS) for word in pair.source)
    singulars = [word for word in text if len(word) > 2 and word + "s" in text]
    seen = {word: count for word, count in text.items() if word.removesuffix("s") not in singulars or word in singulars}
    series: Series = {"merges": [float(steps) for steps in STEPS[2:6]], "front": [], "end": []}
    for name, before, after in (("front", MARK, ""), ("end", "", MARK)):
        merges = parts.learn_merges({before + word + after: count for word, count in seen.items()}, STEPS[5])
        for steps in STEPS[2:6]:
            shared = []
            for word in singulars:
                one, many = (parts.apply_merges(before + w + after, merges[:steps]) for w in (word, word + "s"))
                shared.append(many[: len(one)] == one)
            series[name].append(fmean(shared))
    return series


#: what ``make experiments`` records, by name: functions of `Parts` and a seed
EXPERIMENTS: dict[str, Callable[[Parts, int], Series]] = {"pieces_by_merges": pieces_by_merges, "plurals": plurals}
