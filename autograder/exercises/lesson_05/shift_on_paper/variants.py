"""Right answers in other forms, slips worked out in another way, and answers without work."""

# %% right: a list
shift_on_paper = [0.96, 0.28]


# %% right: a tuple
shift_on_paper = (0.96, 0.28)


# %% right: an array, by a product
shift_on_paper = np.array([0.6, 0.8]) @ np.array([[0.8, -0.6], [0.6, 0.8]])


# %% right: a tensor
shift_on_paper = torch.tensor([0.96, 0.28])


# %% wrong: turned back, by a product
# true: turned_back
shift_on_paper = np.array([0.6, 0.8]) @ np.array([[0.8, 0.6], [-0.6, 0.8]])


# %% wrong: without the minus, typed in
# true: minus_left_out
shift_on_paper = [0.96, 1.0]


# %% wrong: added, typed in
# true: numbers_added
shift_on_paper = [1.2, 1.6]


# %% trivial: as in the comment
shift_on_paper = [0.1, 0.2]


# %% trivial: the hand as it was
shift_on_paper = [0.6, 0.8]
