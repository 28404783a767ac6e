# %% wrong: an assertion, and so an AssertionError, in place of the ValueError
# true: refused_by_assert
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    assert step >= 1, "step must be at least 1"
    arg1 = step ** (-0.5)
    arg2 = step * warmup_steps ** (-1.5)
    return d_model ** (-0.5) * min(arg1, arg2)


# %% wrong: refuses 0 only: a negative step gets a number, and not even a real one
# true: negative_steps_not_refused
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step == 0:
        raise ValueError("steps are counted from 1, got 0")
    if step < warmup_steps:
        return d_model**-0.5 * step * warmup_steps**-1.5
    return d_model**-0.5 * step**-0.5


# %% wrong: after the peak it counts from the end of the warm-up, and so falls much too fast
# true: peak_falls_from_the_end_of_the_warmup
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step < 1:
        raise ValueError(f"step must be >= 1, got {step}")
    peak = (d_model * warmup_steps) ** -0.5
    if step <= warmup_steps:
        return peak * step / warmup_steps
    return peak * (step - warmup_steps + 1) ** -0.5


# %% right: the peak, times a share that rises to 1 and falls from it
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if not step >= 1:
        raise ValueError(f"Steps are counted from 1, and this is step {step}.")
    peak = 1.0 / math.sqrt(d_model * warmup_steps)
    progress = step / warmup_steps
    share = progress if progress < 1 else 1.0 / math.sqrt(progress)
    return peak * share
