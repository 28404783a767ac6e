"""Exercise `beam_on_paper`: the hypotheses that a beam of width 2 keeps."""

from autograder.exercises.on_paper import on_paper

EXERCISE = on_paper(
    "the two hypotheses are right: the best of all candidates, the better one first",
    like=["ba", "b."],
    decimals=None,
    minutes=4,
    hints=(
        "Step 1 keeps two hypotheses. How many candidates do they make in step 2?",
        "Both *a* and *b* go on in three ways. Multiply along each way, and compare all six products.",
        "The largest products are 0.6 · 0.45 = 0.27, 0.6 · 0.4 = 0.24 and 0.3 · 0.72 = 0.216. Keep two of them.",
    ),
)
