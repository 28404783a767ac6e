"""One step of Bahdanau's decoder next to one of Luong's: which state is the query, and where the context goes."""

from __future__ import annotations

from course_lib.diagrams.canvas import SMALL, Canvas, Kind

WIDE, TALL = 250.0, 46.0
LEFT = (16.0, 334.0)


def draw() -> Canvas:
    """Draw two columns, from top to bottom in the order of computation."""
    canvas = Canvas(
        478,
        "Bahdanau looks and then goes on; Luong goes on and then looks",
        "Two columns, each read from top to bottom. Left, Bahdanau 2015: the state before this step, s of t minus 1, "
        "shape (B, D), asks the encoder's states; the context a of t goes into the recurrence together with the word "
        "before; the new state s of t and the context predict the word. Right, Luong 2015: the word before goes into "
        "the recurrence; the new state s of t asks; tanh of W times context and state is the attentional state, which "
        "predicts the word. The context does not reach the next step.",
    )
    for left, name in zip(LEFT, ("Bahdanau 2015", "Luong 2015"), strict=True):
        canvas.text(left + WIDE / 2, 22, name, look="strong")
    steps: tuple[tuple[tuple[str, str, Kind], ...], ...] = (
        (
            ("the state before asks", "s before (B, D)", "yours"),
            ("attention", "context a (B, D)", "point"),
            ("recurrence", "word before, a → s (B, D)", "plain"),
            ("next word", "from s and a: (B, V)", "plain"),
        ),
        (
            ("recurrence", "word before → s (B, D)", "plain"),
            ("the new state asks", "s (B, D)", "yours"),
            ("attention", "context a (B, D)", "point"),
            ("next word", "from tanh(W[a; s]): (B, V)", "plain"),
        ),
    )
    for left, column in zip(LEFT, steps, strict=True):
        for row, (first, second, kind) in enumerate(column):
            top = 48 + row * 92
            canvas.box(left, top, WIDE, 58, first, second, kind=kind, size=SMALL)
            if row:
                canvas.arrow((left + WIDE / 2, top - 34), (left + WIDE / 2, top - 2))
    canvas.arrow((LEFT[0] + WIDE, 48 + 2 * 92 + 29), (LEFT[0] + WIDE + 22, 48 + 2 * 92 + 29), look="faint")
    canvas.arrow((LEFT[1] + WIDE - 6, 48 + 29), (LEFT[1] + WIDE + 12, 48 + 29), look="faint")
    canvas.text(16, 436, "The small arrow leads to the next step. Left, it carries", SMALL, "start", "soft")
    canvas.text(16, 460, "what was found. Right, it doesn't: all states come first.", SMALL, "start", "soft")
    return canvas
