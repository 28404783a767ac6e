"""The learning rate of the Transformer's paper: up in a straight line, then down.

Two curves cross at `warmup_steps`, and `min` takes the lower one, so there is no `if` and no kink to get wrong.
"""


def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    """The learning rate of a step: ``d_model^-0.5 · min(step^-0.5, step · warmup_steps^-1.5)``.

    It rises linearly to its peak ``(d_model · warmup_steps)^-0.5`` at step ``warmup_steps``, then falls with the
    inverse square root of the step.

    Args:
        step: counted from 1.
        d_model: D, the model's width: wider models learn at lower rates.
        warmup_steps: for how many steps it rises.

    Returns:
        The learning rate.

    Raises:
        ValueError: ``step`` is less than 1.

    Source: Vaswani et al. 2017, eq. 3; CSC401, "Post-LN … requires learning rate warm-up".
    """
    if step < 1:
        raise ValueError(f"steps are counted from 1, and this one is {step}")
    rising = step * warmup_steps**-1.5
    falling = step**-0.5
    rate: float = d_model**-0.5 * min(rising, falling)
    return rate
