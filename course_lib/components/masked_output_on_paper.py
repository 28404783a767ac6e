"""The output of one query that may not attend to one of its keys, worked out on paper.

The blocked key is left out before the softmax, so the other weights sum to 1.
"""

import math


def masked_output_on_paper() -> list[float]:
    """The output, two numbers, to two decimals: [0.50, 0.30] has the right form, but not the right numbers."""
    scaled = [1, 0, 3]
    values = [[2, 0], [0, 4], [6, 6]]
    allowed = [True, True, False]
    powers = [math.exp(score) * may for score, may in zip(scaled, allowed, strict=True)]  # 2.72, 1, 0
    weights = [power / sum(powers) for power in powers]  # 0.73, 0.27, 0
    return [sum(weight * value[i] for weight, value in zip(weights, values, strict=True)) for i in range(2)]
