"""Sample sizes for heads that are pairwise distinct, so that axes cannot be confused."""

from __future__ import annotations

from autograder.exercises.sampler import Sampler

#: (H, Dh): two or three heads, and more than three
FEW_HEADS = ((2, 3), (2, 5), (3, 2), (3, 5))
MORE_HEADS = ((4, 3), (4, 5), (5, 3), (6, 2))


def lengths(sampler: Sampler, count: int, *taken: int) -> tuple[int, ...]:
    """Return distinct lengths from 2 to 7 that are not taken. The first, for the batch, is the smallest."""
    free = [n for n in sampler.shuffled(range(2, 8)) if n not in taken][:count]
    return min(free), *(n for n in free if n != min(free))
