"""The brevity penalty: who says little makes few mistakes, and should not gain by it."""

import math


def brevity_penalty(hypothesis_length: int, reference_length: int) -> float:
    """The factor by which BLEU is lowered where the translations are too short.

    With c for the length of the translations and r for that of the references it is
    ``exp(1 - r / c)`` where c < r, and 1 elsewhere: what is too long has lost precision already.

    Args:
        hypothesis_length: c, the number of tokens in *all* translations.
        reference_length: r, that in all references.

    Returns:
        Between 0 and 1; 0 where c is 0. (Where r is 0 too there is nothing to judge: return what you like.)

    Source: Papineni et al. 2002, section 2.2.2.
    """
    if hypothesis_length >= reference_length:
        return 1.0
    if hypothesis_length == 0:
        return 0.0  # the limit of exp(1 - r / c) as c goes to 0
    return math.exp(1 - reference_length / hypothesis_length)
