"""An LSTM cell: the cell state runs along the top, the gates reach up to it."""

from __future__ import annotations

import numpy as np

from course_lib.diagrams.canvas import SMALL, Canvas
from course_lib.diagrams.lesson_01.numbers import CELL, SUMS

TOP, SHOWN, GATES = 84.0, 226.0, 300.0
F, I, G, O = 120.0, 236.0, 334.0, 470.0  # noqa: E741, the names of the gates


def draw() -> Canvas:
    """Draw shapes on the arrows, and the numbers of one entry."""
    i, f, o = (float(1 / (1 + np.exp(-SUMS[place]))) for place in (0, 1, 3))
    g = float(np.tanh(SUMS[2]))
    new = f * CELL + i * g
    shown = o * float(np.tanh(new))
    canvas = Canvas(
        536,
        "An LSTM cell",
        "Along the top the cell state c, of shape (B, D), runs from left to right: it is multiplied by the forget gate "
        "f, then the product of the input gate i and the candidate g is added, and it leaves as the new c. At the "
        "bottom x, of shape (B, E), and h, of shape (B, D), enter one product of shape (B, 4 D), which is cut into i, "
        "f, g and o. The new c also goes through a tanh and is multiplied by the output gate o to give the new h. With "
        f"numbers for one entry: c is {CELL:g}, f is {f:g}, i is {i:g}, g is {g:g} and o is {o:g}, so the new c is "
        f"{new:g} and the new h is {shown:.3f}.",
    )
    canvas.text(16, 24, "The straight way along the top: no matrix, no tanh", anchor="start", look="strong")

    canvas.text(16, TOP - 24, f"c = {CELL:g}", anchor="start")
    canvas.text(16, TOP + 26, "(B, D)", SMALL, "start", "soft")
    canvas.arrow((16, TOP), (F - 22, TOP), look="mark")
    _knot(canvas, F, TOP, "×")
    canvas.arrow((F + 22, TOP), (285 - 22, TOP), look="mark")
    canvas.text((F + 285) / 2, TOP - 20, f"{f * CELL:g}")
    _knot(canvas, 285, TOP, "+")
    canvas.arrow((285 + 22, TOP), (590, TOP), look="mark")
    canvas.text(584, TOP - 24, f"new c = {new:g}", anchor="end")

    canvas.arrow((F, GATES), (F, TOP + 24))
    _knot(canvas, 285, 190, "×")
    canvas.arrow((I, GATES), (I, 190), (285 - 24, 190))
    canvas.arrow((G, GATES), (G, 190), (285 + 24, 190))
    canvas.arrow((285, 168), (285, TOP + 24))
    canvas.text(297, 138, f"{i * g:g}", anchor="start")

    canvas.arrow((400, TOP), (400, 128))
    canvas.box(364, 130, 72, 40, "tanh")
    canvas.arrow((400, 170), (400, SHOWN), (O - 24, SHOWN))
    _knot(canvas, O, SHOWN, "×")
    canvas.arrow((O, GATES), (O, SHOWN + 24))
    canvas.arrow((O + 22, SHOWN), (590, SHOWN))
    canvas.text(590, SHOWN - 40, f"new h = {shown:.3f}", anchor="end")
    canvas.text(584, SHOWN + 26, "(B, D)", SMALL, "end", "soft")

    for x, name, value in ((F, "*f*: σ", f), (I, "*i*: σ", i), (G, "*g*: tanh", g), (O, "*o*: σ", o)):
        canvas.box(x - 46, GATES, 92, 62, name, f"{value:g}", size=SMALL)
        canvas.arrow((x, 412), (x, GATES + 64))
    canvas.text(O + 14, 388, "(B, D) each", SMALL, "start", "soft")
    canvas.box(40, 414, 500, 48, "x Wᵢₕᵀ + h Wₕₕᵀ + b   (B, 4D)")
    for x, name in ((180.0, "x (B, E)"), (400.0, "h (B, D)")):
        canvas.arrow((x, 504), (x, 464))
        canvas.text(x, 520, name, SMALL, look="soft")
    return canvas


def _knot(canvas: Canvas, x: float, y: float, sign: str) -> None:
    canvas.box(x - 22, y - 22, 44, 44, sign, kind="point", corner=22)
