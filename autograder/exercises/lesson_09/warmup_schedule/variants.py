# %% right: in one line
def warmup_schedule(step, d_model, warmup_steps):
    if step < 1:
        raise ValueError("the first step is 1")
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)


# %% right: as a share of the peak
def warmup_schedule(step, d_model, warmup_steps):
    if step <= 0:
        raise ValueError(f"no step {step}")
    peak = 1 / math.sqrt(d_model * warmup_steps)
    if step <= warmup_steps:
        return peak * step / warmup_steps
    return peak * math.sqrt(warmup_steps / step)


# %% right: through logarithms
def warmup_schedule(step, d_model, warmup_steps):
    if not step >= 1:
        raise ValueError("count from 1")
    terms = (-0.5 * math.log(step), math.log(step) - 1.5 * math.log(warmup_steps))
    return math.exp(min(terms) - 0.5 * math.log(d_model))


# %% right: through numpy
def warmup_schedule(step, d_model, warmup_steps):
    if step < 1:
        raise ValueError("count from 1")
    both = np.array([1 / np.sqrt(step), step / warmup_steps**1.5])
    return float(both.min() / np.sqrt(d_model))


# %% right: sorted terms
def warmup_schedule(step, d_model, warmup_steps):
    if int(step) < 1:
        raise ValueError("count from 1")
    smaller, _ = sorted([pow(step, -0.5), step * pow(warmup_steps, -1.5)])
    return pow(d_model, -0.5) * smaller


# %% wrong: only the root
# true: never_rises
def warmup_schedule(step, d_model, warmup_steps):
    if step < 1:
        raise ValueError("count from 1")
    return 1 / math.sqrt(d_model * step)


# %% wrong: without width
# true: width_left_out
def warmup_schedule(step, d_model, warmup_steps):
    if step < 1:
        raise ValueError("count from 1")
    return 1 / math.sqrt(step) if step > warmup_steps else step / warmup_steps**1.5


# %% wrong: no test
# true: step_0_divides_by_0
def warmup_schedule(step, d_model, warmup_steps):
    return min(1 / math.sqrt(step), step / warmup_steps**1.5) / math.sqrt(d_model)


# %% trivial: zero
def warmup_schedule(step, d_model, warmup_steps):
    return 0.0


# %% trivial: constant
def warmup_schedule(step, d_model, warmup_steps):
    return 1e-3


# %% trivial: the step
def warmup_schedule(step, d_model, warmup_steps):
    return float(step)
