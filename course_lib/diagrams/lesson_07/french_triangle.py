"""The causal mask as words times words: who may attend to whom."""

from __future__ import annotations

from course_lib.diagrams.canvas import SMALL, Canvas, Kind
from course_lib.diagrams.lesson_07.numbers import CAUSAL, WORDS

LEFT, TOP, WIDE, TALL = 150.0, 84.0, 84.0, 48.0


def draw() -> Canvas:
    """Draw a row for each query word and a column for each key word."""
    rows = "; ".join(
        f"{word} may look at {', '.join(w for w, sees in zip(WORDS, row, strict=True) if sees)}"
        for word, row in zip(WORDS, CAUSAL, strict=True)
    )
    canvas = Canvas(
        374,
        "The causal mask: each word may look at itself and at the words before it",
        f"A table with a row for each word that asks and a column for each word that may answer. {rows}. "
        f"{int(CAUSAL.sum())} of the {CAUSAL.size} cells are ticked, the others, above the diagonal, are crossed out.",
    )
    canvas.text(LEFT + 2.5 * WIDE, 20, "key: the word that may answer", SMALL, look="soft")
    canvas.text(16, 58, "query: asks", SMALL, "start", "soft")
    for j, word in enumerate(WORDS):
        canvas.text(LEFT + (j + 0.5) * WIDE, 58, f"*{word}*", look="strong")
    for i, word in enumerate(WORDS):
        canvas.text(LEFT - 14, TOP + (i + 0.5) * TALL, f"*{word}*", anchor="end", look="strong")
        for j, sees in enumerate(CAUSAL[i]):
            kind: Kind = "plain" if sees else "point"
            canvas.box(LEFT + j * WIDE, TOP + i * TALL, WIDE, TALL, "✓" if sees else "✗", kind=kind, corner=0)
    canvas.text(LEFT + 2.5 * WIDE, 350, "✗ is the future: j > i", SMALL, look="soft")
    return canvas
