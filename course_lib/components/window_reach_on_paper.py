"""The reach of a stack of sliding windows, worked out on paper.

Each layer adds one word less than its window has, because the window includes the word itself.
"""

import math


def window_reach_on_paper() -> list[int]:
    """Two whole numbers, the reach and the number of layers: [10, 10] has the right form, but not the right numbers."""
    layers, window, distance = 6, 5, 10
    reach = layers * (window - 1) + 1
    needed = math.ceil(distance / (window - 1))
    return [reach, needed]
