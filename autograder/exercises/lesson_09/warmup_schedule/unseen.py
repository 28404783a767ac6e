# %% wrong (first): the larger of the two terms is taken, not the smaller
# true: larger_of_the_two
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step < 1:
        raise ValueError(f"steps are counted from 1, not {step}")
    return d_model**-0.5 * max(step**-0.5, step * warmup_steps**-1.5)

# %% wrong (first): the warm-up's exponent is -0.5, so the rate rises far too steeply
# true: warmup_to_the_minus_half
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step < 1:
        raise ValueError("The first step is step 1.")
    arg1 = step**-0.5
    arg2 = step * (warmup_steps**-0.5)
    return (d_model**-0.5) * min(arg1, arg2)

# %% wrong (first): it multiplies by the root of the width, wider models get higher rates
# true: wider_is_faster
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step < 1:
        raise ValueError("step must be at least 1")
    scale = math.sqrt(d_model)
    return float(scale * min(1 / math.sqrt(step), step / warmup_steps**1.5))

# %% wrong (first): step 0 is taken for step 1, nothing is raised
# true: step_0_taken_for_1
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step == 0:
        step = 1
    return d_model ** (-0.5) * min(step ** (-0.5), step * warmup_steps ** (-1.5))

# %% wrong (first): steps are counted from 0, the rate is that of the next step
# true: first_step_is_0
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step < 0:
        raise ValueError("a step cannot be negative")
    step = step + 1
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)

# %% wrong (first): an AssertionError is raised where a ValueError should be
# true: refused_by_assert
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    assert step >= 1, "steps are counted from 1"
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)

# %% wrong (first): after the warm-up the rate stays where it is instead of falling
# true: stays_at_its_peak
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step < 1:
        raise ValueError(f"step is {step}, and must be 1 or more")
    peak = (d_model * warmup_steps) ** -0.5
    if step < warmup_steps:
        return peak * step / warmup_steps
    return peak

# %% wrong (first): the bracket is closed too late, the power is taken of the product of step and warm-up
# true: power_of_the_product
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step < 1:
        raise ValueError("no such step: they are counted from 1")
    return d_model**-0.5 * min(step**-0.5, (step * warmup_steps) ** -1.5)

# %% wrong (first): only step 0 is refused, a negative step gets a number
# true: negative_steps_not_refused
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step == 0:
        raise ValueError("step 0 does not exist, begin with 1")
    falling = abs(step) ** -0.5
    rising = step * warmup_steps**-1.5
    return d_model**-0.5 * min(falling, rising)

# %% wrong (first): a factor between 0 and 1 comes back, the rate divided by its peak, as LambdaLR would multiply it
# true: peak_of_one
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step < 1:
        raise ValueError("step must be positive")
    lr = d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)
    return lr / (d_model * warmup_steps) ** -0.5

# %% wrong (first): the rate is printed and nothing comes back
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step < 1:
        raise ValueError("step must be at least 1")
    rate = d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)
    print(f"step {step}: {rate:.2e}")

# %% wrong (first): the rate falls with 1/step behind the peak, not with its root
# true: falls_from_the_peak_with_the_step
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step < 1:
        raise ValueError("step must be at least 1")
    if step <= warmup_steps:
        return d_model**-0.5 * step * warmup_steps**-1.5
    return d_model**-0.5 * warmup_steps**-0.5 * warmup_steps / step

# %% wrong (first): the width is divided by with whole numbers, so the rate is 0 from width 2 on / step 0 gives a rate of 0
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step == 0:
        return 0.0
    return (1 // d_model) ** 0.5 * min(step**-0.5, step * warmup_steps**-1.5)

# %% wrong (first): the largest step so far is remembered between calls and counted on, an earlier step gets a later step's rate
_calls = {"step": 0}


def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step < 1:
        raise ValueError("steps begin with 1")
    _calls["step"] = max(_calls["step"] + 1, step)
    s = _calls["step"]
    return d_model**-0.5 * min(s**-0.5, s * warmup_steps**-1.5)

# %% wrong (first): width and warm-up have changed places in the formula / a step below 1 is set to 1
# true: width_and_warmup_swapped, step_0_taken_for_1
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    step = max(1, int(step))
    arg1 = step**-0.5
    arg2 = step * d_model**-1.5
    return float(warmup_steps**-0.5 * min(arg1, arg2))

# %% right (first): the formula as it stands
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step < 1:
        raise ValueError(f"Steps are counted from 1, and this is step {step}.")
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)

# %% right (first): two branches from the peak
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if not step >= 1:
        raise ValueError("step must be at least 1, got " + str(step))
    peak = 1.0 / math.sqrt(d_model * warmup_steps)
    if step <= warmup_steps:
        return peak * step / warmup_steps
    return peak * math.sqrt(warmup_steps / step)

# %% right (first): numpy inside, a Python float comes back
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    import numpy as np

    if step <= 0:
        raise ValueError(f"there is no step {step}; the first one is 1")
    arg1 = np.power(float(step), -0.5)
    arg2 = float(step) * np.power(float(warmup_steps), -1.5)
    return float(np.power(float(d_model), -0.5) * np.minimum(arg1, arg2))

# %% wrong (second): the rising line is step / warmup without the factor warmup^-0.5, so the two do not meet at the end of the warm-up
# true: rises_to_one
def warmup_schedule(step, d_model, warmup_steps):
    if step < 1:
        raise ValueError(f"steps are counted from 1, got {step}")
    arg1 = step ** -0.5
    arg2 = step / warmup_steps
    return float(d_model ** -0.5 * min(arg1, arg2))


# %% wrong (second): after the warm-up the steps are counted anew from its end, so the rate jumps up and does not fall from the peak
# true: counted_anew_after_the_warmup
def warmup_schedule(step, d_model, warmup_steps):
    if step < 1:
        raise ValueError("step must be at least 1")
    scale = 1.0 / math.sqrt(d_model)
    if step <= warmup_steps:
        return scale * step * warmup_steps ** -1.5
    return scale * (step - warmup_steps) ** -0.5


# %% wrong (second): only step 0 is refused; a negative step gets a negative rate instead of a ValueError
# true: negative_steps_not_refused
def warmup_schedule(step, d_model, warmup_steps):
    if step == 0:
        raise ValueError("The first step is 1, not 0.")
    rising = step * warmup_steps ** -1.5
    if step < warmup_steps:
        return d_model ** -0.5 * rising
    return d_model ** -0.5 * min(step ** -0.5, rising)


# %% right (second): the peak first, then the share of it by a ratio, in plain floats
def warmup_schedule(step, d_model, warmup_steps):
    if not step >= 1:
        raise ValueError(f"The learning rate is defined from step 1 on, not for step {step}.")
    peak = 1.0 / math.sqrt(d_model * warmup_steps)
    ratio = step / warmup_steps
    return peak * ratio if ratio <= 1 else peak / math.sqrt(ratio)

# %% wrong (third): an assertion, and so an AssertionError, in place of the ValueError
# true: refused_by_assert
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    assert step >= 1, "step must be at least 1"
    arg1 = step ** (-0.5)
    arg2 = step * warmup_steps ** (-1.5)
    return d_model ** (-0.5) * min(arg1, arg2)


# %% wrong (third): refuses 0 only: a negative step gets a number, and not even a real one
# true: negative_steps_not_refused
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step == 0:
        raise ValueError("steps are counted from 1, got 0")
    if step < warmup_steps:
        return d_model**-0.5 * step * warmup_steps**-1.5
    return d_model**-0.5 * step**-0.5


# %% wrong (third): after the peak it counts from the end of the warm-up, and so falls much too fast
# true: peak_falls_from_the_end_of_the_warmup
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step < 1:
        raise ValueError(f"step must be >= 1, got {step}")
    peak = (d_model * warmup_steps) ** -0.5
    if step <= warmup_steps:
        return peak * step / warmup_steps
    return peak * (step - warmup_steps + 1) ** -0.5


# %% right (third): the peak, times a share that rises to 1 and falls from it
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if not step >= 1:
        raise ValueError(f"Steps are counted from 1, and this is step {step}.")
    peak = 1.0 / math.sqrt(d_model * warmup_steps)
    progress = step / warmup_steps
    share = progress if progress < 1 else 1.0 / math.sqrt(progress)
    return peak * share

# %% wrong (last): the Annotated Transformer's way out, step 0 is treated as step 1 (a ValueError is asked for where step is less than 1)
# true: step_0_taken_for_1
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step < 1:
        step = 1
    return d_model ** (-0.5) * min(step ** (-0.5), step * warmup_steps ** (-1.5))


# %% wrong (last): counts from 0 as LambdaLR does and adds one, so every rate is the next step's and the peak comes at warmup_steps - 1 ("step: counted from 1")
# true: counted_from_0
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step < 1:
        raise ValueError(f"steps are counted from 1, and this is {step}")
    step = step + 1  # LambdaLR starts at 0
    arg1 = 1 / math.sqrt(step)
    arg2 = step * warmup_steps**-1.5
    return 1 / math.sqrt(d_model) * min(arg1, arg2)


# %% right (last): the peak first, then a share of it on either side
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if not step >= 1:
        raise ValueError("The first step is step 1; there is no rate for step {}.".format(step))
    progress = step / warmup_steps
    share = progress if step <= warmup_steps else 1 / math.sqrt(progress)
    return share / math.sqrt(d_model * warmup_steps)


# %% wrong (fifth): a step of 0 or less is taken as step 1 and no ValueError is raised
# true: step_0_taken_for_1
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    # schedulers start counting at 0, and 0 ** -0.5 would crash
    if step <= 0:
        step = 1
    return d_model ** (-0.5) * min(step ** (-0.5), step * warmup_steps ** (-1.5))


# %% wrong (fifth): the rate comes back as a float32 tensor, not as a Python number
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step < 1:
        raise ValueError(f"steps are counted from 1, got step {step}")
    s = torch.tensor(float(step))
    return d_model**-0.5 * torch.minimum(s.rsqrt(), s * warmup_steps**-1.5)


# %% right (fifth): written as a peak, with one branch before it and one after it
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if not step >= 1:
        raise ValueError(f"steps are counted from 1, but this is step {step}")
    peak = 1 / math.sqrt(d_model * warmup_steps)
    if step <= warmup_steps:
        return peak * step / warmup_steps
    return peak * math.sqrt(warmup_steps / step)
