"""Reproducible random numbers that leave the global generator untouched."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def fixed_seed(chance: int = 0) -> Iterator[None]:
    """Seed torch's default generator inside the block, then restore it.

    ``torch.manual_seed`` would seed accelerators, too, but costs a hundred times as much because it records its caller.

    Args:
        chance: the seed.
    """
    generator = torch.default_generator
    before = generator.get_state()
    generator.manual_seed(chance)
    try:
        yield
    finally:
        generator.set_state(before)
