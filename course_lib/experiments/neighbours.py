"""Lesson 01: an encoder whose sentences share a batch with longer ones."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from course_lib.experiments.mystery_encoder import mystery_of
from course_lib.experiments.series import Series, in_tens

#: the number of words, without padding, whose id is 0; sentences have from 2 words up to `LONGEST`
WORDS, LONGEST = 8, 8
#: the numbers of padding positions with which a trained encoder is tested
PADDING = (0, 1, 2, 4, 8, 16, 32, 64)

#: a module built with ``(vocabulary_size, d_model, pad_id)``; ``(source) -> (states, (h, c))``
Encoder = Callable[..., nn.Module]


class NamesTheFirst(nn.Module):
    """An encoder, and an output projection that names a sentence's first word from the h and c at its end."""

    def __init__(self, encoder: Encoder, d_model: int = 32) -> None:
        super().__init__()
        self.encoder = encoder(WORDS + 1, d_model, pad_id=0)
        self.readout = nn.Linear(2 * d_model, WORDS + 1)

    def forward(self, source: Tensor) -> Tensor:
        """Return logits (B, words) for sentences (B, S)."""
        _, (h, c) = self.encoder(source)  # (B, D), (B, D)
        logits: Tensor = self.readout(torch.cat([h, c], dim=-1))  # (B, words)
        return logits


def _sentences(count: int, generator: torch.Generator) -> Tensor:
    """Generate random sentences (B, S), all of one length, as in batches sorted by length."""
    length = int(torch.randint(2, LONGEST + 1, (), generator=generator))
    return torch.randint(1, WORDS + 1, (count, length), generator=generator)  # (B, S)


def learn_first_word(encoder: Encoder, seed: int, steps: int = 200) -> tuple[NamesTheFirst, Series]:
    """Train a `NamesTheFirst`, and return it with its loss, averaged over ten steps at a time."""
    generator = torch.Generator().manual_seed(seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = NamesTheFirst(encoder)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    losses = []
    for _ in range(steps):
        source = _sentences(64, generator)  # (B, S)
        loss = F.cross_entropy(model(source), source[:, 0])
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        losses.append(loss.item())
    return model, in_tens(losses)


def beside_longer_ones(model: NamesTheFirst, seed: int, sentences: int = 500) -> Series:
    """Return the share of sentences whose first word a trained model names, by the amount of right padding.

    Returns:
        ``padding``, ``accuracy``, and ``moved``: the mean distance by which h moves, relative to its norm.
    """
    source = _sentences(sentences, torch.Generator().manual_seed(10_000 + seed))  # (B, S)
    series: Series = {"padding": [float(padding) for padding in PADDING], "accuracy": [], "moved": []}
    with torch.no_grad():
        _, (alone, _) = model.encoder(source)  # (B, D)
        for padding in PADDING:
            padded = F.pad(source, (0, padding))  # (B, S + padding)
            right = model(padded).argmax(dim=-1) == source[:, 0]  # (B,)
            _, (h, _) = model.encoder(padded)  # (B, D)
            series["accuracy"].append(right.double().mean().item())
            series["moved"].append(((h - alone).norm(dim=-1) / alone.norm(dim=-1)).mean().item())
    return series


#: what ``make experiments`` records, by name: functions of an encoder and a seed
EXPERIMENTS: dict[str, Callable[[type[nn.Module], int], Series]] = {
    "first_word": lambda encoder, seed: learn_first_word(encoder, seed)[1],
    "first_word_mystery": lambda encoder, seed: learn_first_word(mystery_of(encoder), seed)[1],
    "beside": lambda encoder, seed: beside_longer_ones(learn_first_word(encoder, seed)[0], seed),
    "beside_mystery": lambda encoder, seed: beside_longer_ones(learn_first_word(mystery_of(encoder), seed)[0], seed),
}
