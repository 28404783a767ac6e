"""Exercise `paired_bootstrap`: on which share of resampled test sets one system beats the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from autograder.exercises.definition import Outline
from autograder.exercises.lesson_00.words import words
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Call, Calls, Question
from course_lib.checking.rules import equals_reference, inputs_unchanged
from course_lib.components import corpus_bleu

RETURNS = ["share"]
Sentence = list[str]
Samples = Sequence[Sequence[int]]
#: numbers of samples that the first system wins, that it loses, and that are ties; no share is one half
BY_HAND = [(w, s, t) for w, s, t in product(range(1, 8), range(1, 8), (1, 2, 3)) if w not in (s, s + t)]


@dataclass(frozen=True)
class Systems:
    """Two systems' translations of a few sentences, and the references."""

    first: list[Sentence]
    second: list[Sentence]
    references: list[Sentence]

    def about(self, samples: Samples) -> dict[str, object]:
        """Return the arguments of a question."""
        return {"first": self.first, "second": self.second, "references": self.references, "samples": samples}

    def outcomes(self, samples: Samples, others: Samples | None = None, aligned: bool = True) -> list[int]:
        """Return 1 for each sample that the first system wins, -1 for each that it loses, and 0 for each tie.

        Args:
            others: what the second system is scored on, if not on the same samples.
            aligned: resample the references, too.
        """

        def score(system: Sequence[Sentence], sample: Sequence[int]) -> float:
            right = [self.references[i] for i in sample] if aligned else self.references
            return corpus_bleu([system[i] for i in sample], right)

        pairs = zip(samples, samples if others is None else others, strict=True)
        scores = [(score(self.first, ours), score(self.second, theirs)) for ours, theirs in pairs]
        return [(ours > theirs) - (ours < theirs) for ours, theirs in scores]

    def unpaired(self, samples: Samples) -> list[int]:
        """Return the outcomes if the second system is scored on the next sample."""
        return self.outcomes(samples, [*samples[1:], samples[0]])

    def averaged(self, samples: Samples) -> list[int]:
        """Return the outcomes if the scores of single sentences are averaged."""
        first, second = (
            [corpus_bleu([ours], [right]) for ours, right in zip(system, self.references, strict=True)]
            for system in (self.first, self.second)
        )
        gaps = [sum(first[i] - second[i] for i in sample) for sample in samples]
        return [(gap > 1e-9) - (gap < -1e-9) for gap in gaps]


def _spoilt(sentence: Sequence[str], *positions: int) -> Sentence:
    return [f"no{word}" if position in positions else word for position, word in enumerate(sentence)]


def _references(sampler: Sampler) -> list[Sentence]:
    """Return three sentences of different lengths."""
    return [words(sampler, length) for length in sampler.shuffled((7, 8, 9))]


def _systems(sampler: Sampler) -> Systems:
    """Return two systems: the first is better on sentence 0, the second on 1, and they are equal on 2."""
    references = _references(sampler)
    a, b, c = references
    return Systems([a, _spoilt(b, 5), _spoilt(c, 0)], [_spoilt(a, 5), b, _spoilt(c, 0)], references)


def _by_hand(sampler: Sampler) -> dict[str, object]:
    """Return a question whose samples repeat one sentence, so that it is clear who wins."""
    systems = _systems(sampler)
    while True:
        wins, losses, ties = sampler.shuffled(BY_HAND)[0]
        samples = sampler.shuffled([[0] * 3] * wins + [[1] * 3] * losses + [[2] * 3] * ties)
        if systems.unpaired(samples).count(1) != wins:
            return systems.about(samples)


def _drawn(sampler: Sampler) -> dict[str, object]:
    """Return a question with five sentences and random samples on which all usual mistakes give another share."""
    while True:
        references = [words(sampler, length) for length in sampler.shuffled((4, 6, 8, 9, 11))]
        first, second = ([_damaged(sampler, sentence) for sentence in references] for _ in range(2))
        systems = Systems(first, second, references)
        samples = [[sampler.shuffled(range(5))[0] for _ in range(5)] for _ in range(15)]
        if _tells_apart(systems, samples):
            return systems.about(samples)


def _damaged(sampler: Sampler, sentence: Sentence) -> Sentence:
    """Return the sentence with at most two other words."""
    return _spoilt(sentence, *sampler.shuffled(range(len(sentence)))[: sampler.shuffled((0, 1, 1, 2))[0]])


def _tells_apart(systems: Systems, samples: Samples) -> bool:
    """Return whether there are no ties, and usual mistakes find other numbers of wins than the right one."""
    right = systems.outcomes(samples)
    without_repeats = systems.outcomes([sorted(set(sample)) for sample in samples])
    misaligned, unpaired = systems.outcomes(samples, aligned=False), systems.unpaired(samples)
    others = [outcomes.count(1) for outcomes in (without_repeats, misaligned, unpaired, systems.averaged(samples))]
    wins = [right.count(1), right.count(-1), 0, len(samples), *others]
    return 0 not in right and wins[0] not in wins[1:] and len(set(others)) == len(others)


def _without_match(sampler: Sampler) -> Systems:
    """Return two systems that match no four words in a row. The first matches more single words."""
    references = _references(sampler)
    first, second = ([_spoilt(sentence, *spots) for sentence in references] for spots in ((2, 5), (1, 3, 5)))
    return Systems(first, second, references)


def _too_short(sampler: Sampler) -> Systems:
    """Return two systems: all words of the first are right, but three are missing. The last of the second is wrong."""
    references = _references(sampler)
    second = [_spoilt(sentence, len(sentence) - 1) for sentence in references]
    return Systems([sentence[:-3] for sentence in references], second, references)


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about clear wins, losses and ties, random samples, a system that always wins, two equal ones, and extremes."""
    yield Call("by_hand", _by_hand(sampler), returns=RETURNS)
    yield Call("drawn", _drawn(sampler), returns=RETURNS)
    yield Call("drawn_again", _drawn(sampler), returns=RETURNS)
    systems = _systems(sampler)
    samples = [sampler.shuffled((0, 0, 2, 1, 2)) for _ in range(5)]
    better = Systems(systems.references, systems.second, systems.references)
    equal = Systems(systems.second, systems.second, systems.references)
    calls = [each.about([[0, *sample] for sample in samples]) for each in (better, equal)]
    yield Calls("clear", calls, returns=RETURNS)
    apart = sampler.apart("extremes")
    samples = apart.shuffled(([0, 1, 2], [1, 1, 0], [2], [0]))
    calls = [_too_short(apart).about(samples), _without_match(apart).about(samples)]
    yield Calls("extremes", calls, returns=RETURNS)


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "wins are counted, losses and ties are not, and the share is right", 0.75,
        {"fields": RETURNS}),
    Check("equals_drawn", equals_reference, "drawn", "the share is right for random samples, in which sentences repeat", 0.75,
        {"fields": RETURNS}, also=("drawn_again",)),
    Check("clear", equals_reference, "clear", "the share is right for a system that is always better, 1, and for two equal systems, 0", 0.25,
        {"fields": ["calls/0/share", "calls/1/share"]}, needs="equals_by_hand"),
    Check("extremes", equals_reference, "extremes", "the share is right if translations are too short, and if no four words in a row are right", 0.15,
        {"fields": ["calls/0/share", "calls/1/share"]}, needs="equals_by_hand"),
    Check("inputs_unchanged", inputs_unchanged, "drawn", "translations, references and samples are left as they were", 0.1,
        needs="equals_by_hand"),
)  # fmt: skip


EXERCISE = Outline(
    minutes=10,
    checks=CHECKS,
    hints=(
        "Take one sample, such as `[2, 0, 2]`. Which translations and which references belong to it, and how often?",
        "For each sample, make three new lists: both systems' translations and the references of its sentences. Score both systems with `corpus_bleu`, and count a win if the first score is higher.",
        "`corpus_bleu([first[i] for i in sample], [references[i] for i in sample]) > corpus_bleu([second[i] for i in sample], [references[i] for i in sample])`, counted over all samples and divided by `len(samples)`.",
    ),
    ask=ask,
    builds_on=("corpus_bleu",),
)
