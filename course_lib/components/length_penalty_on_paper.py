"""The scores of two translations of different length, worked out on paper.

The end counts as a token, and the beginning doesn't.
"""


def length_penalty_on_paper() -> list[float]:
    """The two scores, to two decimals: [-0.10, -0.20] has the right form, but not the right numbers."""
    sums, words, alpha = [-1.2, -1.5], [1, 3], 0.5
    lengths = [count + 1 for count in words]  # the end counts: 2, 4
    return [total / length**alpha for total, length in zip(sums, lengths, strict=True)]
