"""An outline of what the course builds: an encoder, one vector per word, and a decoder that looks back at them."""

from __future__ import annotations

from course_lib.diagrams.canvas import SMALL, Canvas
from course_lib.diagrams.lesson_00.numbers import BOOK, SENTENCES

WORDS, WRITTEN, STEP = SENTENCES[0].split(), BOOK.split(), 66.0
RED, ROUGE = WORDS.index("red"), WRITTEN.index("rouge")


def draw() -> Canvas:
    """Draw it from the English words at the bottom to the French ones at the top."""
    canvas = Canvas(
        500,
        "An encoder that reads, and a decoder that looks back",
        f"Read from bottom to top. The encoder takes in the English words of “{SENTENCES[0]}” and gives one vector for "
        f"each. The decoder has written “{' '.join(WRITTEN[:ROUGE])}” and is about to write “{WRITTEN[ROUGE]}”. It "
        f"looks back at all six vectors, and most at that of {WORDS[RED]}.",
    )
    first = 58.0
    centres = [first + j * STEP for j in range(len(WORDS))]
    right = centres[-1] + 30

    for x, word in zip(centres, WORDS, strict=True):
        canvas.text(x, 480, f"*{word}*", look="strong" if word == "red" else "")
        canvas.arrow((x, 464), (x, 432))
    canvas.box(centres[0] - 30, 376, right - centres[0] + 30, 54, "encoder", "lessons 03 to 06")
    for j, x in enumerate(centres):
        canvas.arrow((x, 376), (x, 346))
        canvas.box(x - 12, 284, 24, 60, kind="point" if j == RED else "plain", corner=4)
    canvas.text(right + 16, 304, "one vector", SMALL, "start", "soft")
    canvas.text(right + 16, 326, "for each word", SMALL, "start", "soft")
    for j, x in enumerate(centres):  # all of them end below the word that is being written
        canvas.arrow((x, 282), (centres[ROUGE] + 5 * (j - ROUGE), 206), look="mark" if j == RED else "faint")
    canvas.text(centres[ROUGE + 2] - 24, 232, "attention", anchor="start", look="strong")
    canvas.box(centres[0] - 30, 150, right - centres[0] + 30, 54, "decoder", "lessons 07 and 08")
    for j, x in enumerate(centres):
        word = WRITTEN[j]
        if j <= ROUGE:
            canvas.arrow((x, 150), (x, 112), look="mark" if j == ROUGE else "")
            canvas.box(x - 32, 68, 64, 42, f"*{word}*", kind="point" if j == ROUGE else "plain", size=SMALL)
        else:
            canvas.box(x - 32, 68, 64, 42, "?", kind="later", size=SMALL)
    canvas.text(first - 30, 36, "Being written, one word at a time:", SMALL, "start", "soft")
    return canvas
