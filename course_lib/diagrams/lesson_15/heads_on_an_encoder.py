"""One encoder, and three heads on it: for each token, for the first position, for the mean."""

from __future__ import annotations

from course_lib.diagrams.canvas import SMALL, Canvas

WORDS = ("<bos>", "the", "book", "is", "old")
LEFT, STEP, BOX = 30.0, 112.0, 92.0


def draw() -> Canvas:
    """Draw words below, the encoder above them, a vector for each word, and the inputs of the three heads."""
    canvas = Canvas(
        420,
        "One encoder, three uses",
        f"At the bottom the tokens {', '.join(WORDS)}. Above them one encoder, which returns a vector for each, B, T, "
        "D. Without pooling, a head scores every vector: a tag or a word for each token. With cls, it scores the first "
        "vector alone; with mean, the mean of all: one row of scores for the sentence, B, C.",
    )
    for i, word in enumerate(WORDS):
        x = LEFT + i * STEP
        canvas.text(x + BOX / 2, 396, word if word.startswith("<") else f"*{word}*")
        canvas.arrow((x + BOX / 2, 380), (x + BOX / 2, 350), look="faint")
        canvas.arrow((x + BOX / 2, 288), (x + BOX / 2, 260), look="faint")
        canvas.box(x, 214, BOX, 42, "(D)", kind="point" if not i else "plain", size=SMALL)
    canvas.box(LEFT, 290, 4 * STEP + BOX, 58, "encoder, with a padding mask", kind="yours")
    first = LEFT + BOX / 2
    canvas.arrow((first, 210), (first, 96), look="mark")
    canvas.box(LEFT, 40, 120, 52, "cls", "(B, C)", kind="point", size=SMALL)
    middle = 300.0
    for i in range(len(WORDS)):
        canvas.arrow((LEFT + i * STEP + BOX / 2 + 6, 210), (middle + (i - 2) * 12, 144), look="faint")
    canvas.box(middle - 60, 110, 120, 32, "mean", size=SMALL)
    canvas.arrow((middle, 108), (middle, 96))
    canvas.box(middle - 75, 40, 150, 52, "mean", "(B, C)", size=SMALL)
    last = LEFT + 4 * STEP + BOX / 2
    canvas.arrow((last, 210), (last, 96))
    canvas.box(LEFT + 4 * STEP + BOX - 150, 40, 150, 52, "each by itself", "(B, T, C)", size=SMALL)
    canvas.text(300, 16, "a linear layer each: the head", SMALL, look="soft")
    return canvas
