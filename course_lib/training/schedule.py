"""The learning rate over the course of training, as a share of its highest value."""


def rise_and_fall(share: float, rise: float = 0.05) -> float:
    """Rise linearly from 0 to 1 over the first ``rise`` of the budget, then fall to 0 at its end.

    Args:
        share: how much of the budget is used, 0 to 1, in steps or seconds.
        rise: the share at which the rate is highest.

    The fall makes short training good: large steps find the region, small ones its bottom.
    """
    if share < rise:
        return share / rise
    return max(0.0, (1 - share) / (1 - rise))
