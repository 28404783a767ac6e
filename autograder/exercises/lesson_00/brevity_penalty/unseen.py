# %% wrong (first): the ratio is upside down, exp(1 - c/r), so short translations get more than 1
# true: ratio_turned
def brevity_penalty(hypothesis_length, reference_length):
    if hypothesis_length >= reference_length:
        return 1.0
    if hypothesis_length == 0:
        return 0.0
    return math.exp(1 - hypothesis_length / reference_length)

# %% wrong (first): the cases are exchanged, the long are punished and the short are not
# true: cases_exchanged
def brevity_penalty(hypothesis_length: int, reference_length: int) -> float:
    c, r = hypothesis_length, reference_length
    if c == 0:
        return 0.0 if r else 1.0
    return 1.0 if c < r else math.exp(1 - r / c)

# %% wrong (first): no case for c >= r, too long translations get more than 1
# true: long_ones_gain
def brevity_penalty(hypothesis_length, reference_length):
    if hypothesis_length == 0:
        return 0.0 if reference_length > 0 else 1.0
    return float(np.exp(1.0 - reference_length / hypothesis_length))
import numpy as np

# %% wrong (first): divides by zero where nothing was said
# true: stops_at_nothing
def brevity_penalty(hypothesis_length: int, reference_length: int) -> float:
    if hypothesis_length >= reference_length:
        return 1.0
    else:
        return math.exp(1 - reference_length / hypothesis_length)

# %% wrong (first): the plain ratio c/r in place of the exponential
# true: plain_ratio
def brevity_penalty(hypothesis_length, reference_length):
    if reference_length == 0:
        return 1.0
    return min(1.0, float(hypothesis_length) / float(reference_length))

# %% wrong (first): whole-number division r // c
# true: whole_number_division
def brevity_penalty(hypothesis_length, reference_length):
    if hypothesis_length >= reference_length:
        return 1.0
    if not hypothesis_length:
        return 0.0
    return math.exp(1 - reference_length // hypothesis_length)

# %% wrong (first): exp(-r/c), the 1 is missing, so the penalty jumps at c = r
# true: one_left_out
def brevity_penalty(hypothesis_length: int, reference_length: int) -> float:
    assert hypothesis_length >= 0 and reference_length >= 0
    if hypothesis_length >= reference_length:
        return 1.0
    if hypothesis_length == 0:
        return 0.0
    return math.e ** (-reference_length / hypothesis_length)

# %% wrong (first): too long translations are punished as well, symmetrically
# true: long_ones_lose_as_much
def brevity_penalty(hypothesis_length, reference_length):
    short, long = sorted((hypothesis_length, reference_length))
    if long == 0:
        return 1.0
    if short == 0:
        return 0.0
    return math.exp(1 - long / short)

# %% wrong (first): nothing said gets 1, not 0 (the guard against the division returns no penalty)
# true: nothing_is_enough
def brevity_penalty(hypothesis_length, reference_length):
    if hypothesis_length == 0 or hypothesis_length >= reference_length:
        return 1.0
    ratio = reference_length / hypothesis_length
    return math.exp(1 - ratio)

# %% wrong (first): a power of two, not of e
# true: power_of_two
def brevity_penalty(hypothesis_length, reference_length):
    c, r = hypothesis_length, reference_length
    if c >= r:
        return 1.0
    if c == 0:
        return 0.0
    return 2 ** (1 - r / c)

# %% wrong (first): 0 wherever nothing was said, also where there was nothing to say (c = r = 0) / the difference r - c instead of the ratio
# true: difference_of_lengths
def brevity_penalty(hypothesis_length, reference_length):
    if hypothesis_length == 0:
        return 0.0
    if hypothesis_length > reference_length:
        return 1.0
    return math.exp(hypothesis_length - reference_length)

# %% wrong (first): returns the logarithm of the penalty (0 and 1 - r/c), as it is added in the log domain
# true: logarithm_returned
def brevity_penalty(hypothesis_length: int, reference_length: int) -> float:
    if hypothesis_length == 0 and reference_length:
        return 0.0
    if hypothesis_length >= reference_length:
        return 0.0
    return min(0.0, 1 - reference_length / hypothesis_length)

# %% wrong (first): the ratio is upside down / divides by zero where the references are empty
def brevity_penalty(hypothesis_length, reference_length):
    ratio = hypothesis_length / reference_length
    return 1.0 if ratio > 1 else float(math.exp(1.0 - ratio))

# %% right (first): plain cases
def brevity_penalty(hypothesis_length: int, reference_length: int) -> float:
    if hypothesis_length >= reference_length:
        return 1.0
    if hypothesis_length == 0:
        return 0.0
    return math.exp(1 - reference_length / hypothesis_length)

# %% right (first): min inside the exponent, numpy
import numpy as np

def brevity_penalty(hypothesis_length, reference_length):
    c, r = float(hypothesis_length), float(reference_length)
    if c == 0:
        return 1.0 if r == 0 else 0.0
    return float(np.exp(min(0.0, 1.0 - r / c)))

# %% right (first): ternary with math.e and a power
def brevity_penalty(hypothesis_length, reference_length):
    c, r = hypothesis_length, reference_length
    try:
        return 1.0 if c > r else math.e ** (1 - r / c)
    except ZeroDivisionError:
        return 0.0 if r > 0 else 1.0

# %% right (third): 0 also where there is no reference either, c = r = 0 (written as wrong: the text did not leave that open)
def brevity_penalty(hypothesis_length: int, reference_length: int) -> float:
    if hypothesis_length == 0:
        return 0.0
    if hypothesis_length >= reference_length:
        return 1.0
    return math.exp(1 - reference_length / hypothesis_length)


# %% wrong (third): no upper bound of 1, so that translations which are too long are rewarded
# true: long_ones_gain
def brevity_penalty(hypothesis_length: int, reference_length: int) -> float:
    c, r = hypothesis_length, reference_length
    if c == 0:
        return 0.0 if r > 0 else 1.0
    return math.exp(1 - r / c)


# %% wrong (third): divides by at least 1, so that translations which say nothing get exp(1 - r) instead of 0
# true: divided_by_at_least_one
def brevity_penalty(hypothesis_length: int, reference_length: int) -> float:
    ratio = reference_length / max(hypothesis_length, 1)  # avoid division by zero
    return min(1.0, math.exp(1 - ratio))


# %% right (third): without a case distinction on c < r, from the number of tokens that are missing
def brevity_penalty(hypothesis_length: int, reference_length: int) -> float:
    missing = max(reference_length - hypothesis_length, 0)
    try:
        return math.exp(-missing / hypothesis_length)  # 1 - r / c = -(r - c) / c
    except ZeroDivisionError:
        return 0.0**missing  # 1 where nothing is missing, else 0

# %% wrong (last): a length of 0 is taken for 1, to avoid the division by zero
# true: divided_by_at_least_one
# Violates "0 where c is 0": with r = 1 it gives 1, with r = 3 it gives exp(-2).
def brevity_penalty(hypothesis_length: int, reference_length: int) -> float:
    c = max(hypothesis_length, 1)
    return min(1.0, math.exp(1 - reference_length / c))


# %% wrong (last): what is too long pays as well
# true: long_ones_lose_too
# Violates "exp(1 - r / c) where c < r, and 1 elsewhere".
def brevity_penalty(hypothesis_length: int, reference_length: int) -> float:
    if hypothesis_length == 0:
        return 0.0
    return math.exp(-abs(1 - reference_length / hypothesis_length))


# %% right (last): structural pattern matching
def brevity_penalty(hypothesis_length: int, reference_length: int) -> float:
    match (hypothesis_length, reference_length):
        case (0, _):
            return 0.0
        case (c, r) if r - c > 0:
            return math.exp((c - r) / c)
    return 1.0


# %% wrong (fifth): divides by zero if the translations say nothing
# true: stops_at_nothing
def brevity_penalty(hypothesis_length: int, reference_length: int) -> float:
    return min(1.0, math.exp(1 - reference_length / hypothesis_length))


# %% wrong (fifth): long translations are lowered, too
# true: long_ones_lose_too
def brevity_penalty(hypothesis_length: int, reference_length: int) -> float:
    if hypothesis_length == 0:
        return 0.0
    return math.exp(-abs(1 - reference_length / hypothesis_length))
