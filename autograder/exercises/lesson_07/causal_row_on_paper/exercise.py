"""Exercise `causal_row_on_paper`: the weights of one word that may not look ahead."""

from autograder.exercises.on_paper import on_paper

EXERCISE = on_paper(
    "the weights are right, to two decimals",
    like=[0.4, 0.3, 0.2, 0.1],
    minutes=3,
    hints=(
        "Which of the four words may the second word look at?",
        "It may look at the first word and at itself. The other two scores become minus infinity: what are "
        "their powers?",
        "The powers are 2.72, 7.39, 0 and 0. Divide each by their sum, 10.11.",
    ),
)
