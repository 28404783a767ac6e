"""Three heads' outputs side by side, their gates, and what reaches the output projection."""

from __future__ import annotations

from course_lib.diagrams.canvas import SMALL, Canvas, Kind

MERGED, GATES = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0), (1.0, 0.0, 0.5)
LEFT, CELL = 150.0, 60.0


def gated() -> tuple[float, ...]:
    """Return each feature after its gate."""
    width = len(MERGED) // len(GATES)
    return tuple(number * GATES[i // width] for i, number in enumerate(MERGED))


def draw() -> Canvas:
    """Draw features above, gates in the middle, the gated features below, and the output projection."""
    kept = ", ".join(f"{number:g}" for number in gated())
    canvas = Canvas(
        400,
        "Three heads and their gates",
        f"Six features side by side, two for each of three heads: {', '.join(f'{n:g}' for n in MERGED)}. Below "
        f"each head is its gate: {', '.join(f'{g:g}' for g in GATES)}. Below the gates are the gated features: "
        f"{kept}. They go into the output projection, W O, which mixes the heads.",
    )
    for head, gate in enumerate(GATES):
        x = LEFT + head * (2 * CELL + 16)
        canvas.text(x + CELL, 24, f"head {head}", SMALL, look="soft")
        kind: Kind = "later" if not gate else "yours"
        for i in range(2):
            canvas.box(x + i * CELL, 44, CELL, 42, f"{MERGED[2 * head + i]:g}", corner=0)
            canvas.box(x + i * CELL, 222, CELL, 42, f"{gated()[2 * head + i]:g}", corner=0, kind=kind)
        canvas.arrow((x + CELL, 90), (x + CELL, 124))
        canvas.box(x + 24, 128, 2 * CELL - 48, 50, f"× {gate:g}", kind="point")
        canvas.arrow((x + CELL, 182), (x + CELL, 218))
        canvas.arrow((x + CELL, 268), (x + CELL, 306), look="faint" if not gate else "")
    for y, name in ((65, "merged"), (153, "gates"), (243, "gated"), (332, "mixed by")):
        canvas.text(LEFT - 14, y, name, anchor="end", look="soft")
    canvas.box(LEFT, 310, 6 * CELL + 32, 46, "W_O")
    return canvas
