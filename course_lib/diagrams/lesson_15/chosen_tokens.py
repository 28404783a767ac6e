"""The interval of uniform numbers, and what happens to a token in each part of it."""

from __future__ import annotations

from course_lib.diagrams.canvas import SMALL, Canvas

RATE = 0.15
PARTS = ((0.0, 0.8, "mask", "80 %"), (0.8, 0.9, "random", "10 %"), (0.9, 1.0, "kept", "10 %"))
LEFT, WIDTH = 40.0, 400.0


def border(share: float) -> str:
    """Describe a boundary of the interval in words."""
    return f"{share * RATE:.3f}".rstrip("0") if share else "0"


def draw() -> Canvas:
    """Draw the part below the rate, cut in three, and the rest."""
    canvas = Canvas(
        250,
        "What happens to a token with the number u",
        f"A line from 0 on. Up to {RATE} a token is chosen, and has to be predicted: from 0 to {border(0.8)} it is "
        f"masked, from there to {border(0.9)} replaced by a random token, from there to {RATE} kept as it is. From "
        f"{RATE} to 1 nothing happens, and nothing is asked.",
    )
    canvas.text(LEFT + WIDTH / 2, 26, "chosen: has to be predicted", look="strong")
    canvas.text(LEFT + WIDTH + 80, 26, "not chosen", look="soft")
    canvas.box(LEFT + WIDTH, 90, 120, 56, "as it is", kind="plain", corner=0, size=SMALL)
    for start, end, what, percent in PARTS:
        x, width = LEFT + start * WIDTH, (end - start) * WIDTH
        kind = "yours" if what == "mask" else "point" if what == "random" else "plain"
        canvas.box(x, 90, width, 56, *(("mask", percent) if what == "mask" else ()), kind=kind, corner=0, size=SMALL)  # type: ignore[arg-type]
        if what != "mask":
            canvas.arrow((x + width / 2, 84), (x + width / 2, 60), look="faint")
    canvas.text(LEFT + 0.85 * WIDTH - 14, 52, "random", SMALL, "end")
    canvas.text(LEFT + 0.95 * WIDTH - 8, 52, "kept", SMALL, "start")
    for share, offset in ((0.0, 0.0), (0.8, -14.0), (0.9, 4.0), (1.0, 26.0)):
        x = LEFT + share * WIDTH
        canvas.arrow((x + offset, 172), (x, 150), look="faint")
        canvas.text(x + offset, 208 if share == 0.9 else 186, border(share), SMALL, look="soft")
    canvas.text(LEFT + WIDTH + 120, 186, "1", SMALL, look="soft")
    canvas.text(300, 234, "u, the random number of a token (not to scale beyond 0.15)", SMALL, look="soft")
    return canvas
