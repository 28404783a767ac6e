# %% wrong: a length of 0 is taken for 1, to avoid the division by zero
# true: divided_by_at_least_one
# Violates "0 where c is 0": with r = 1 it gives 1, with r = 3 it gives exp(-2).
def brevity_penalty(hypothesis_length: int, reference_length: int) -> float:
    c = max(hypothesis_length, 1)
    return min(1.0, math.exp(1 - reference_length / c))


# %% wrong: what is too long pays as well
# true: long_ones_lose_too
# Violates "exp(1 - r / c) where c < r, and 1 elsewhere".
def brevity_penalty(hypothesis_length: int, reference_length: int) -> float:
    if hypothesis_length == 0:
        return 0.0
    return math.exp(-abs(1 - reference_length / hypothesis_length))


# %% right: structural pattern matching
def brevity_penalty(hypothesis_length: int, reference_length: int) -> float:
    match (hypothesis_length, reference_length):
        case (0, _):
            return 0.0
        case (c, r) if r - c > 0:
            return math.exp((c - r) / c)
    return 1.0
