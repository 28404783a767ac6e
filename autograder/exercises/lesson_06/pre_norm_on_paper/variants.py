"""Right answers in other forms, slips worked out in another way, and answers without work."""

# %% right: a list
pre_norm_on_paper = [8, 2]


# %% right: a tuple
pre_norm_on_paper = (8.0, 2.0)


# %% right: an array
pre_norm_on_paper = np.array([5 + 3, 1 + 1])


# %% right: a tensor
pre_norm_on_paper = torch.tensor([8.0, 2.0])


# %% wrong: post-norm, typed in
# true: post_norm
pre_norm_on_paper = [1, -1]


# %% wrong: without the residual connection, typed in
# true: nothing_added
pre_norm_on_paper = (3, 1)


# %% wrong: no norm, typed in
# true: no_norm
pre_norm_on_paper = [20, 4]


# %% trivial: as in the comment
pre_norm_on_paper = [1.0, -0.5]


# %% trivial: the word as it came in
pre_norm_on_paper = [5, 1]
