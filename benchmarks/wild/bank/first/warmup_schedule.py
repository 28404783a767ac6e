# %% wrong: the larger of the two terms is taken, not the smaller
# true: larger_of_the_two
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step < 1:
        raise ValueError(f"steps are counted from 1, not {step}")
    return d_model**-0.5 * max(step**-0.5, step * warmup_steps**-1.5)

# %% wrong: the warm-up's exponent is -0.5, so the rate rises far too steeply
# true: warmup_to_the_minus_half
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step < 1:
        raise ValueError("The first step is step 1.")
    arg1 = step**-0.5
    arg2 = step * (warmup_steps**-0.5)
    return (d_model**-0.5) * min(arg1, arg2)

# %% wrong: it multiplies by the root of the width, wider models get higher rates
# true: wider_is_faster
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step < 1:
        raise ValueError("step must be at least 1")
    scale = math.sqrt(d_model)
    return float(scale * min(1 / math.sqrt(step), step / warmup_steps**1.5))

# %% wrong: step 0 is taken for step 1, nothing is raised
# true: step_0_taken_for_1
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step == 0:
        step = 1
    return d_model ** (-0.5) * min(step ** (-0.5), step * warmup_steps ** (-1.5))

# %% wrong: steps are counted from 0, the rate is that of the next step
# true: first_step_is_0
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step < 0:
        raise ValueError("a step cannot be negative")
    step = step + 1
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)

# %% wrong: an AssertionError is raised where a ValueError should be
# true: refused_by_assert
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    assert step >= 1, "steps are counted from 1"
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)

# %% wrong: after the warm-up the rate stays where it is instead of falling
# true: stays_at_its_peak
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step < 1:
        raise ValueError(f"step is {step}, and must be 1 or more")
    peak = (d_model * warmup_steps) ** -0.5
    if step < warmup_steps:
        return peak * step / warmup_steps
    return peak

# %% wrong: the bracket is closed too late, the power is taken of the product of step and warm-up
# true: power_of_the_product
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step < 1:
        raise ValueError("no such step: they are counted from 1")
    return d_model**-0.5 * min(step**-0.5, (step * warmup_steps) ** -1.5)

# %% wrong: only step 0 is refused, a negative step gets a number
# true: negative_steps_not_refused
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step == 0:
        raise ValueError("step 0 does not exist, begin with 1")
    falling = abs(step) ** -0.5
    rising = step * warmup_steps**-1.5
    return d_model**-0.5 * min(falling, rising)

# %% wrong: a factor between 0 and 1 comes back, the rate divided by its peak, as LambdaLR would multiply it
# true: peak_of_one
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step < 1:
        raise ValueError("step must be positive")
    lr = d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)
    return lr / (d_model * warmup_steps) ** -0.5

# %% wrong: the rate is printed and nothing comes back
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step < 1:
        raise ValueError("step must be at least 1")
    rate = d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)
    print(f"step {step}: {rate:.2e}")

# %% wrong: the rate falls with 1/step behind the peak, not with its root
# true: falls_from_the_peak_with_the_step
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step < 1:
        raise ValueError("step must be at least 1")
    if step <= warmup_steps:
        return d_model**-0.5 * step * warmup_steps**-1.5
    return d_model**-0.5 * warmup_steps**-0.5 * warmup_steps / step

# %% wrong: the width is divided by with whole numbers, so the rate is 0 from width 2 on / step 0 gives a rate of 0
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step == 0:
        return 0.0
    return (1 // d_model) ** 0.5 * min(step**-0.5, step * warmup_steps**-1.5)

# %% wrong: the largest step so far is remembered between calls and counted on, an earlier step gets a later step's rate
_calls = {"step": 0}


def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step < 1:
        raise ValueError("steps begin with 1")
    _calls["step"] = max(_calls["step"] + 1, step)
    s = _calls["step"]
    return d_model**-0.5 * min(s**-0.5, s * warmup_steps**-1.5)

# %% wrong: width and warm-up have changed places in the formula / a step below 1 is set to 1
# true: width_and_warmup_swapped, step_0_taken_for_1
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    step = max(1, int(step))
    arg1 = step**-0.5
    arg2 = step * d_model**-1.5
    return float(warmup_steps**-0.5 * min(arg1, arg2))

# %% right: the formula as it stands
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step < 1:
        raise ValueError(f"Steps are counted from 1, and this is step {step}.")
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)

# %% right: two branches from the peak
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if not step >= 1:
        raise ValueError("step must be at least 1, got " + str(step))
    peak = 1.0 / math.sqrt(d_model * warmup_steps)
    if step <= warmup_steps:
        return peak * step / warmup_steps
    return peak * math.sqrt(warmup_steps / step)

# %% right: numpy inside, a Python float comes back
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    import numpy as np

    if step <= 0:
        raise ValueError(f"there is no step {step}; the first one is 1")
    arg1 = np.power(float(step), -0.5)
    arg2 = float(step) * np.power(float(warmup_steps), -1.5)
    return float(np.power(float(d_model), -0.5) * np.minimum(arg1, arg2))
