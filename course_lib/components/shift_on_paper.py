"""One hand of the sinusoidal encoding that moves on by one position, worked out on paper.

The block of the lesson turns the hand: a row of two numbers times a table of two by two.
"""


def shift_on_paper() -> list[float]:
    """The new sine and the new cosine, to two decimals: [0.10, 0.20] has the right form, but not the right numbers."""
    sine, cosine = 0.6, 0.8  # the hand
    turn_sine, turn_cosine = 0.6, 0.8  # the turn
    new_sine = sine * turn_cosine + cosine * turn_sine
    new_cosine = cosine * turn_cosine - sine * turn_sine
    return [new_sine, new_cosine]
