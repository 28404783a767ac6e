"""The cheap experiments of lesson 02. Each takes the parts to test, yours for instance, and a seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from course_lib.experiments.mystery_attend import mystery_attend
from course_lib.experiments.series import Series, in_tens

#: ``(scores, values, mask) -> (context, weights)``
Attend = Callable[..., tuple[Tensor, Tensor]]


@dataclass(frozen=True)
class Parts:
    """What lesson 02 builds, as far as the experiments need it."""

    dot_scores: Callable[[Tensor, Tensor], Tensor]
    bilinear_scores: type[nn.Module]
    additive_scores: type[nn.Module]
    attend: Attend


#: the look-up task: numbers of possible keys and values, pairs per store, and the width
KEY_WORDS, VALUE_WORDS, PAIRS, WIDTH = 16, 8, 6, 32
WIDTHS = (4, 8, 16, 32, 64, 128, 256, 512, 1024)
#: how many keys are on the line
NUMBERS = 9


class Store(nn.Module):
    """A key-value store with one look-up: each pair is one state, as an encoder would produce it.

    Args:
        parts: the scores and the look-up to test.
        attend: a look-up that replaces ``parts.attend``.
    """

    def __init__(self, parts: Parts, attend: Attend | None = None) -> None:
        super().__init__()
        self.dot_scores, self.attend = parts.dot_scores, attend or parts.attend
        self.query = nn.Embedding(KEY_WORDS, WIDTH)
        self.key = nn.Embedding(KEY_WORDS, WIDTH)
        self.value = nn.Embedding(VALUE_WORDS, WIDTH)
        self.readout = nn.Linear(WIDTH, VALUE_WORDS)
        for embedding in (self.query, self.key, self.value):
            nn.init.normal_(embedding.weight, std=WIDTH**-0.25)  # the scores' standard deviation is then about 1

    def forward(self, question: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """Return logits (B, values) for one question (B,) to each store of keys and values, both (B, S)."""
        states = self.key(keys) + self.value(values)  # (B, S, D): each state is both key and value
        scores = self.dot_scores(self.query(question), states)  # (B, S)
        context, _ = self.attend(scores, states)  # (B, D)
        logits: Tensor = self.readout(context)  # (B, values)
        return logits


def draw_stores(batch: int, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Generate random stores, one question to each, and the answers.

    Returns:
        ``(question, keys, values, answer)``: question and answer are (B,), keys and values (B, S).
    """
    keys = torch.rand(batch, KEY_WORDS, generator=generator).argsort(dim=-1)[:, :PAIRS]  # (B, S)
    values = torch.randint(VALUE_WORDS, (batch, PAIRS), generator=generator)  # (B, S)
    return keys[:, 0], keys, values, values[:, 0]


def learn_look_up(parts: Parts, seed: int, attend: Attend | None = None, steps: int = 300) -> Series:
    """Train a `Store`, and return its loss by training step, averaged over ten steps at a time."""
    generator = torch.Generator().manual_seed(seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = Store(parts, attend)
    optimiser = torch.optim.Adam(model.parameters(), lr=3e-3)
    losses = []
    for _ in range(steps):
        question, keys, values, answer = draw_stores(64, generator)
        loss = F.cross_entropy(model(question, keys, values), answer)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        losses.append(loss.item())
    return in_tens(losses)


def hard_look_up(scores: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Return only the value of the best key, as a dictionary would."""
    del mask
    weights = F.one_hot(scores.argmax(dim=-1), scores.size(-1)).to(scores.dtype)  # (B, S)
    return (weights.unsqueeze(1) @ values).squeeze(1), weights


class NumberLine(nn.Module):
    """Nine keys on a line, the numbers 1 to 9, and one question for each of them.

    Args:
        parts: the scores to test.
        kind: ``"dot"``, ``"bilinear"`` or ``"additive"``.
    """

    keys: Tensor

    def __init__(self, parts: Parts, kind: str) -> None:
        super().__init__()
        place = torch.linspace(-1, 1, NUMBERS)  # (9,)
        self.register_buffer("keys", torch.stack([place, torch.ones(NUMBERS)], dim=-1).expand(NUMBERS, -1, -1))
        width = 2 if kind == "dot" else 8
        self.query = nn.Embedding(NUMBERS, width)
        scores: dict[str, Callable[[], Any]] = {
            "dot": lambda: parts.dot_scores,
            "bilinear": lambda: parts.bilinear_scores(width, 2),
            "additive": lambda: parts.additive_scores(width, 2, 16),
        }
        self.scores = scores[kind]()

    def forward(self) -> Tensor:
        """Return the scores (9, 9) of all keys, one row per question."""
        scores: Tensor = self.scores(self.query.weight, self.keys)  # (9, 9)
        return scores


def find_the_number(parts: Parts, seed: int, kind: str, steps: int = 600) -> Series:
    """Return the weight on the right key, for each number asked for, after ``steps`` training steps."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = NumberLine(parts, kind)
    optimiser, right = torch.optim.Adam(model.parameters(), lr=0.03), torch.arange(NUMBERS)
    for _ in range(steps):
        loss = F.cross_entropy(model(), right)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    weights = torch.softmax(model().detach(), dim=-1)  # (9, 9)
    return {"number": [float(n) for n in range(1, NUMBERS + 1)], "weight": weights.diagonal().tolist()}


def spread(parts: Parts, seed: int, samples: int = 256, num_keys: int = 16) -> Series:
    """Measure, by width, the standard deviation of a query's scores and the largest weight that follows from them.

    Queries and keys have independent N(0, 1) entries, and the layers keep their initial weights.
    ``states`` are dot products of the states of two untrained GRUs.

    Returns:
        ``width`` and, for each of ``_dot``, ``_bilinear``, ``_additive`` and ``_states``: ``spread``, the standard
        deviation over a query's keys, and ``largest``, the largest weight; means over the queries.
    """
    series: Series = {"width": [float(width) for width in WIDTHS]}
    for width in WIDTHS:
        with torch.random.fork_rng(devices=[]), torch.no_grad():
            torch.manual_seed(1000 * seed + width)
            query, keys = torch.randn(samples, width), torch.randn(samples, num_keys, width)  # (B, D), (B, S, D)
            encoder, decoder = (nn.GRU(width, width, batch_first=True) for _ in range(2))
            state, states = decoder(torch.randn(samples, 4, width))[0][:, -1], encoder(keys)[0]  # (B, D), (B, S, D)
            scores = {
                "dot": parts.dot_scores(query, keys),
                "bilinear": parts.bilinear_scores(width, width)(query, keys),
                "additive": parts.additive_scores(width, width, width)(query, keys),
                "states": parts.dot_scores(state, states),
            }  # (B, S) each
        for name, each in scores.items():
            _, weights = parts.attend(each, torch.zeros(samples, num_keys, 1))  # (B, S)
            series.setdefault(f"spread_{name}", []).append(each.std(dim=-1).mean().item())
            series.setdefault(f"largest_{name}", []).append(weights.amax(dim=-1).mean().item())
    return series


#: what ``make experiments`` records, by name: functions of the parts and a seed
EXPERIMENTS: dict[str, Callable[[Parts, int], Series]] = {
    "soft": learn_look_up,
    "hard": lambda parts, seed: learn_look_up(parts, seed, hard_look_up),
    "mystery": lambda parts, seed: learn_look_up(parts, seed, mystery_attend),
    "number_dot": lambda parts, seed: find_the_number(parts, seed, "dot"),
    "number_bilinear": lambda parts, seed: find_the_number(parts, seed, "bilinear"),
    "number_additive": lambda parts, seed: find_the_number(parts, seed, "additive"),
    "spread": spread,
}
