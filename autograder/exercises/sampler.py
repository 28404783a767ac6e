"""Sample the inputs of questions: sizes and numbers from a fixed or secret seed."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from typing import TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

T = TypeVar("T")

#: lengths and batch sizes. No width is among them, so that axes cannot be confused
LENGTHS = (2, 3, 5, 6)
#: widths, none of which has sqrt(d) = d / 2 or d // 2 = 1
WIDTHS = (8, 10, 11, 12)


class Sampler:
    """A source of sizes and numbers. The same seed gives the same ones on every machine.

    Attributes:
        seed: the seed that determines all of them.
    """

    def __init__(self, seed: bytes) -> None:
        self.seed = seed
        self._random = np.random.Generator(np.random.PCG64(int.from_bytes(hashlib.sha256(seed).digest()[:16], "big")))

    @classmethod
    def public(cls, exercise_id: str) -> Sampler:
        """Return the draw of the questions that ship with the course."""
        return cls(f"public {exercise_id}".encode())

    @classmethod
    def hidden(cls, secret: bytes, release: str, exercise_id: str) -> Sampler:
        """Return the draw of the graded questions, which is different for each course and the same on each run."""
        return cls(hmac.new(secret, f"{release} {exercise_id}".encode(), hashlib.sha256).digest())

    def again(self, attempt: int) -> Sampler:
        """Return a replacement for this draw, which is the same for the same attempt."""
        return Sampler(self.seed + f" again {attempt}".encode()) if attempt else Sampler(self.seed)

    def apart(self, purpose: str) -> Sampler:
        """Return a separate draw for a purpose. It has the same seed, and using it changes no number of this one."""
        return Sampler(self.seed + f" {purpose}".encode())

    def sizes(self, count: int) -> tuple[int, ...]:
        """Return ``count`` pairwise distinct lengths, for batches, queries and keys."""
        return tuple(int(size) for size in self._random.permutation(LENGTHS)[:count])

    def widths(self, count: int) -> tuple[int, ...]:
        """Return ``count`` pairwise distinct widths that are not lengths."""
        return tuple(int(size) for size in self._random.permutation(WIDTHS)[:count])

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return the items in random order."""
        return [items[i] for i in self._random.permutation(len(items))]

    def order(self, length: int) -> Tensor:
        """Return a permutation of ``range(length)`` in which every number changes its position."""
        while True:
            order = self._random.permutation(length)
            if not (order == np.arange(length)).any():
                return torch.from_numpy(order)

    def array(self, *shape: int, scale: float = 1.0) -> NDArray[np.float64]:
        """Return a float64 array of independent normal numbers, rounded to 3 digits for readability."""
        return np.round(self._random.standard_normal(shape) * scale, 3)

    def tensor(self, *shape: int, scale: float = 1.0) -> Tensor:
        """Return such an array as a tensor."""
        return torch.from_numpy(self.array(*shape, scale=scale))

    def mask(self, *shape: int) -> Tensor:
        """Return a boolean mask (True = may attend) with at least one True and one False in each row."""
        mask = self._random.random(shape) < 0.6
        columns = shape[-1]
        for row in np.ndindex(*shape[:-1]):
            yes, no = self._random.permutation(columns)[:2]
            mask[(*row, yes)], mask[(*row, no)] = True, False
        return torch.from_numpy(mask)
