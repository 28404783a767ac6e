"""Right answers in other forms, slips worked out in another way, and answers without work."""

# %% right: rounded by hand
length_penalty_on_paper = [-0.85, -0.75]


# %% right: a tuple
length_penalty_on_paper = (-1.2 / 1.41, -1.5 / 2)


# %% right: an array
length_penalty_on_paper = np.array([-1.2, -1.5]) / np.sqrt([2, 4])


# %% right: a tensor
length_penalty_on_paper = torch.tensor([-0.849, -0.75])


# %% wrong: the end not counted, rounded
# true: end_not_counted
length_penalty_on_paper = [-1.2, -0.87]


# %% wrong: means, rounded
# true: divided_by_the_length
length_penalty_on_paper = [-0.6, -0.38]


# %% wrong: as Wu, rounded
# true: penalty_of_wu
length_penalty_on_paper = [-1.11, -1.22]


# %% trivial: as in the comment
length_penalty_on_paper = [-0.1, -0.2]


# %% trivial: zeros
length_penalty_on_paper = [0, 0]
