"""How far an alignment is from the right one.

With one set of gold links, sure and possible are the same, so the formula shrinks to one fraction. `&` finds the
common links. If neither side has any link, nothing is wrong.
"""

from torch import Tensor


def alignment_error_rate(predicted: Tensor, gold: Tensor) -> float:
    """One minus the share of links that agree, among the links of both sides taken together.

    Args:
        predicted: boolean (T, S), True where target word t is linked with source word s.
        gold: boolean (T, S), the right links.

    Returns:
        ``1 - 2 |A and G| / (|A| + |G|)``: 0 if both have the same links, 1 if they share none. If neither has
        any, 0.

    Source: Och & Ney 2003, section 4.1, where all gold links are sure.
    """
    links = int(predicted.sum()) + int(gold.sum())
    return 1 - 2 * int((predicted & gold).sum()) / links if links else 0.0
