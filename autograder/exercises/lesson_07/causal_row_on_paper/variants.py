"""Right answers in other forms, slips worked out in another way, and answers without work."""

# %% right: rounded by hand
causal_row_on_paper = [0.27, 0.73, 0, 0]


# %% right: a tuple
causal_row_on_paper = (0.269, 0.731, 0.0, 0.0)


# %% right: an array
causal_row_on_paper = np.array([2.72, 7.39, 0, 0]) / 10.11


# %% right: a tensor, by a masked softmax
causal_row_on_paper = torch.tensor([1, 2, -torch.inf, -torch.inf]).softmax(dim=0)


# %% wrong: softmax of all four
# true: no_mask
causal_row_on_paper = torch.tensor([1.0, 2, 0, 3]).softmax(dim=0)


# %% wrong: zeroed too late, rounded
# true: zeroed_after_the_softmax
causal_row_on_paper = [0.09, 0.24, 0, 0]


# %% wrong: only the first word
# true: itself_hidden
causal_row_on_paper = [1, 0, 0, 0]


# %% trivial: as in the comment
causal_row_on_paper = [0.4, 0.3, 0.2, 0.1]


# %% trivial: all equal
causal_row_on_paper = [0.25] * 4
