"""Exercise `online_softmax_on_paper`: one row of attention in two chunks."""

from autograder.exercises.on_paper import on_paper

EXERCISE = on_paper(
    "total, mixture and output are right, to one decimal",
    like=[1.0, 5.0, 5.0],
    decimals=1,
    minutes=5,
    hints=(
        "Write down a table like the one above. What are total and mixture after chunk 1?",
        "After chunk 1 they are 1.33 and 6, and the maximum is ln 3. It becomes ln 6: by which factor do both shrink?",
        "They shrink to 0.67 and 3. Chunk 2 adds 6/6 + 2/6 to the total, and 6/6 · 2 + 2/6 · 9 to the mixture.",
    ),
)
