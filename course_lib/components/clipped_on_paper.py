"""Two gradients that are clipped together, worked out on paper.

The norm is that of all numbers at once, so every number shrinks by the same factor.
"""

import math


def clipped_on_paper() -> list[float]:
    """The three numbers that are left, to two decimals: [0.10, 0.20, 0.30] has the right form, but is wrong."""
    weight, bias, most = [2, 4], [4], 3
    size = math.sqrt(sum(number**2 for number in weight + bias))  # 6
    factor = most / size  # 0.5
    return [factor * number for number in weight + bias]
