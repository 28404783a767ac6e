"""Right answers in other forms, slips worked out in another way, and answers without work."""

# %% right: rounded by hand
layer_norm_on_paper = [-1.18, -0.78, 1.57, 3.35]


# %% right: a tuple
layer_norm_on_paper = (-1.18, -0.78, 1.57, 3.35)


# %% right: an array, by NumPy
layer_norm_on_paper = (np.array([2, 3, 7, 8]) - 5) / np.sqrt(6.5) * np.array([1, 1, 2, 2]) + np.array([0, 0, 0, 1])


# %% right: a tensor, by PyTorch
layer_norm_on_paper = F.layer_norm(
    torch.tensor([2.0, 3, 7, 8]), (4,), torch.tensor([1.0, 1, 2, 2]), torch.tensor([0.0, 0, 0, 1])
)


# %% right: with a rounded root
layer_norm_on_paper = [-3 / 2.55, -2 / 2.55, 4 / 2.55, 6 / 2.55 + 1]


# %% wrong: standard deviation of a sample, by PyTorch
# true: variance_over_three
layer_norm_on_paper = [-1.02, -0.68, 1.36, 3.04]


# %% wrong: only normalised
# true: gain_and_bias_left_out
layer_norm_on_paper = F.layer_norm(torch.tensor([2.0, 3, 7, 8]), (4,))


# %% wrong: not centred, rounded
# true: mean_not_subtracted
layer_norm_on_paper = [0.78, 1.18, 5.49, 7.28]


# %% trivial: as in the comment
layer_norm_on_paper = [1.0, -0.5, 0.25, 0.0]


# %% trivial: the features as they are
layer_norm_on_paper = [2, 3, 7, 8]
