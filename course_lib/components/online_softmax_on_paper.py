"""One row of attention in two chunks, worked out on paper.

When the maximum grows, both sums shrink by the same factor.
"""


def online_softmax_on_paper() -> list[float]:
    """Total, mixture and output at the end, to one decimal: [1.0, 5.0, 5.0] has the right form."""
    total, mixture = 1 / 3 + 3 / 3, 1 / 3 * 3 + 3 / 3 * 5  # chunk 1, maximum ln 3: 1.33, 6
    shrink = 3 / 6  # the maximum becomes ln 6
    total, mixture = total * shrink, mixture * shrink  # 0.67, 3
    powers, values = [6 / 6, 2 / 6], [2, 9]
    total += sum(powers)  # 2
    mixture += sum(power * value for power, value in zip(powers, values, strict=True))  # 8
    return [total, mixture, mixture / total]
