# %% right: 0 also where there is no reference either, c = r = 0 (written as wrong: the text did not leave that open)
def brevity_penalty(hypothesis_length: int, reference_length: int) -> float:
    if hypothesis_length == 0:
        return 0.0
    if hypothesis_length >= reference_length:
        return 1.0
    return math.exp(1 - reference_length / hypothesis_length)


# %% wrong: no upper bound of 1, so that translations which are too long are rewarded
# true: long_ones_gain
def brevity_penalty(hypothesis_length: int, reference_length: int) -> float:
    c, r = hypothesis_length, reference_length
    if c == 0:
        return 0.0 if r > 0 else 1.0
    return math.exp(1 - r / c)


# %% wrong: divides by at least 1, so that translations which say nothing get exp(1 - r) instead of 0
# true: divided_by_at_least_one
def brevity_penalty(hypothesis_length: int, reference_length: int) -> float:
    ratio = reference_length / max(hypothesis_length, 1)  # avoid division by zero
    return min(1.0, math.exp(1 - ratio))


# %% right: without a case distinction on c < r, from the number of tokens that are missing
def brevity_penalty(hypothesis_length: int, reference_length: int) -> float:
    missing = max(reference_length - hypothesis_length, 0)
    try:
        return math.exp(-missing / hypothesis_length)  # 1 - r / c = -(r - c) / c
    except ZeroDivisionError:
        return 0.0**missing  # 1 where nothing is missing, else 0
