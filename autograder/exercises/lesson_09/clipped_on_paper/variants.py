"""Right answers in other forms, slips worked out in another way, and answers without work."""

# %% right: a list
clipped_on_paper = [1, 2, 2]


# %% right: a tuple
clipped_on_paper = (1.0, 2.0, 2.0)


# %% right: an array
clipped_on_paper = np.array([2, 4, 4]) / 2


# %% right: a tensor
clipped_on_paper = 3 * F.normalize(torch.tensor([2.0, 4, 4]), dim=0)


# %% wrong: each parameter, rounded
# true: each_parameter_by_itself
clipped_on_paper = [1.34, 2.68, 3]


# %% wrong: cut off
# true: each_number_by_itself
clipped_on_paper = [2, 3, 3]


# %% wrong: normalised
# true: norm_of_one
clipped_on_paper = F.normalize(torch.tensor([2.0, 4, 4]), dim=0)


# %% trivial: as in the comment
clipped_on_paper = [0.1, 0.2, 0.3]


# %% trivial: zeros
clipped_on_paper = [0, 0, 0]
