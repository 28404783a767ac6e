"""Two sentences of different lengths, each read from both of its ends."""

from __future__ import annotations

from course_lib.diagrams.canvas import SMALL, Canvas

LEFT, STEP, CELL, ROW = 158.0, 146.0, 90.0, 38.0
SENTENCES = (("the", "red", "book"), ("she", "falls"))


def draw() -> Canvas:
    """Draw each sentence's words under two rows of states, with arrows in the order of reading."""
    width = max(map(len, SENTENCES))
    canvas = Canvas(
        432,
        "A bidirectional encoder",
        "Two rows of a batch, “the red book” and “she falls” with one position of padding. Above the words, one LSTM's "
        "states follow each other from left to right. Above these, another LSTM's states follow each other from right "
        "to left: they begin at “book” and at “falls”, and the padding has zeros in both rows. The two states of a "
        "word have width D/2 each and are joined to one state of width D.",
    )
    canvas.text(16, 22, "states (B, S, D): the two cells above a word, joined", SMALL, "start", "soft")
    for row, sentence in enumerate(SENTENCES):
        top = 46 + row * 186.0
        canvas.text(16, top + ROW / 2, "right to left", SMALL, "start")
        canvas.text(16, top + 1.5 * ROW + 18, "left to right", SMALL, "start")
        for column in range(width):
            x, real = LEFT + column * STEP, column < len(sentence)
            back, there = (f"{arrow}h{'₁₂₃'[column]}" if real else "0" for arrow in "←→")
            canvas.cells(x, top, [[back]], CELL, ROW, kind="point" if real else "later")
            canvas.cells(x, top + ROW + 18, [[there]], CELL, ROW, kind="plain" if real else "later")
            word = f"*{sentence[column]}*" if real else "<pad>"
            canvas.text(x + CELL / 2, top + 2 * ROW + 46, word, SMALL, look="" if real else "soft")
            if column + 1 < len(sentence):
                end = x + STEP
                canvas.arrow((end - 3, top + ROW / 2), (x + CELL + 3, top + ROW / 2), look="mark")
                canvas.arrow((x + CELL + 3, top + 1.5 * ROW + 18), (end - 3, top + 1.5 * ROW + 18))
    canvas.text(16, 412, "each cell: width D/2; right to left starts at the last word", SMALL, "start", "soft")
    return canvas
