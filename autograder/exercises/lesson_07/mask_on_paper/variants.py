"""Right answers in other forms, slips worked out in another way, and answers without work."""

# %% right: a list
mask_on_paper = [[0, 0, 0, 0], [0, 1, 0, 0], [0, 1, 1, 0], [0, 1, 1, 0]]


# %% right: truth values
mask_on_paper = [[False] * 4, [False, True, False, False], [False, True, True, False], [False, True, True, False]]


# %% right: tuples
mask_on_paper = ((0, 0, 0, 0), (0, 1, 0, 0), (0, 1, 1, 0), (0, 1, 1, 0))


# %% right: an array
mask_on_paper = np.tril(np.ones((4, 4))) * np.array([0, 1, 1, 0])


# %% right: a tensor
mask_on_paper = torch.ones(4, 4).tril().bool() & torch.tensor([False, True, True, False])


# %% wrong: the triangle
# true: padding_visible
mask_on_paper = np.tril(np.ones((4, 4)))


# %% wrong: four equal rows
# true: future_visible
mask_on_paper = [[0, 1, 1, 0]] * 4


# %% wrong: an empty last row
# true: padding_hidden_as_a_query
mask_on_paper = [[0, 0, 0, 0], [0, 1, 0, 0], [0, 1, 1, 0], [0, 0, 0, 0]]


# %% trivial: as in the comment
mask_on_paper = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]


# %% trivial: zeros
mask_on_paper = [[0] * 4] * 4
