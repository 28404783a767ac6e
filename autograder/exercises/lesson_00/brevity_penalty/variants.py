# %% right: smaller of two
def brevity_penalty(hypothesis_length, reference_length):
    if not hypothesis_length:
        return 0.0
    return min(1.0, math.exp(1.0 - reference_length / hypothesis_length))


# %% right: e to the
def brevity_penalty(hypothesis_length, reference_length):
    c, r = hypothesis_length, reference_length
    if c > r:
        return 1.0
    return math.e ** (1 - r / c) if c else 0.0


# %% right: through numpy
def brevity_penalty(hypothesis_length, reference_length):
    import numpy as np

    with np.errstate(divide="ignore"):
        return np.exp(np.minimum(0.0, 1 - np.divide(float(reference_length), float(hypothesis_length))))


# %% right: through torch
def brevity_penalty(hypothesis_length, reference_length):
    import torch

    lengths = torch.tensor([hypothesis_length, reference_length], dtype=torch.float64)
    return (1 - lengths[1] / lengths[0]).clamp(max=0).exp().item()


# %% right: caught
def brevity_penalty(hypothesis_length, reference_length):
    try:
        missing = max(0, reference_length - hypothesis_length) / hypothesis_length
    except ZeroDivisionError:
        return 0.0
    return math.exp(-missing)


# %% wrong: linear
# true: exponential_left_out
def brevity_penalty(hypothesis_length, reference_length):
    if hypothesis_length >= reference_length:
        return 1.0
    return (hypothesis_length - reference_length) / hypothesis_length if hypothesis_length else 0.0


# %% wrong: by other names
# true: lengths_exchanged
def brevity_penalty(reference_length, hypothesis_length):
    if not hypothesis_length:
        return 0.0
    return min(1.0, math.exp(1 - reference_length / hypothesis_length))


# %% wrong: a hundred times
# true: in_percent
def brevity_penalty(hypothesis_length, reference_length):
    if hypothesis_length == 0:
        return 0.0
    return 100 * min(1, math.exp(1 - reference_length / hypothesis_length))


# %% trivial: one
def brevity_penalty(hypothesis_length, reference_length):
    return 1.0


# %% trivial: zero
def brevity_penalty(hypothesis_length, reference_length):
    return 0.0


# %% trivial: is long enough
def brevity_penalty(hypothesis_length, reference_length):
    return float(hypothesis_length >= reference_length)
