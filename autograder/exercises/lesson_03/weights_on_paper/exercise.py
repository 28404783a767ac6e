"""Exercise `weights_on_paper`: the attention weights of one query over three keys."""

from autograder.exercises.on_paper import on_paper

EXERCISE = on_paper(
    "the weights are right, to two decimals",
    like=[0.5, 0.3, 0.2],
    minutes=4,
    hints=(
        "Write down four rows, as in the table of *its*: scores, scaled scores, powers of e, weights. Check each row "
        "before you begin the next.",
        "The scores are 4, 2 and 1. A query of four numbers has d_k = 4: what do you divide them by?",
        "Divide the scores by √4 = 2, take powers of e, and divide each power by the sum of all three.",
    ),
)
