"""Which French word belongs to which English one: the red book is old, le livre rouge est vieux."""

from __future__ import annotations

from course_lib.diagrams.canvas import SMALL, Canvas

ENGLISH = ("the", "red", "book", "is", "old", ".")
FRENCH = ("le", "livre", "rouge", "est", "vieux", ".")
#: (English, French) pairs that mean the same
ALIGNMENT = ((0, 0), (2, 1), (1, 2), (3, 3), (4, 4), (5, 5))
LEFT, TOP, CELL, ROW = 110.0, 66.0, 78.0, 40.0


def draw() -> Canvas:
    """Draw a table of words by words; aligned pairs are filled, the crossing is marked."""
    pairs = ", ".join(f"{FRENCH[j]} – {ENGLISH[i]}" for i, j in ALIGNMENT)
    canvas = Canvas(
        TOP + len(FRENCH) * ROW + 46,
        "Alignment: livre and rouge cross, all other words keep their order",
        f"A table with a row for each French word and a column for each English one. Filled are {pairs}. All are on "
        "the diagonal except livre and rouge, which change places.",
    )
    for i, word in enumerate(ENGLISH):
        canvas.text(LEFT + (i + 0.5) * CELL, TOP - 22, f"*{word}*")
    for j, word in enumerate(FRENCH):
        canvas.text(LEFT - 12, TOP + (j + 0.5) * ROW, f"*{word}*", anchor="end")
        for i in range(len(ENGLISH)):
            there, crossing = (i, j) in ALIGNMENT, i != j
            kind = "later" if not there else "point" if crossing else "yours"
            canvas.box(LEFT + i * CELL, TOP + j * ROW, CELL, ROW, kind=kind, corner=0)  # type: ignore[arg-type]
    canvas.text(LEFT, canvas.height - 20, "orange: these two change their order", SMALL, "start", "soft")
    return canvas
