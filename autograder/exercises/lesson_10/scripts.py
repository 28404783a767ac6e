"""Drawing scripts for a model that says what it is told: which words, and how likely."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from autograder.exercises.draw import Draw

#: the ids of padding, begin and end in most questions
PAD, BOS, EOS = 0, 1, 2
#: the logit of what a trained model would not say: padding, and another beginning
NEVER = -40.0


def sources(draw: Draw, count: int, longest: int, pad_id: int = PAD) -> Tensor:
    """Sentences (B, S) of different lengths, the first the longest, that a `ScriptedModel` of B scripts tells apart."""
    rows = torch.full((count, longest), pad_id)
    for number in range(count):
        length = max(longest - number, 2)
        words = torch.tensor(draw.shuffled(range(10, 10 + longest + count))[:length])
        words[-1] = 30 - 30 % count
        words[-1] += (number - int(words.sum())) % count
        rows[number, :length] = words
    return rows


def on_paths(
    draw: Draw, paths: Sequence[Sequence[int]], vocab: int, length: int, special: tuple[int, int, int] = (PAD, BOS, EOS)
) -> Tensor:
    """A table (N, L, V, V) whose likeliest translations are the given ones; off the paths it says anything else."""
    pad_id, bos_id, _ = special
    table = without_ties(draw, draw.tensor(len(paths), length, vocab, vocab, scale=1.5))
    table[..., [pad_id, bos_id]] = NEVER
    for number, path in enumerate(paths):
        for place, (token, following) in enumerate(zip((bos_id, *path), path, strict=False)):
            table[number, place, :, following] -= 8.0
            table[number, place, token, following] = 12.0
    return table


def words(vocab: int, special: tuple[int, int, int] = (PAD, BOS, EOS)) -> list[int]:
    """The ids that are words."""
    return [i for i in range(vocab) if i not in special]


def paths(
    draw: Draw, lengths: Sequence[int], vocab: int, special: tuple[int, int, int] = (PAD, BOS, EOS)
) -> list[list[int]]:
    """Random translations of the given lengths, each with its end, which counts."""
    return [[*(draw.shuffled(words(vocab, special))[0] for _ in range(length - 1)), special[2]] for length in lengths]


def without_ties(draw: Draw, table: Tensor) -> Tensor:
    """The table, a little changed: numbers of three digits are equal now and then, and have equal sums."""
    return table + 0.00123 * draw.tensor(*table.shape)
