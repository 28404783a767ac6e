"""Whether two lists of numbers have the same order.

Ranks come from counting smaller numbers, so ties share the mean of their ranks without a special case. The result is
Pearson's correlation of the ranks, which is right even with ties, unlike the short formula with 6Σd².
"""

from torch import Tensor


def rank_correlation(x: Tensor, y: Tensor) -> float:
    """Spearman's rank correlation: the correlation of the ranks.

    Equal numbers share the mean of their ranks.

    Args:
        x: (N,), N at least 2.
        y: (N,).

    Returns:
        1 if the order is the same, -1 if it is reversed, 0 if all numbers of a list are equal.

    Source: Spearman 1904. Jain & Wallace 2019 compare attention weights with a different one, Kendall's.
    """
    centred = []
    for numbers in (x, y):
        smaller = (numbers.unsqueeze(0) < numbers.unsqueeze(1)).sum(dim=1)  # (N,)
        equal = (numbers.unsqueeze(0) == numbers.unsqueeze(1)).sum(dim=1)  # (N,): itself included
        ranks = smaller.double() + (equal - 1).double() / 2  # (N,), from 0
        centred.append(ranks - (len(numbers) - 1) / 2)
    size = (centred[0].square().sum() * centred[1].square().sum()).sqrt()
    return float(centred[0] @ centred[1] / size) if size > 0 else 0.0
