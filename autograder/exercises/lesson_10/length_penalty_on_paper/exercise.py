"""Exercise `length_penalty_on_paper`: two translations of different length, scored."""

from autograder.exercises.on_paper import on_paper

EXERCISE = on_paper(
    "both translations have the right score, to two decimals",
    like=[-0.1, -0.2],
    minutes=3,
    hints=(
        "How many tokens does each translation have?",
        "The end counts, so the lengths are 2 and 4. Raise them to the power of 0.5.",
        "Divide -1.2 by √2 = 1.41, and -1.5 by √4 = 2.",
    ),
)
