"""One row of attention weights, worked out on paper.

Each step is a row of numbers, as in the lesson's table, so a slip can be found by comparing rows.
"""

import math


def weights_on_paper() -> list[float]:
    """The three weights, to two decimals: [0.50, 0.30, 0.20] has the right form, but not the right numbers."""
    query = [2, 0, 1, 1]
    keys = [[1, 0, 1, 1], [0, 3, 1, 1], [0, 1, 0, 1]]
    scores = [sum(q * k for q, k in zip(query, key, strict=True)) for key in keys]  # 4, 2, 1
    scaled = [score / math.sqrt(len(query)) for score in scores]  # 2, 1, 0.5
    powers = [math.exp(score) for score in scaled]  # 7.39, 2.72, 1.65
    return [power / sum(powers) for power in powers]
