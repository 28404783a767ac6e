"""One row of the sinusoidal encoding, worked out on paper.

Each pair has an angle of its own, and contributes a sine and a cosine.
"""

import math


def encoding_on_paper() -> list[float]:
    """The four numbers, to two decimals: [0.10, 0.20, 0.30, 0.40] has the right form, but not the right numbers."""
    position, width = 5, 4
    angles = [position / 10000 ** (2 * pair / width) for pair in range(width // 2)]  # 5, 0.05
    return [wave(angle) for angle in angles for wave in (math.sin, math.cos)]
