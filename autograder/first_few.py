"""List the first few of many names in a sentence."""

from __future__ import annotations

from collections.abc import Iterable


def first_few(texts: Iterable[str], most: int = 10, between: str = ", ") -> str:
    """Join the first few texts and count the others, as in ``ada, bob and 3 more``.

    Args:
        between: what separates the texts. After a comma, no comma comes before the count.
    """
    texts = list(texts)
    listed, others = between.join(texts[:most]), len(texts) - most
    if others <= 0:
        return listed
    return f"{listed} and {others} more" if between == ", " else f"{listed}{between}and {others} more"
