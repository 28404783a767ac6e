"""Exercise `pre_norm_on_paper`: what a pre-norm sub-layer makes of one word."""

from autograder.exercises.on_paper import on_paper

EXERCISE = on_paper(
    "the word that comes out is right, to two decimals",
    like=[1.0, -0.5],
    minutes=4,
    hints=(
        "Draw the two ways from input to output: which one has the norm on it?",
        "The mean of 5 and 1 is 3, and the deviations are 2 and -2. So the sub-layer reads 1 and -1. What "
        "does it make of them?",
        "The sub-layer makes 3 and 1 of 1 and -1. Add 3 and 1 to the word as it came in.",
    ),
)
