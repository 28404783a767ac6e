"""Words with two senses: does a vector know which one is meant?

For each word, the same number of sentences is collected for both senses. Half of them give each sense a mean vector.
Each of the others is assigned the sense whose mean is nearer. Guessing is right half of the time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import cache
from itertools import islice
from statistics import mean
from typing import Any

import torch
from torch import Tensor

from course_lib.corpus import generate
from course_lib.corpus.senses import is_ambiguous, senses
from course_lib.experiments.language_models import HEADS, HIDDEN, LAYERS, WIDTH, Parts, both
from course_lib.experiments.sentences_as_ids import LONGEST, VOCABULARY, as_ids
from course_lib.experiments.series import Series

#: how many sentences to search, and how many to keep with each sense of a word
LOOKED_THROUGH, EACH = 60_000, 40

#: a word in a sentence: the sentence, and the word's position in it
Use = tuple[tuple[str, ...], int]


@cache
def uses(seed: int) -> dict[str, tuple[list[Use], list[Use]]]:
    """Return, for each word with two frequent senses, ``EACH`` of its uses in each sense."""
    found: dict[str, dict[str, list[Use]]] = defaultdict(lambda: defaultdict(list))
    for pair in islice(generate(3000 + seed), LOOKED_THROUGH):
        if not any(map(is_ambiguous, pair.source)):
            continue
        for place, possible in enumerate(senses(pair)):
            if len(possible) == 1 and is_ambiguous(pair.source[place]):
                found[pair.source[place]][possible[0].key].append((pair.source, place))
    kept = {}
    for word in sorted(found):
        frequent = sorted((len(of_sense), key) for key, of_sense in found[word].items() if len(of_sense) >= EACH)
        if len(frequent) >= 2:
            first, second = (found[word][key][:EACH] for _, key in frequent[-2:])
            kept[word] = (first, second)
    return kept


def same_part_of_speech(word: str, seed: int) -> bool:
    """Return whether both senses are nouns, or both verbs, so that position gives nothing away."""
    kinds = set()
    for of_sense in uses(seed)[word]:
        sentence, place = of_sense[0]
        pair = next(p for p in islice(generate(3000 + seed), LOOKED_THROUGH) if p.source == sentence)
        kinds.add(senses(pair)[place][0].part_of_speech)
    return len(kinds) == 1


def told_apart(vectors: Callable[[list[Use]], Tensor], seed: int) -> dict[str, float]:
    """Return, for each word, the share of uses whose sense is recognised.

    Args:
        vectors: returns a vector for each of the uses, (N, D).
    """
    return {word: _told_apart(*map(vectors, of_word)) for word, of_word in uses(seed).items()}


def _told_apart(first: Tensor, second: Tensor) -> float:
    first, second = (torch.nn.functional.normalize(v, dim=-1) for v in (first, second))  # (EACH, D)
    half = EACH // 2
    means = torch.stack([first[:half].mean(dim=0), second[:half].mean(dim=0)])  # (2, D)
    shares = []
    for sense, asked in enumerate((first[half:], second[half:])):
        far = torch.cdist(asked, means)  # (EACH / 2, 2)
        right, wrong = far[:, sense], far[:, 1 - sense]
        # a tie is a guess
        shares.append(
            float((right < wrong - 1e-6).float().mean() + 0.5 * ((right - wrong).abs() <= 1e-6).float().mean())
        )
    return mean(shares)


def _of_uses(states: Callable[[Tensor], Tensor], chosen: list[Use]) -> Tensor:
    with torch.no_grad():
        found = states(as_ids([sentence for sentence, _ in chosen]))  # (N, T, D)
    return torch.stack([found[n, place + 1] for n, (_, place) in enumerate(chosen)])  # after <bos>


def by_vectors(parts: Parts, masked: Any, seed: int) -> dict[str, dict[str, float]]:
    """Return, for each kind of vectors, the share of recognised senses of each word."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1000 + seed)
        untrained: Any = parts.classifier(
            VOCABULARY, VOCABULARY, WIDTH, HEADS, LAYERS, HIDDEN, LONGEST, None, 0.0
        ).eval()
    kinds: dict[str, Callable[[Tensor], Tensor]] = {
        "the word's embedding": masked.embedding.token_embedding,
        "with its position": masked.embedding,
        "an untrained encoder": untrained.encode,
        "the trained encoder": masked.encode,
    }
    return {name: told_apart(lambda chosen, s=states: _of_uses(s, chosen), seed) for name, states in kinds.items()}  # type: ignore[misc]


def _recorded(parts: Parts, seed: int) -> Series:
    found = by_vectors(parts, both(parts, seed)[1], seed)
    return {
        "share": [mean(of_words.values()) for of_words in found.values()],
        "worst": [min(of_words.values()) for of_words in found.values()],
    }


EXPERIMENTS: dict[str, Callable[[Parts, int], Series]] = {"two senses": _recorded}
