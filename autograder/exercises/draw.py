"""Drawing what questions give: sizes and numbers from a seed that is fixed, or secret."""

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

#: lengths and batch sizes; widths are never among them, so that no two axes can be mistaken
LENGTHS = (2, 3, 5, 6)
#: widths: for none of them is sqrt(d) = d / 2, nor d // 2 = 1
WIDTHS = (8, 10, 11, 12)


class Draw:
    """A source of sizes and numbers, the same for the same seed on every machine.

    Attributes:
        seed: what all of them follow from.
    """

    def __init__(self, seed: bytes) -> None:
        self.seed = seed
        self._random = np.random.Generator(np.random.PCG64(int.from_bytes(hashlib.sha256(seed).digest()[:16], "big")))

    @classmethod
    def public(cls, exercise_id: str) -> Draw:
        """The draw of the questions that ship with the course."""
        return cls(f"public {exercise_id}".encode())

    @classmethod
    def hidden(cls, secret: bytes, release: str, exercise_id: str) -> Draw:
        """The draw of graded questions: fresh for each course, the same on each run."""
        return cls(hmac.new(secret, f"{release} {exercise_id}".encode(), hashlib.sha256).digest())

    def again(self, attempt: int) -> Draw:
        """Another draw in the place of this one, the same for the same attempt."""
        return Draw(self.seed + f" again {attempt}".encode()) if attempt else Draw(self.seed)

    def apart(self, purpose: str) -> Draw:
        """A draw for one purpose, which follows from the same seed and moves no number of this one."""
        return Draw(self.seed + f" {purpose}".encode())

    def sizes(self, count: int) -> tuple[int, ...]:
        """``count`` pairwise distinct lengths, for batches, queries and keys."""
        return tuple(int(size) for size in self._random.permutation(LENGTHS)[:count])

    def widths(self, count: int) -> tuple[int, ...]:
        """``count`` pairwise distinct widths, none of which is a length."""
        return tuple(int(size) for size in self._random.permutation(WIDTHS)[:count])

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """The items in another order."""
        return [items[i] for i in self._random.permutation(len(items))]

    def order(self, length: int) -> Tensor:
        """A permutation of ``range(length)`` that leaves no place as it was."""
        while True:
            order = self._random.permutation(length)
            if not (order == np.arange(length)).any():
                return torch.from_numpy(order)

    def array(self, *shape: int, scale: float = 1.0) -> NDArray[np.float64]:
        """A float64 array of independent normal numbers, rounded to 3 digits so that it can be read."""
        return np.round(self._random.standard_normal(shape) * scale, 3)

    def tensor(self, *shape: int, scale: float = 1.0) -> Tensor:
        """The same as a tensor."""
        return torch.from_numpy(self.array(*shape, scale=scale))

    def mask(self, *shape: int) -> Tensor:
        """A boolean mask (True = may attend), in each row of which at least one True and one False."""
        mask = self._random.random(shape) < 0.6
        columns = shape[-1]
        for row in np.ndindex(*shape[:-1]):
            yes, no = self._random.permutation(columns)[:2]
            mask[(*row, yes)], mask[(*row, no)] = True, False
        return torch.from_numpy(mask)
