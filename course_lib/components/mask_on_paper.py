"""A causal mask and a padding mask, joined on paper.

Padding is hidden as a key only, so a row of padding is like any other row.
"""


def mask_on_paper() -> list[list[int]]:
    """Four rows of 1 (may attend) and 0, such as [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]."""
    real = [0, 1, 1, 0]  # padding, two words, padding
    return [[int(real[key] and key <= query) for key in range(4)] for query in range(4)]
