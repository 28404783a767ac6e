"""The brevity penalty: say little and you make few mistakes, but you should not gain by it.

The long translation is dealt with first, so that what's left is short. An empty one is asked about before the
division; its limit is 0.
"""

import math


def brevity_penalty(hypothesis_length: int, reference_length: int) -> float:
    """The factor by which BLEU is lowered if the translations are too short.

    It is 1 unless c, the length of the translations, is below r, the length of the references.
    Then it follows the formula in the lesson. Long translations have lost precision already.

    Args:
        hypothesis_length: c, the number of tokens in *all* translations.
        reference_length: r, the number of tokens in all references.

    Returns:
        A number between 0 and 1, and 0 if c is 0. (If r is 0, too, any value will do.)

    Source: Papineni et al. 2002, section 2.2.2.
    """
    if hypothesis_length >= reference_length:
        return 1.0
    if hypothesis_length == 0:
        return 0.0  # the limit of exp(1 - r / c) as c goes to 0
    return math.exp(1 - reference_length / hypothesis_length)
