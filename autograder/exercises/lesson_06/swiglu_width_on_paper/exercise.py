"""Exercise `swiglu_width_on_paper`: the width at which SwiGLU has as many weights as a plain network."""

from autograder.exercises.on_paper import on_paper

EXERCISE = on_paper(
    "the number of weights and the width are right",
    like=[100, 10],
    decimals=None,
    minutes=3,
    hints=(
        "How many matrices does each of the two networks have, and what is the shape of each?",
        "The plain network has 6 · 24 + 24 · 6 weights. How many does SwiGLU have, with F unknown?",
        "SwiGLU has 3 · 6 · F weights. Divide the plain network's number by 18.",
    ),
)
