"""Exercise `masked_output_on_paper`: what one query gets from two of its three keys."""

from autograder.exercises.on_paper import on_paper

EXERCISE = on_paper(
    "the output is right, to two decimals",
    like=[0.5, 0.3],
    minutes=4,
    hints=(
        "First work out the three weights. Which of them must be 0, and what do the others sum to?",
        "The blocked key's score counts as minus infinity, so its power is 0. The two other powers are e = 2.72 and 1.",
        "Divide 2.72 and 1 by their sum, 3.72. These are the weights of the first two values; add up the values by weight.",
    ),
)
