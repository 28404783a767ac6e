"""Exercise `mask_on_paper`: who may look at whom, with padding at both ends."""

from autograder.exercises.on_paper import on_paper

EXERCISE = on_paper(
    "each query may attend to the right keys",
    like=[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]],
    decimals=None,
    minutes=3,
    hints=(
        "Draw the triangle of four rows first. Then cross out what padding hides.",
        "Padding is hidden as a key: which two *columns* are all 0?",
        "The first and the last column are 0. In the two others, keep the cells on the diagonal and below it.",
    ),
)
