"""Sixteen pixels as four patches, and the patches as a sequence."""

from __future__ import annotations

import numpy as np

from course_lib.diagrams.canvas import SMALL, Canvas

SIZE, PATCH = 4, 2
PIXELS = np.arange(SIZE * SIZE).reshape(SIZE, SIZE)
CELL = 44.0


def patches() -> list[list[int]]:
    """Return the pixels of each patch, in reading order."""
    corners = range(0, SIZE, PATCH)
    return [PIXELS[top : top + PATCH, left : left + PATCH].ravel().tolist() for top in corners for left in corners]


def draw() -> Canvas:
    """Draw the image with its patches separated at the left, and each patch as a row at the right."""
    rows = patches()
    told = "; ".join(", ".join(map(str, row)) for row in rows)
    canvas = Canvas(
        300,
        "An image as a sentence",
        f"Left: an image of {SIZE} by {SIZE} pixels, numbered row by row from 0 to {SIZE * SIZE - 1}, cut into four "
        f"patches of {PATCH} by {PATCH}. Right: the patches as rows of a table, in reading order: {told}. Each row "
        "goes through the same linear layer, as each word goes through the embedding.",
    )
    gap = 14.0
    for i in range(SIZE):
        for j in range(SIZE):
            x, y = 24 + j * CELL + (j // PATCH) * gap, 56 + i * CELL + (i // PATCH) * gap
            first = i < PATCH and j < PATCH
            canvas.cells(x, y, [[str(PIXELS[i, j])]], CELL, CELL, kind="point" if first else "plain")
    canvas.text(24 + 2 * CELL + gap / 2, 28, "image (C, H, W)", SMALL, look="soft")
    canvas.arrow((236, 152), (292, 152))
    for number, row in enumerate(rows):
        y = 56 + number * (CELL + 5)
        canvas.cells(310, y, [[str(pixel) for pixel in row]], CELL, CELL, kind="point" if not number else "plain")
        canvas.text(500, y + CELL / 2, f"patch {number}", SMALL, "start", "soft")
    canvas.text(310 + 2 * CELL, 28, "patches (N, C P²)", SMALL, look="soft")
    canvas.text(300, 280, "each row goes through the same linear layer: C P² to D", SMALL, look="soft")
    return canvas
