"""Three sentences of different lengths, and the rectangular tensor that padding turns them into."""

from __future__ import annotations

from course_lib.diagrams.canvas import SMALL, Canvas
from course_lib.diagrams.lesson_00.numbers import IDS, SENTENCES

LEFT, CELL, ROW = 16.0, 72.0, 40.0


def draw() -> Canvas:
    """Draw each sentence's words and ids in a row of its own length, and the padded tensor below."""
    longest, tokens = max(map(len, IDS)), sum(map(len, IDS))
    lengths = ", ".join(str(len(ids)) for ids in IDS)
    canvas = Canvas(
        520,
        "Padding makes a rectangle of sentences",
        f"Above, three sentences as lists of {lengths} tokens, each word with its id: "
        + "; ".join(f"“{sentence}” is {', '.join(map(str, ids))}" for sentence, ids in zip(SENTENCES, IDS, strict=True))
        + f". Below, one tensor of {len(IDS)} rows and {longest} columns, of shape (B, S): the ids as before, and "
        f"zeros at the right end of the shorter rows, {len(IDS) * longest - tokens} in all.",
    )
    canvas.text(LEFT, 22, "Three lists, of different lengths", anchor="start", look="strong")
    for b, (sentence, ids) in enumerate(zip(SENTENCES, IDS, strict=True)):
        top = 44 + b * 72
        for s, word in enumerate(sentence.split()):
            canvas.text(LEFT + (s + 0.5) * CELL, top + 10, f"*{word}*", SMALL, look="soft")
        canvas.cells(LEFT, top + 24, [[str(i) for i in ids]], CELL, ROW)
    bottom = LEFT + 3 * CELL
    canvas.arrow((bottom, 264), (bottom, 306), look="mark", label="pad on the right, with 0")
    canvas.text(LEFT, 328, "One tensor", anchor="start", look="strong")
    for b, ids in enumerate(IDS):
        canvas.cells(LEFT, 350 + b * ROW, [[str(i) for i in ids]], CELL, ROW)
        if len(ids) < longest:
            canvas.cells(LEFT + len(ids) * CELL, 350 + b * ROW, [["0"] * (longest - len(ids))], CELL, ROW, kind="later")
    right = LEFT + longest * CELL + 14
    canvas.text(right, 396, "(B, S)", anchor="start", look="strong")
    canvas.text(right, 422, f"({len(IDS)}, {longest})", anchor="start")
    canvas.text(
        LEFT, 498, f"{tokens} tokens and {len(IDS) * longest - tokens} positions of padding", SMALL, "start", "soft"
    )
    return canvas
