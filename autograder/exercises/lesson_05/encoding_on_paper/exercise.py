"""Exercise `encoding_on_paper`: one row of the sinusoidal encoding."""

from autograder.exercises.on_paper import on_paper

EXERCISE = on_paper(
    "the row is right, to two decimals",
    like=[0.1, 0.2, 0.3, 0.4],
    minutes=4,
    hints=(
        "Write down the angle of each pair first. There are two pairs.",
        "The first pair turns by 1 per position, the second by 1/100. The angles are 5 and 0.05, in radians.",
        "The row is sin 5, cos 5, sin 0.05, cos 0.05, with the calculator set to radians.",
    ),
)
