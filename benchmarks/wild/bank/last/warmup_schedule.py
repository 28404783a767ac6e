# %% wrong: the Annotated Transformer's way out, step 0 is treated as step 1 (a ValueError is asked for where step is less than 1)
# true: step_0_taken_for_1
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step < 1:
        step = 1
    return d_model ** (-0.5) * min(step ** (-0.5), step * warmup_steps ** (-1.5))


# %% wrong: counts from 0 as LambdaLR does and adds one, so every rate is the next step's and the peak comes at warmup_steps - 1 ("step: counted from 1")
# true: counted_from_0
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if step < 1:
        raise ValueError(f"steps are counted from 1, and this is {step}")
    step = step + 1  # LambdaLR starts at 0
    arg1 = 1 / math.sqrt(step)
    arg2 = step * warmup_steps**-1.5
    return 1 / math.sqrt(d_model) * min(arg1, arg2)


# %% right: the peak first, then a share of it on either side
def warmup_schedule(step: int, d_model: int, warmup_steps: int) -> float:
    if not step >= 1:
        raise ValueError("The first step is step 1; there is no rate for step {}.".format(step))
    progress = step / warmup_steps
    share = progress if step <= warmup_steps else 1 / math.sqrt(progress)
    return share / math.sqrt(d_model * warmup_steps)
