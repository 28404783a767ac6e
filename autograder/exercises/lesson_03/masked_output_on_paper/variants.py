"""Right answers in other forms, slips worked out in another way, and answers without work."""

# %% right: rounded by hand
masked_output_on_paper = [1.46, 1.08]


# %% right: weights rounded on the way
masked_output_on_paper = (0.73 * 2, 0.27 * 4)


# %% right: a tensor
masked_output_on_paper = torch.tensor([1.462, 1.076])


# %% right: an array, by matrices
masked_output_on_paper = np.array([2.718, 1.0]) / 3.718 @ np.array([[2.0, 0.0], [0.0, 4.0]])


# %% wrong: masked after the softmax, with rounded weights
# true: masked_after_the_softmax
masked_output_on_paper = [0.114 * 2, 0.042 * 4]


# %% wrong: score 0 for the blocked key, rounded
# true: blocked_score_is_zero
masked_output_on_paper = [2.42, 2.12]


# %% wrong: no mask, rounded
# true: mask_ignored
masked_output_on_paper = [5.29, 5.23]


# %% trivial: as in the comment
masked_output_on_paper = [0.5, 0.3]


# %% trivial: zeros
masked_output_on_paper = [0, 0]
