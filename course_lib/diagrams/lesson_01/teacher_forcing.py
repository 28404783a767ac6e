"""Encoder and decoder of a recurrent translator in training: what goes in, what should come out."""

from __future__ import annotations

from course_lib.diagrams.canvas import SMALL, Canvas
from course_lib.diagrams.lesson_01.numbers import FRENCH, WORDS

SOURCE = (*WORDS, ".")
INPUTS, TARGETS = ("<bos>", *FRENCH), (*FRENCH, "<eos>")
SHOWN = FRENCH.index("rouge")


def draw() -> Canvas:
    """Draw the encoder above, its last state, and the decoder below; the inputs are the targets, one step later."""
    canvas = Canvas(
        500,
        "A translator in training: teacher forcing",
        f"Above, the encoder: six boxes read “{' '.join(SOURCE)}”, each passing its state to the next. The last state, "
        "h and c of shape (B, D) each, is handed to the decoder below, a row of seven boxes. They read "
        f"{', '.join(INPUTS)} from below, and the targets above them are {', '.join(TARGETS)}. A marked arrow leads "
        "from the target rouge to the next step's input rouge.",
    )
    canvas.text(16, 22, "Encoder", anchor="start", look="strong")
    for s, word in enumerate(SOURCE):
        x = 47 + 98.0 * s
        canvas.box(x - 31, 44, 62, 40, "LSTM", size=SMALL)
        if s:
            canvas.arrow((x - 98 + 33, 64), (x - 33, 64))
        canvas.arrow((x, 122), (x, 86))
        canvas.text(x, 138, f"*{word}*")
    canvas.arrow((568, 64), (590, 64), (590, 186), (8, 186), (8, 296), (16, 296), look="mark")
    canvas.text(300, 170, "the last h and c: (B, D) each", SMALL)

    canvas.text(16, 212, "Decoder", anchor="start", look="strong")
    canvas.text(120, 212, "targets (B, T), for logits (B, T, V)", SMALL, "start", "soft")
    for t, (read, target) in enumerate(zip(INPUTS, TARGETS, strict=True)):
        x = 47 + 84.0 * t
        canvas.box(x - 29, 276, 58, 40, "LSTM", size=SMALL)
        if t:
            canvas.arrow((x - 84 + 31, 296), (x - 31, 296))
        canvas.arrow((x, 276), (x, 256))
        canvas.text(x, 240, _word(target), SMALL, look="strong" if t == SHOWN else "")
        canvas.arrow((x, 366), (x, 318))
        canvas.text(x, 382, _word(read), SMALL, look="strong" if t == SHOWN + 1 else "")
        if t == SHOWN:
            canvas.arrow((x + 30, 240), (x + 42, 240), (x + 42, 346), (x + 62, 372), look="mark")
    canvas.text(16, 414, "inputs (B, T): the right word before each target", SMALL, "start", "soft")
    canvas.text(16, 454, "When it translates, there are no targets:", SMALL, "start", "soft")
    canvas.text(16, 480, "each word it writes is the next word it reads.", SMALL, "start", "soft")
    return canvas


def _word(word: str) -> str:
    return word if word.startswith("<") else f"*{word}*"
