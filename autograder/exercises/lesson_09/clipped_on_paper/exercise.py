"""Exercise `clipped_on_paper`: the gradients of two parameters, clipped together."""

from autograder.exercises.on_paper import on_paper

EXERCISE = on_paper(
    "the clipped gradients are right, to two decimals",
    like=[0.1, 0.2, 0.3],
    minutes=3,
    hints=(
        "How large is the norm of all three numbers together?",
        "The norm is √(4 + 16 + 16) = 6, and it may be 3. By which factor must all numbers shrink?",
        "Multiply all three numbers by 3/6.",
    ),
)
