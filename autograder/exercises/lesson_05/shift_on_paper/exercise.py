"""Exercise `shift_on_paper`: a clock"s hand that moves on by one position."""

from autograder.exercises.on_paper import on_paper

EXERCISE = on_paper(
    "the new sine and cosine are right, to two decimals",
    like=[0.1, 0.2],
    minutes=3,
    hints=(
        "Write down the table of two by two first, with its numbers. Which sign does each of them have?",
        "The table is 0.8, -0.6 in the first row and 0.6, 0.8 in the second. Multiply the row (0.6, 0.8) by it.",
        "The new sine is 0.6 · 0.8 + 0.8 · 0.6. The new cosine is 0.8 · 0.8 - 0.6 · 0.6.",
    ),
)
