"""Right answers in other forms, slips worked out in another way, and answers without work."""

# %% right: rounded by hand
smoothed_loss_on_paper = 0.87


# %% right: with rounded costs
smoothed_loss_on_paper = 0.8 * 0.69 + 0.2 * (0.69 + 1.39 + 2.08 + 2.08) / 4


# %% right: an array
smoothed_loss_on_paper = np.array(0.866)


# %% right: a tensor, by PyTorch
smoothed_loss_on_paper = F.cross_entropy(
    torch.tensor([[0.5, 0.25, 0.125, 0.125]]).log(), torch.tensor([0]), label_smoothing=0.2
)


# %% wrong: the plain loss
# true: no_smoothing
smoothed_loss_on_paper = 0.69


# %% wrong: among the others, rounded
# true: shared_among_the_others
smoothed_loss_on_paper = 0.92


# %% wrong: the sum, rounded
# true: sum_for_mean
smoothed_loss_on_paper = 1.80


# %% trivial: as in the comment
smoothed_loss_on_paper = 0.5


# %% trivial: zero
smoothed_loss_on_paper = 0
