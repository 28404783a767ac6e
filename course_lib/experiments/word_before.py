"""A task that only a model with positions can do: for every position, name the word before it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from course_lib.experiments.series import Series, in_tens

#: the number of words, the sentence length, the width of vectors, and the rows of tables, some of them unused
WORDS, TRAINED, WIDTH, LONGEST = 16, 16, 64, 48

#: how many dimensions belong to the position when word and position are concatenated
POSITION_WIDTH = 16


@dataclasses.dataclass(frozen=True)
class Parts:
    """The components of lesson 05, and the attention they are tested with.

    Attributes:
        attention: a module built with ``(d_model, num_heads)``; ``(query, key, value) -> (B, T, D)``.
        sinusoidal_encoding: ``(length, d_model) -> (T, D)``.
        learned_positions: a module built with ``(max_length, d_model)``; ``(length) -> (T, D)``.
        position_embedding: a module built with ``(vocab_size, d_model, max_length, dropout)``; ``(ids) -> (B, T, D)``.
    """

    attention: Callable[..., nn.Module]
    sinusoidal_encoding: Callable[[int, int], Tensor]
    learned_positions: Callable[[int, int], nn.Module]
    position_embedding: Callable[..., nn.Module]


class Positioned(nn.Module):
    """Words and positions, added or concatenated, without scale or dropout.

    Args:
        positions: ``(length) -> (T, width)``, or None.
        apart: concatenate word and position, ``WIDTH`` dimensions in all, instead of adding them.
        std: the standard deviation with which the words are initialised.
    """

    def __init__(self, positions: Callable[[int], Tensor] | None = None, apart: bool = False, std: float = 1.0) -> None:
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH - POSITION_WIDTH if apart else WIDTH)
        nn.init.normal_(self.words.weight, std=std)
        self.positions, self.apart = positions, apart

    def forward(self, ids: Tensor) -> Tensor:
        """Return (B, T, D) for ids (B, T)."""
        words: Tensor = self.words(ids)  # (B, T, D), or narrower
        if self.positions is None:
            return words
        positions = self.positions(ids.size(1))  # (T, D), or narrower
        if self.apart:
            return torch.cat([words, positions.expand(len(words), -1, -1)], dim=-1)  # (B, T, D)
        return words + positions  # (B, T, D)


def counted(length: int) -> Tensor:
    """Return linear positions: 0, 1, 2, … in every dimension, (T, D)."""
    return torch.arange(length, dtype=torch.get_default_dtype()).unsqueeze(1).expand(-1, WIDTH)  # (T, D)


def fraction(length: int) -> Tensor:
    """Return linear positions from 0 to 1, (T, D)."""
    return counted(length) / max(length - 1, 1)  # (T, D)


def _rows(parts: Parts, width: int = WIDTH) -> Callable[[int], Tensor]:
    table = parts.sinusoidal_encoding(LONGEST, width)  # (LONGEST, width)
    return lambda length: table[:length]


def _learned_as_long_as_sinusoids(parts: Parts) -> nn.Module:
    """Return words and a learned table whose rows have about the norm of the sinusoids, the root of D / 2."""
    table = parts.learned_positions(LONGEST, WIDTH)
    nn.init.normal_(table.weight, std=2**-0.5)  # type: ignore[arg-type]
    return Positioned(table)


def _with_torch_words(parts: Parts) -> nn.Module:
    embedding = parts.position_embedding(WORDS, WIDTH, LONGEST, dropout=0.0)
    nn.init.normal_(embedding.token_embedding.weight)  # type: ignore[arg-type,union-attr]
    return embedding


#: the ways to give a word its position, by name
ARMS: dict[str, Callable[[Parts], nn.Module]] = {
    "none": lambda parts: Positioned(),
    "embedding": lambda parts: parts.position_embedding(WORDS, WIDTH, LONGEST, dropout=0.0),
    "torch_words": _with_torch_words,
    "unscaled": lambda parts: Positioned(_rows(parts), std=WIDTH**-0.5),
    "added": lambda parts: Positioned(_rows(parts)),
    "concatenated": lambda parts: Positioned(_rows(parts, POSITION_WIDTH), apart=True),
    "learned": lambda parts: Positioned(parts.learned_positions(LONGEST, WIDTH)),
    "learned_long": _learned_as_long_as_sinusoids,
    "counted": lambda parts: Positioned(counted),
    "fraction": lambda parts: Positioned(fraction),
}


class WordBefore(nn.Module):
    """Names the word before, at every position: only words with positions, one attention and one linear layer."""

    def __init__(self, embedding: nn.Module, attention: nn.Module) -> None:
        super().__init__()
        self.embedding, self.attention = embedding, attention
        self.output = nn.Linear(WIDTH, WORDS)

    def forward(self, ids: Tensor) -> Tensor:
        """Return logits (B, T, words) for ids (B, T)."""
        x = self.embedding(ids)  # (B, T, D)
        logits: Tensor = self.output(self.attention(x, x, x))  # (B, T, words)
        return logits


def learn(parts: Parts, arm: str, seed: int, steps: int = 300) -> tuple[WordBefore, Series]:
    """Train a `WordBefore` on random sentences, and return it with its loss, averaged over ten steps at a time."""
    generator = torch.Generator().manual_seed(seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = WordBefore(ARMS[arm](parts), parts.attention(WIDTH, num_heads=1))
    optimiser = torch.optim.Adam(model.parameters(), lr=3e-3)
    losses = []
    for _ in range(steps):
        ids = torch.randint(WORDS, (32, TRAINED), generator=generator)  # (B, T)
        loss = F.cross_entropy(model(ids)[:, 1:].flatten(0, 1), ids[:, :-1].flatten())
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        losses.append(loss.item())
    return model, in_tens(losses)


def accuracy_by_position(model: WordBefore, seed: int, length: int = LONGEST, sentences: int = 1000) -> Series:
    """Return the share of previous words named correctly, by position, in sentences of ``length`` words."""
    generator = torch.Generator().manual_seed(10_000 + seed)
    ids = torch.randint(WORDS, (sentences, length), generator=generator)  # (B, T)
    with torch.no_grad():
        right = model(ids)[:, 1:].argmax(dim=-1) == ids[:, :-1]  # (B, T - 1)
    return {
        "position": [float(position) for position in range(1, length)],
        "accuracy": right.double().mean(dim=0).tolist(),
    }
