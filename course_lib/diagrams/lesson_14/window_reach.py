"""How far back a word reaches through layers if each layer sees only a window."""

from __future__ import annotations

from course_lib.diagrams.canvas import SMALL, Canvas

WORDS, WINDOW, LAYERS = 9, 3, 3
LEFT, STEP, BOX = 130.0, 52.0, 42.0
TOP, ROW = 30.0, 96.0


def reach(layers: int) -> int:
    """Return how many words have reached the last one after ``layers`` layers, including itself."""
    return layers * (WINDOW - 1) + 1


def draw() -> Canvas:
    """Draw a row of words, three layers above it, and the words that have reached the last one."""
    canvas = Canvas(
        430,
        f"A window of {WINDOW}, in {LAYERS} layers",
        f"Nine words in a row, and above them {LAYERS} layers. In each layer, a word hears itself and the {WINDOW - 1} "
        f"words before it in the layer below. From the last word of the top layer, arrows spread downwards: it has "
        f"heard of {reach(1)} words of the layer below, {reach(2)} of the one below that, and {reach(3)} of {WORDS} "
        "words at the bottom. The first two it has not heard of.",
    )
    for level in range(LAYERS + 1):
        y = TOP + (LAYERS - level) * ROW
        seen = reach(LAYERS - level)
        canvas.text(LEFT - 20, y + BOX / 2, f"layer {level}" if level else "words", SMALL, "end", "soft")
        for j in range(WORDS):
            known = j >= WORDS - seen
            x = LEFT + j * STEP
            if known and level:
                for back in range(WINDOW):
                    below = (LEFT + (j - back) * STEP + BOX / 2, y + ROW - 2)
                    canvas.arrow(
                        below, (x + BOX / 2 - back * 5, y + BOX + 2), look="mark" if j == WORDS - seen else "faint"
                    )
            top = level == LAYERS and j == WORDS - 1
            canvas.box(x, y, BOX, BOX, str(j + 1), kind="point" if top else "yours" if known else "plain", size=SMALL)
    canvas.text(
        300, 398, f"After {LAYERS} layers: {LAYERS} × ({WINDOW} − 1) + 1 = {reach(LAYERS)} words", look="strong"
    )
    return canvas
