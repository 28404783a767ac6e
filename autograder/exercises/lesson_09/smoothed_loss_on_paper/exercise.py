"""Exercise `smoothed_loss_on_paper`: the label-smoothed loss of one token."""

from autograder.exercises.on_paper import on_paper

EXERCISE = on_paper(
    "the token costs the right number of nats, to two decimals",
    like=0.5,
    minutes=4,
    hints=(
        "Work out the cost of each of the four tokens first. There are two terms to make of them.",
        "The costs are 0.69, 1.39, 2.08 and 2.08. The first term has the label's cost, the second the mean of "
        "all four.",
        "The loss is 0.8 · 0.69 + 0.2 · 1.56.",
    ),
)
