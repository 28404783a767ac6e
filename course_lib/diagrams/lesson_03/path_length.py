"""How far *dog* is from *its*: step by step through a recurrent network, at once through attention."""

from __future__ import annotations

from course_lib.diagrams.canvas import SMALL, Canvas
from course_lib.diagrams.lesson_03.numbers import DOG, ITS, WORDS

STEP, FIRST = 116.0, 68.0


def draw() -> Canvas:
    """Draw a chain of five states above, and every word with a direct line to *its* below."""
    canvas = Canvas(
        470,
        "From dog to its: two steps, or one",
        "Above, a recurrent network: a row of five states, each with an arrow to the next. What dog says reaches its "
        "after two steps, by way of licked, and every state waits for the one before it. Below, self-attention: every "
        "word of the sentence, its included, has an arrow of its own to its, all of them at the same time.",
    )
    canvas.text(16, 24, "Recurrent network: every state waits", anchor="start", look="strong")
    for j, word in enumerate(WORDS):
        x, on_path = FIRST + j * STEP, DOG <= j <= ITS
        canvas.box(x - 32, 54, 64, 44, f"h{'₁₂₃₄₅'[j]}", kind="point" if on_path else "plain")
        canvas.arrow((x, 142), (x, 102), look="" if j != DOG else "mark")
        canvas.text(x, 160, f"*{word}*")
        if j:
            canvas.arrow((x - STEP + 34, 76), (x - 35, 76), look="mark" if DOG < j <= ITS else "")
    canvas.text(16, 222, "Self-attention: all at once", anchor="start", look="strong")
    target = FIRST + ITS * STEP
    for j, word in enumerate(WORDS):
        x = FIRST + j * STEP
        if j == ITS:
            canvas.arrow((x, 394), (x, 338), look="faint")
        else:
            canvas.arrow((x, 394), (target + 46 * (j - ITS), 338), look="mark" if j == DOG else "faint")
        canvas.text(x, 412, f"*{word}*", look="strong" if j == DOG else "")
    canvas.box(target - 164, 280, 236, 54, "the new *its*", kind="point")
    canvas.text(16, 450, "Every other word has five arrows of its own.", SMALL, "start", "soft")
    return canvas
