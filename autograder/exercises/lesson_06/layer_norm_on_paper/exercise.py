"""Exercise `layer_norm_on_paper`: layer normalisation of one word."""

from autograder.exercises.on_paper import on_paper

EXERCISE = on_paper(
    "the output is right, to two decimals",
    like=[1.0, -0.5, 0.25, 0.0],
    minutes=5,
    hints=(
        "Write down four rows, as for *book*: deviations from the mean, their squares, the normalised "
        "numbers, the output.",
        "The mean is 5 and the deviations are -3, -2, 2 and 3. Their squares sum to 26: what do you divide 26 by?",
        "Divide the deviations by √6.5 = 2.55. Then multiply each by its gamma, and add its beta.",
    ),
)
