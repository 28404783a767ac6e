"""Right answers in other forms, slips worked out in another way, and answers without work."""

# %% right: a list
online_softmax_on_paper = [2, 8, 4]


# %% right: a tuple
online_softmax_on_paper = (2.0, 8.0, 4.0)


# %% right: with rounded numbers
online_softmax_on_paper = [0.67 + 1 + 0.33, 3 + 2 + 0.33 * 9, 7.97 / 2]


# %% right: an array
online_softmax_on_paper = np.array([2, 8, 4])


# %% right: a tensor
online_softmax_on_paper = torch.tensor([2.0, 8, 4])


# %% wrong: not shrunk, rounded
# true: not_shrunk
online_softmax_on_paper = [2.67, 11, 4.12]


# %% wrong: no maximum
# true: nothing_subtracted
online_softmax_on_paper = [12, 48, 4]


# %% wrong: only the total, typed in
# true: only_the_total_shrunk
online_softmax_on_paper = [2, 11, 5.5]


# %% trivial: as in the comment
online_softmax_on_paper = [1.0, 5.0, 5.0]


# %% trivial: zeros
online_softmax_on_paper = [0, 0, 0]
