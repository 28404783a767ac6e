"""Exercise `window_reach_on_paper`: how far layers with a sliding window see."""

from autograder.exercises.on_paper import on_paper

EXERCISE = on_paper(
    "the reach and the number of layers are right",
    like=[10, 10],
    decimals=None,
    minutes=3,
    hints=(
        "How many words further back does one layer look?",
        "A window of five words has the word itself and four before it.",
        "Six layers add 6 · 4 words to the word itself. For a distance of 10, divide by 4 and round up.",
    ),
)
