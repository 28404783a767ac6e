"""Right answers in other forms, slips worked out in another way, and answers without work."""

# %% right: rounded by hand
encoding_on_paper = [-0.96, 0.28, 0.05, 1.0]


# %% right: a tuple
encoding_on_paper = (-0.959, 0.284, 0.050, 0.999)


# %% right: an array
encoding_on_paper = np.array([np.sin(5), np.cos(5), np.sin(0.05), np.cos(0.05)])


# %% right: a tensor
encoding_on_paper = torch.tensor([-0.96, 0.28, 0.05, 1.00])


# %% wrong: degrees, rounded
# true: in_degrees
encoding_on_paper = [0.09, 1.0, 0.0, 1.0]


# %% wrong: cosines at even dimensions, rounded
# true: cosine_first
encoding_on_paper = [0.28, -0.96, 1.0, 0.05]


# %% wrong: 10 instead of 100, rounded
# true: exponent_without_two
encoding_on_paper = [-0.96, 0.28, 0.48, 0.88]


# %% trivial: as in the comment
encoding_on_paper = [0.1, 0.2, 0.3, 0.4]


# %% trivial: row 0
encoding_on_paper = [0, 1, 0, 1]
