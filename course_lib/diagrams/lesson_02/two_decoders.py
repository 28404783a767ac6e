"""Two steps of Bahdanau's decoder above two steps of Luong's: which state asks, and where the context goes."""

from __future__ import annotations

from course_lib.diagrams.canvas import SMALL, Canvas

STATE, BOX, TALL = 58.0, 104.0, 56.0
STEPS = ("ₜ", "ₜ₊₁")


def _recurrence(canvas: Canvas, x: float, y: float, step: str) -> None:
    """Draw an LSTM that makes a state from the word below it."""
    canvas.box(x, y, BOX, TALL, "LSTM", f"makes s{step}", size=SMALL)
    canvas.arrow((x + BOX / 2, y + TALL + 34), (x + BOX / 2, y + TALL + 3))
    canvas.text(x + BOX / 2, y + TALL + 46, "previous word", SMALL, look="soft")


def _attention(canvas: Canvas, x: float, y: float, step: str) -> None:
    """Draw attention. The state whose arrow enters the box asks."""
    canvas.box(x, y, BOX, TALL, "attention", f"finds a{step}", kind="point", size=SMALL)


def draw() -> Canvas:
    """Draw both decoders from left to right, in the order of computation."""
    canvas = Canvas(
        524,
        "Bahdanau's attention is on the way to the next state; Luong's is not",
        "Two steps from left to right. Above, Bahdanau 2015, in one chain: the previous state, s of t minus 1, asks; "
        "attention gives the context a of t; the LSTM reads it with the previous word and makes s of t, which asks in "
        "the next step. Below, Luong 2015: the chain consists of the LSTM alone, which reads the previous word; above "
        "it, each new state asks, and the context goes only to the next word.",
    )
    top = 74.0
    canvas.text(12, 18, "Bahdanau 2015: sₜ₋₁ → attention → LSTM → attention → …", SMALL, "start", "strong")
    canvas.box(8, top, STATE, TALL, "sₜ₋₁", size=SMALL)
    x = 8 + STATE + 22
    for step in STEPS:
        canvas.arrow((x - 22, top + TALL / 2), (x - 2, top + TALL / 2), look="mark")
        _attention(canvas, x, top, step)
        canvas.arrow((x + BOX, top + TALL / 2), (x + BOX + 20, top + TALL / 2), look="mark")
        _recurrence(canvas, x + BOX + 22, top, step)
        canvas.arrow((x + 1.5 * BOX + 22, top), (x + 1.5 * BOX + 22, top - 20))
        canvas.text(x + 1.5 * BOX + 22, top - 30, "next word", SMALL)
        x += 2 * BOX + 44
    below = 372.0
    canvas.text(12, 240, "Luong 2015: sₜ₋₁ → LSTM → LSTM → …", SMALL, "start", "strong")
    canvas.box(8, below, STATE, TALL, "sₜ₋₁", size=SMALL)
    end = 8 + STATE
    for x, step in ((170.0, "ₜ"), (420.0, "ₜ₊₁")):
        canvas.arrow((end, below + TALL / 2), (x - 2, below + TALL / 2), look="mark")
        _recurrence(canvas, x, below, step)
        canvas.arrow((x + BOX / 2, below), (x + BOX / 2, below - 20))
        _attention(canvas, x, below - 22 - TALL, step)
        canvas.arrow((x + BOX / 2, below - 22 - TALL), (x + BOX / 2, below - 42 - TALL))
        canvas.text(x + BOX / 2, below - 52 - TALL, "next word", SMALL)
        end = x + BOX
    canvas.text(12, 506, "A state asks; attention finds the context aₜ.", SMALL, "start", "soft")
    return canvas
