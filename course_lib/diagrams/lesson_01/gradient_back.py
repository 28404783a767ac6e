"""A gradient's path back through two steps of a recurrent network, factor by factor."""

from __future__ import annotations

from course_lib.diagrams.canvas import SMALL, Canvas
from course_lib.diagrams.lesson_01.numbers import BOOK, IS, OLD, STATES, W_HH, WORDS

PLACES = (90.0, 300.0, 510.0)
HALF = 52.0


def draw() -> Canvas:
    """Draw the forward pass (one entry of three states) and the backward pass (what remains of a gradient of 1)."""
    entries = [float(STATES[t, 0]) for t in (BOOK, IS, OLD)]
    factors = [float(W_HH[0, 0]) * (1 - entry**2) for entry in entries[1:]]  # of the steps to is and to old
    left = [factors[0] * factors[1], factors[1], 1.0]
    canvas = Canvas(
        330,
        "A gradient's path backward through time",
        "Above, the first entry of the state goes forward: "
        + ", ".join(f"{entry:.4f} after {WORDS[t]}" for entry, t in zip(entries, (BOOK, IS, OLD), strict=True))
        + f". Below, the gradient comes back. It is 1 after old; times {factors[1]:.4f} it is {left[1]:.4f} after is; "
        f"times {factors[0]:.4f} it is {left[0]:.4f} after book. Each factor is 0.5 times 1 minus the square of the "
        "entry that the step produced.",
    )
    canvas.text(16, 24, "Forward: the first entry of the state", anchor="start", look="strong")
    canvas.text(16, 166, "Backward: what is left of its gradient", anchor="start", look="strong")
    for place, t, entry, rest in zip(PLACES, (BOOK, IS, OLD), entries, left, strict=True):
        canvas.text(place, 60, f"after *{WORDS[t]}*", SMALL, look="soft")
        canvas.box(place - HALF, 76, 2 * HALF, 44, f"{entry:.4f}")
        canvas.box(place - HALF, 218, 2 * HALF, 44, f"{rest:.4f}" if rest != 1 else "1", kind="point")
    for a, b, factor, entry in zip(PLACES[:-1], PLACES[1:], factors, entries[1:], strict=True):
        middle = (a + b) / 2
        canvas.arrow((a + HALF + 2, 98), (b - HALF - 2, 98))
        canvas.text(middle, 82, "tanh(0.5 h)", SMALL, look="soft")
        canvas.arrow((b - HALF - 2, 240), (a + HALF + 2, 240), look="mark")
        canvas.text(middle, 220, f"× {factor:.4f}", SMALL)
        canvas.text(middle, 294, f"0.5 (1 − {entry:.4f}²)", SMALL, look="soft")
    return canvas
