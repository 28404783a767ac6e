# %% wrong: the rising line is step / warmup without the factor warmup^-0.5, so the two do not meet at the end of the warm-up
# true: rises_to_one
def warmup_schedule(step, d_model, warmup_steps):
    if step < 1:
        raise ValueError(f"steps are counted from 1, got {step}")
    arg1 = step ** -0.5
    arg2 = step / warmup_steps
    return float(d_model ** -0.5 * min(arg1, arg2))


# %% wrong: after the warm-up the steps are counted anew from its end, so the rate jumps up and does not fall from the peak
# true: counted_anew_after_the_warmup
def warmup_schedule(step, d_model, warmup_steps):
    if step < 1:
        raise ValueError("step must be at least 1")
    scale = 1.0 / math.sqrt(d_model)
    if step <= warmup_steps:
        return scale * step * warmup_steps ** -1.5
    return scale * (step - warmup_steps) ** -0.5


# %% wrong: only step 0 is refused; a negative step gets a negative rate instead of a ValueError
# true: negative_steps_not_refused
def warmup_schedule(step, d_model, warmup_steps):
    if step == 0:
        raise ValueError("The first step is 1, not 0.")
    rising = step * warmup_steps ** -1.5
    if step < warmup_steps:
        return d_model ** -0.5 * rising
    return d_model ** -0.5 * min(step ** -0.5, rising)


# %% right: the peak first, then the share of it by a ratio, in plain floats
def warmup_schedule(step, d_model, warmup_steps):
    if not step >= 1:
        raise ValueError(f"The learning rate is defined from step 1 on, not for step {step}.")
    peak = 1.0 / math.sqrt(d_model * warmup_steps)
    ratio = step / warmup_steps
    return peak * ratio if ratio <= 1 else peak / math.sqrt(ratio)
