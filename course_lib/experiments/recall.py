"""Associative recall: a model reads a list of pairs, then gets a key and must name its value.

Every pair is one vector, the sum of its key and its value, so one layer is enough. The models differ in what they keep
of the list: attention keeps all of it, a window keeps the last pairs, and linear attention and a recurrent network keep
one tensor of fixed size.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from course_lib.experiments.series import Series

KEYS, VALUES, WIDTH = 256, 16, 32
#: list lengths: the first five are trained; testing also uses twice the longest
PAIRS = (4, 8, 16, 32, 64, 128)
TRAINED = PAIRS[:-1]
STEPS, BATCH, RATE = 1000, 128, 1e-2
#: a recurrent network learns the task more slowly, so it gets this many times the steps
PATIENCE = 5
#: how many pairs fit in the window
WINDOW = 8


class Kinds(Protocol):
    """The kinds of attention, as in `course_lib.experiments.costs.Parts`."""

    @property
    def attention(self) -> Callable[..., tuple[Tensor, Tensor]]:
        """Attend as `scaled_dot_product_attention` does."""

    @property
    def linear(self) -> Callable[..., Tensor]:
        """Attend as `linear_attention` does."""


class Attending(nn.Module):
    """One head that looks from the requested key at the pairs."""

    def __init__(self, attend: Callable[[Tensor, Tensor, Tensor], Tensor]) -> None:
        super().__init__()
        self.attend = attend
        self.key, self.value = nn.Embedding(KEYS, WIDTH), nn.Embedding(VALUES, WIDTH)
        self.w_q, self.w_k, self.w_v = (nn.Linear(WIDTH, WIDTH) for _ in range(3))
        self.out = nn.Linear(WIDTH, VALUES)

    def forward(self, keys: Tensor, values: Tensor, asked: Tensor) -> Tensor:
        """Map keys and values (B, P) and the requested key (B,) to logits (B, values)."""
        pairs = self.key(keys) + self.value(values)  # (B, P, D)
        query = self.w_q(self.key(asked)).unsqueeze(1)  # (B, 1, D)
        found = self.attend(query, self.w_k(pairs), self.w_v(pairs))  # (B, 1, D)
        logits: Tensor = self.out(found.squeeze(1))  # (B, values)
        return logits


class Recurrent(nn.Module):
    """An LSTM of twice the width that reads the pairs and then the requested key."""

    def __init__(self) -> None:
        super().__init__()
        self.key, self.value = nn.Embedding(KEYS, WIDTH), nn.Embedding(VALUES + 1, WIDTH)
        self.layer = nn.LSTM(WIDTH, 2 * WIDTH, batch_first=True)
        self.out = nn.Linear(2 * WIDTH, VALUES)

    def forward(self, keys: Tensor, values: Tensor, asked: Tensor) -> Tensor:
        """Map the same arguments as `Attending.forward` to logits."""
        no_value = torch.full_like(asked, VALUES)  # (B,)
        read = self.key(torch.cat([keys, asked[:, None]], dim=1))  # (B, P + 1, D)
        read = read + self.value(torch.cat([values, no_value[:, None]], dim=1))  # (B, P + 1, D)
        logits: Tensor = self.out(self.layer(read)[0][:, -1])  # (B, values)
        return logits


#: the ways to remember a list, by name
WAYS: dict[str, Callable[[Kinds], nn.Module]] = {
    "attention": lambda kinds: Attending(lambda q, k, v: kinds.attention(q, k, v)[0]),
    "window": lambda kinds: Attending(lambda q, k, v: kinds.attention(q, k[:, -WINDOW:], v[:, -WINDOW:])[0]),
    "linear": lambda kinds: Attending(kinds.linear),
    "recurrent": lambda kinds: Recurrent(),
}


def share_by_pairs(way: str, kinds: Kinds, seed: int, lists: int = 1000) -> Series:
    """Train one model on lists of several lengths, and test it on others.

    Returns:
        ``pairs``, and ``share``: of lists whose value was named correctly.
    """
    model = learn(way, kinds, seed)
    generator = torch.Generator().manual_seed(10_000 + seed)
    series: Series = {"pairs": [float(p) for p in PAIRS], "share": []}
    with torch.no_grad():
        for pairs in PAIRS:
            *asked, right = _batch(pairs, lists, generator)
            series["share"].append(float((model(*asked).argmax(dim=-1) == right).float().mean()))
    return series


def learn(way: str, kinds: Kinds, seed: int) -> nn.Module:
    """Train one model."""
    generator = torch.Generator().manual_seed(seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = WAYS[way](kinds)
    optimizer: Any = torch.optim.Adam(model.parameters(), lr=RATE)
    steps = STEPS * PATIENCE if way == "recurrent" else STEPS
    for step in range(steps):
        for group in optimizer.param_groups:  # a warm-up, then down to 0
            group["lr"] = RATE * min(1.0, (step + 1) / 100) * (1 - step / steps)
        *asked, right = _batch(TRAINED[step % len(TRAINED)], BATCH, generator)
        loss: Any = F.cross_entropy(model(*asked), right)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model


def _batch(pairs: int, lists: int, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Generate lists of pairs with distinct keys: keys and values (B, P), the requested key and its value (B,)."""
    keys = torch.rand(lists, KEYS, generator=generator).argsort(dim=-1)[:, :pairs]  # (B, P)
    values = torch.randint(VALUES, (lists, pairs), generator=generator)  # (B, P)
    place = torch.randint(pairs, (lists, 1), generator=generator)  # (B, 1)
    return keys, values, keys.gather(1, place).squeeze(1), values.gather(1, place).squeeze(1)
