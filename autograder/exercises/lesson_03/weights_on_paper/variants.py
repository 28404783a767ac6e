"""Right answers in other forms, slips worked out in another way, and answers without work."""

# %% right: rounded by hand
weights_on_paper = [0.63, 0.23, 0.14]


# %% right: a tuple with more digits
weights_on_paper = (0.6285, 0.2312, 0.1402)


# %% right: an array
weights_on_paper = np.array([0.63, 0.23, 0.14])


# %% right: a tensor in float32
weights_on_paper = torch.tensor([0.63, 0.23, 0.14])


# %% right: cut off instead of rounded
weights_on_paper = [0.62, 0.23, 0.14]


# %% right: fractions of rounded powers
from fractions import Fraction

weights_on_paper = [Fraction(739, 1176), Fraction(272, 1176), Fraction(165, 1176)]


# %% wrong: not scaled, rounded by hand
# true: not_scaled
weights_on_paper = [0.84, 0.11, 0.04]


# %% wrong: divided by the width, rounded by hand
# true: divided_by_the_width
weights_on_paper = [0.48, 0.29, 0.23]


# %% wrong: no exponential, from the scores that are not scaled
# true: no_exponential
weights_on_paper = [4 / 7, 2 / 7, 1 / 7]


# %% trivial: as in the comment
weights_on_paper = [0.5, 0.3, 0.2]


# %% trivial: all equal
weights_on_paper = [1 / 3, 1 / 3, 1 / 3]
