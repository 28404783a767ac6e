"""Two sentences of different lengths in one batch, and where their last states are."""

from __future__ import annotations

from course_lib.diagrams.canvas import SMALL, Canvas, Kind
from course_lib.diagrams.lesson_01.numbers import WORDS

LEFT, CELL, ROW = 16.0, 76.0, 40.0
SENTENCES = ((*WORDS, "."), ("she", "falls", "."))


def draw() -> Canvas:
    """Draw tokens above their states; the state after each sentence's own last token is marked."""
    width = max(map(len, SENTENCES))
    canvas = Canvas(
        356,
        "The last state of each sentence",
        "A batch of two rows and six columns. The first row, “the red book is old .”, has six tokens and six states; "
        "its h and c are taken after the sixth. The second row, “she falls .”, has three tokens, three states and then "
        "three positions of padding, where the states are zeros; its h and c are taken after the third.",
    )
    canvas.text(LEFT, 22, "tokens (B, S) and, below each, its state (B, S, D)", SMALL, "start", "soft")
    for row, sentence in enumerate(SENTENCES):
        top = 44 + row * 156.0
        for column in range(width):
            x = LEFT + column * CELL
            real = column < len(sentence)
            token = f"*{sentence[column]}*" if real else "<pad>"
            canvas.text(x + CELL / 2, top + 14, token, SMALL, look="" if real else "soft")
            last = column == len(sentence) - 1
            kind: Kind = "point" if last else "plain" if real else "later"
            canvas.cells(x, top + 32, [[f"h{'₁₂₃₄₅₆'[column]}" if real else "0"]], CELL, ROW, kind=kind)
        below = top + 32 + ROW
        x = LEFT + (len(sentence) - 0.5) * CELL
        canvas.arrow((x, below + 2), (x, below + 40), (502, below + 40), look="mark")
        canvas.text(510, below + 40, "its h, c", SMALL, "start")
    canvas.text(LEFT, 340, "h and c: (B, D) each, after a sentence's own last token", SMALL, "start", "soft")
    return canvas
