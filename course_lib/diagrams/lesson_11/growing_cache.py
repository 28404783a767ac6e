"""Writing four words: all tokens pass through the layers at each step, or one token does and a cache grows."""

from __future__ import annotations

from course_lib.diagrams.canvas import SMALL, Canvas, Kind

TOKENS = ("bos", "le", "livre", "rouge")
CELL, TALL, PITCH, TOP = 64.0, 34.0, 44.0, 66.0
LEFT = (72.0, 336.0)  #: of the two panels


def draw() -> Canvas:
    """Draw two panels of four steps; below, the shapes of the fourth step's attention with the cache."""
    count = len(TOKENS)
    again = sum(range(1, count + 1))
    below = TOP + count * PITCH
    canvas = Canvas(
        below + 200,
        "Decoding without and with a cache of keys and values",
        f"Two panels of {count} steps. Left, everything again: at step t all t tokens go through the layers, "
        f"{' + '.join(map(str, range(1, count + 1)))} = {again} in all. Right, with a cache: at each step one token "
        f"goes through the layers, {count} in all, and the keys and values of those before it are ready. Below, the "
        f"attention of step {count}: a query (B, H, 1, Dh) meets {count} keys (B, H, {count}, Dh), "
        f"{count - 1} from the cache and a new one; the weights are (B, H, 1, {count}).",
    )
    canvas.text(LEFT[0], 24, "Everything again", anchor="start", look="strong")
    canvas.text(LEFT[1], 24, "With a cache", anchor="start", look="strong")
    for step in range(1, count + 1):
        top = TOP + (step - 1) * PITCH
        canvas.text(12, top + TALL / 2, f"step {step}", SMALL, "start", "soft")
        for place, token in enumerate(TOKENS[:step]):
            said = token if token == "bos" else f"*{token}*"
            kind: Kind = "point" if place == step - 1 else "yours"
            canvas.box(LEFT[0] + place * CELL, top, CELL, TALL, said, kind="point", size=SMALL, corner=0)
            canvas.box(LEFT[1] + place * CELL, top, CELL, TALL, said, kind=kind, size=SMALL, corner=0)
    canvas.text(LEFT[0], below + 14, f"1 + 2 + 3 + 4 = {again} tokens", SMALL, "start", "soft")
    canvas.text(LEFT[1], below + 14, f"1 + 1 + 1 + 1 = {count} tokens", SMALL, "start", "soft")
    canvas.text(12, below + 52, f"One layer, H heads, step {count}:", SMALL, "start", "strong")
    row = below + 74
    canvas.box(12, row, 132, 58, "*rouge* asks", "(B, H, 1, Dh)", kind="point", size=SMALL)
    canvas.box(186, row, 238, 58, "4 keys, 4 values", f"(B, H, {count}, Dh) each", kind="yours", size=SMALL)
    canvas.box(466, row, 122, 58, "weights", f"(B, H, 1, {count})", size=SMALL)
    canvas.arrow((144, row + 29), (184, row + 29))
    canvas.arrow((424, row + 29), (464, row + 29))
    canvas.text(12, canvas.height - 34, "orange: goes through the layers now", SMALL, "start", "soft")
    canvas.text(12, canvas.height - 12, "blue: its keys and values were kept", SMALL, "start", "soft")
    return canvas
