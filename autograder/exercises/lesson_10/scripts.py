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


def uncertain(
    sampler: Sampler,
    count: int,
    length: int,
    vocab: int,
    special: tuple[int, int, int] = (PAD, BOS, EOS),
    end: float = 0.0,
) -> Tensor:
    """Return a table (N, L, V, V) of an unsure model. The mean logit of the end is ``end``, and that of a word is 0."""
    pad_id, bos_id, eos_id = special
    table = without_ties(sampler, sampler.tensor(count, length, vocab, vocab, scale=0.7))
    table[..., eos_id] += end
    # logits must not be log-probabilities, so shift all logits of a position
    table += sampler.tensor(count, length, vocab, 1, scale=2.0)
    table[..., [pad_id, bos_id]] = NEVER
    return table


def two_words(sampler: Sampler) -> tuple[Tensor, str]:
    """Return a table (1, 5, 5, 5) for paper, and the same in words.

    Greedy search takes the first word, but the better sentence begins with the second.
    """
    first, second = (int(i) for i in sampler.shuffled((3, 4)))
    likely = sampler.shuffled((0.5, 0.55))[0]
    said = {
        BOS: {first: likely, second: 0.95 - likely, EOS: 0.05},
        first: {first: 0.41, second: 0.33, EOS: 0.26},
        second: {first: 0.06, second: 0.04, EOS: 0.9},
    }
    probabilities = torch.full((5, 5), 1e-9)
    for token, following in said.items():
        for word, probability in following.items():
            probabilities[token, word] = probability
    probabilities[[PAD, EOS], EOS] = 1.0  # code that continues after the end gets another end
    described = "; ".join(
        f"after {token}: " + ", ".join(f"{word} with {probability:.2f}" for word, probability in following.items())
        for token, following in said.items()
    )
    return probabilities.log().expand(1, 5, 5, 5).clone(), described


def that_show_most(sampler: Sampler, shown: Tensor, count: int) -> list[int]:
    """Return ``count`` sentences, or fewer if fewer show a mistake, in random order.

    Each mistake that any sentence shows is shown by one of them, if ``count`` allows.

    Args:
        shown: (M, N), whether mistake m changes sentence n.
    """
    chosen: list[int] = []
    while len(chosen) < count and not shown[:, chosen].any(dim=1).all():
        chosen.append(int(shown[~shown[:, chosen].any(dim=1)].sum(dim=0).argmax()))  # shows most of the rest
    others = [row for row in shown.any(dim=0).nonzero().flatten().tolist() if row not in chosen]
    return sampler.shuffled([*chosen, *others][:count])


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
