"""Right answers in other forms, slips worked out in another way, and answers without work."""

# %% right: a list
window_reach_on_paper = [25, 3]


# %% right: a tuple
window_reach_on_paper = (25, 3)


# %% right: an array
window_reach_on_paper = np.array([25, 3])


# %% right: a tensor
window_reach_on_paper = torch.tensor([25, 3])


# %% wrong: the whole window
# true: window_without_itself
window_reach_on_paper = (30, 2)


# %% wrong: one too few
# true: itself_not_counted
window_reach_on_paper = [24, 3]


# %% wrong: rounded down
# true: rounded_down
window_reach_on_paper = np.array([25, 2])


# %% trivial: as in the comment
window_reach_on_paper = [10, 10]


# %% trivial: zeros
window_reach_on_paper = [0, 0]
