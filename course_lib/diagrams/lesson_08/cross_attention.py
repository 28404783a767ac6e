"""Cross-attention as a grid: one row per target word (query), one column per source word (key)."""

from __future__ import annotations

from course_lib.diagrams.canvas import SMALL, Canvas
from course_lib.diagrams.lesson_08.numbers import IS_WORD, OUTPUT, SOURCE, TARGET, WEIGHTS, WRITTEN

LEFT, TOP, CELL, ROW = 164.0, 286.0, 58.0, 44.0
LAST = len(TARGET) - 1  #: the row that the text computes: *livre*, which writes *rouge*


def draw() -> Canvas:
    """Draw memory and target above, the grid of weights below, and the output of each row."""
    words = ", ".join(f"{word} {weight:.2f}" for word, weight in zip(SOURCE, WEIGHTS[LAST], strict=True))
    canvas = Canvas(
        560,
        "Cross-attention: the target asks, the source answers",
        "Two inputs. The memory, seven vectors of shape S by D from the encoder, is projected to keys and to values. "
        "The target so far, three vectors of shape T by D in the decoder, is projected to queries. From queries "
        f"and keys comes a grid of weights, T by S: three rows, one for each of {', '.join(TARGET)}, and seven "
        f"columns, one for each of {', '.join(SOURCE)}. The row of livre, which writes rouge: {words}. Columns of "
        f"padding are masked. The grid times the values gives three rows of output; that of livre is "
        f"{OUTPUT[LAST, 0]:.2f} colour and "
        f"{OUTPUT[LAST, 1]:.2f} age.",
    )
    right, middle = LEFT + CELL * len(SOURCE), LEFT + CELL * len(SOURCE) / 2
    canvas.box(16, 16, 200, 60, "target so far", "X  (T, D)")
    canvas.box(300, 16, 284, 60, "memory, from the encoder", "M  (S, D)")
    canvas.box(16, 128, 200, 60, "queries", "Q  (T, D)", kind="point")
    canvas.box(300, 128, 136, 60, "keys", "K  (S, D)")
    canvas.box(448, 128, 136, 60, "values", "V  (S, D)")
    canvas.arrow((116, 78), (116, 124))
    canvas.arrow((368, 78), (368, 124))
    canvas.arrow((516, 78), (516, 124))
    canvas.arrow((586, 158), (594, 158), (594, 500), (middle + 200, 500))  # the values: to their mixture
    canvas.arrow((116, 190), (116, TOP - 8))  # to the rows: queries are rows
    canvas.arrow((368, 190), (368, TOP - 28))  # to the columns: keys are columns
    canvas.text(130, 222, "one row each", SMALL, "start", "soft")
    canvas.text(382, 222, "one column each", SMALL, "start", "soft")

    for j, word in enumerate(SOURCE):
        canvas.text(LEFT + (j + 0.5) * CELL, TOP - 14, f"*{word}*", SMALL, look="" if IS_WORD[j] else "soft")
    for t, row in enumerate(WEIGHTS):
        y = TOP + t * ROW
        marked = t == LAST
        canvas.text(LEFT - 12, y + ROW / 2 - 8, f"*{TARGET[t]}*", SMALL, "end", "strong" if marked else "")
        canvas.text(LEFT - 12, y + ROW / 2 + 11, f"writes *{WRITTEN[t]}*", SMALL, "end", "soft")
        numbers = [f"{weight:.2f}" if real else "–" for weight, real in zip(row, IS_WORD, strict=True)]
        canvas.cells(LEFT, y, [numbers[:5]], CELL, ROW, kind="point" if marked else "plain", shades=list(row[:5]))
        canvas.cells(LEFT + 5 * CELL, y, [numbers[5:]], CELL, ROW, kind="later")
    bottom = TOP + len(TARGET) * ROW
    canvas.text(right, bottom + 16, "masked padding", SMALL, "end", "soft")
    canvas.arrow((middle, bottom + 4), (middle, bottom + 48))
    canvas.text(middle - 14, bottom + 28, "weights  (T, S)  times V", SMALL, "end", "soft")

    canvas.box(middle - 196, bottom + 52, 392, 60, "one row for each word that asks", "(T, D)", kind="plain")
    brought = f"*livre*: {OUTPUT[LAST, 0]:.2f} colour, {OUTPUT[LAST, 1]:.2f} age"
    canvas.text(middle, bottom + 130, brought, SMALL, look="soft")
    return canvas
