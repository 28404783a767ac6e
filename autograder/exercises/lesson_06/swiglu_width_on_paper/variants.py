"""Right answers in other forms, slips worked out in another way, and answers without work."""

# %% right: a list
swiglu_width_on_paper = [288, 16]


# %% right: a tuple of floats
swiglu_width_on_paper = (288.0, 16.0)


# %% right: an array
swiglu_width_on_paper = np.array([2 * 6 * 24, 24 * 2 / 3])


# %% right: a tensor
swiglu_width_on_paper = torch.tensor([288, 16])


# %% wrong: the same width, typed in
# true: same_width
swiglu_width_on_paper = [288, 24]


# %% wrong: a half, typed in
# true: half_the_width
swiglu_width_on_paper = (288, 12)


# %% wrong: three halves, typed in
# true: ratio_inverted
swiglu_width_on_paper = [288, 36]


# %% trivial: as in the comment
swiglu_width_on_paper = [100, 10]


# %% trivial: the widths as they are
swiglu_width_on_paper = [6, 24]
