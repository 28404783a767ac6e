"""Sample scripts that determine a model's words and their probabilities."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from autograder.exercises.sampler import Sampler

#: the ids of padding, beginning and end in most questions
PAD, BOS, EOS = 0, 1, 2
#: the logit of tokens that a trained model would never write: padding, and another beginning
NEVER = -40.0


def sources(sampler: Sampler, count: int, longest: int, pad_id: int = PAD) -> Tensor:
    """Return sentences (B, S), the longest first, for which a `ScriptedModel` of B scripts uses different scripts."""
    rows = torch.full((count, longest), pad_id)
    for number in range(count):
        length = max(longest - number, 2)
        words = torch.tensor(sampler.shuffled(range(10, 10 + longest + count))[:length])
        words[-1] = 30 - 30 % count
        words[-1] += (number - int(words.sum())) % count
        rows[number, :length] = words
    return rows


def on_paths(
    sampler: Sampler,
    paths: Sequence[Sequence[int]],
    vocab: int,
    length: int,
    special: tuple[int, int, int] = (PAD, BOS, EOS),
) -> Tensor:
    """Return a table (N, L, V, V) whose most likely translations are the given paths. Elsewhere it is random."""
    pad_id, bos_id, _ = special
    table = without_ties(sampler, sampler.tensor(len(paths), length, vocab, vocab, scale=1.5))
    table[..., [pad_id, bos_id]] = NEVER
    for number, path in enumerate(paths):
        for place, (token, following) in enumerate(zip((bos_id, *path), path, strict=False)):
            table[number, place, :, following] -= 8.0
            table[number, place, token, following] = 12.0
    return table


def words(vocab: int, special: tuple[int, int, int] = (PAD, BOS, EOS)) -> list[int]:
    """Return the ids that are words."""
    return [i for i in range(vocab) if i not in special]


def paths(
    sampler: Sampler, lengths: Sequence[int], vocab: int, special: tuple[int, int, int] = (PAD, BOS, EOS)
) -> list[list[int]]:
    """Return random translations of the given lengths, which include the end token."""
    return [
        [*(sampler.shuffled(words(vocab, special))[0] for _ in range(length - 1)), special[2]] for length in lengths
    ]


def without_ties(sampler: Sampler, table: Tensor) -> Tensor:
    """Return the table with small changes, because numbers of three digits, or their sums, are sometimes equal."""
    return table + 0.00123 * sampler.tensor(*table.shape)
