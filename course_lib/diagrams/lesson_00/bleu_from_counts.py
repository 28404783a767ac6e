"""How BLEU combines four precisions and the brevity penalty: counts are added up first, then divided."""

from __future__ import annotations

import math

from course_lib.diagrams.canvas import SMALL, Canvas
from course_lib.diagrams.lesson_00.numbers import BOOK, FARMER, SHORT_BOOK, WRONG_ARTICLE, matched

ORDERS = (1, 2, 3, 4)
PAIRS = (("farmer", WRONG_ARTICLE, FARMER), ("red book", SHORT_BOOK, BOOK))
LEFT, CELL, ROW = 122.0, 80.0, 40.0


def counts() -> dict[str, list[tuple[int, int]]]:
    """Return the matches and totals of each pair, by order."""
    return {
        name: [(sum(hit for _, hit in grams), len(grams)) for grams in (matched(ours, right, n) for n in ORDERS)]
        for name, ours, right in PAIRS
    }


def draw() -> Canvas:
    """Draw a row of counts per sentence, their sums, and the score that follows from the sums and the lengths."""
    rows = counts()
    sums = [(sum(m for m, _ in column), sum(t for _, t in column)) for column in zip(*rows.values(), strict=True)]
    mean = math.prod(m / t for m, t in sums) ** (1 / len(ORDERS))
    c, r = (sum(len(pair[side].split()) for pair in PAIRS) for side in (1, 2))
    penalty = min(1.0, math.exp(1 - r / c))
    canvas = Canvas(
        512,
        "BLEU of a corpus: add up, divide, multiply",
        "For each n from 1 to 4, matches and total. "
        + " ".join(f"{name}: {_listed(row)}." for name, row in rows.items())
        + f" Added up: {_listed(sums)}. The geometric mean of the four shares is {mean:.3f}. The translations have "
        f"{c} tokens and the references {r}, so the brevity penalty is {penalty:.3f}. The product, in percent, is "
        f"{100 * mean * penalty:.1f}.",
    )
    for j, n in enumerate(ORDERS):
        canvas.text(LEFT + (j + 0.5) * CELL, 22, f"{n}-grams", SMALL, look="soft")
    canvas.text(526, 22, "tokens", SMALL, look="soft")
    for i, ((name, row), (_, ours, right)) in enumerate(zip(rows.items(), PAIRS, strict=True)):
        y = 40 + i * 52
        canvas.text(12, y + 20, name, anchor="start")
        canvas.cells(LEFT, y, [[f"{m} of {t}" for m, t in row]], CELL, ROW)
        canvas.box(464, y, 124, ROW, f"c={len(ours.split())}, r={len(right.split())}", corner=0)
    canvas.text(12, 190, "added up", anchor="start", look="strong")
    canvas.cells(LEFT, 170, [[f"{m}/{t}" for m, t in sums]], CELL, ROW, kind="yours")
    canvas.box(464, 170, 124, ROW, f"c={c}, r={r}", kind="yours", corner=0)
    for j in range(len(ORDERS)):
        x = LEFT + (j + 0.5) * CELL
        canvas.arrow((x, 212), (LEFT + 2 * CELL + 26 * (j - 1.5), 270))
    canvas.box(LEFT - 20, 272, 4 * CELL + 20, 74, "multiply, take the 4th root", f"{mean:.3f}", kind="plain")
    canvas.arrow((526, 212), (526, 270))
    canvas.box(464, 272, 124, 74, "BP", f"{penalty:.3f}")
    canvas.arrow((LEFT + 2 * CELL, 348), (LEFT + 2 * CELL, 422))
    canvas.arrow((526, 348), (526, 385), (410, 422))
    canvas.box(LEFT + 36, 424, 4 * CELL - 24, 70, "BLEU = 100 × both", f"{100 * mean * penalty:.1f}", kind="point")
    return canvas


def _listed(row: list[tuple[int, int]]) -> str:
    return ", ".join(f"{m} of {t}" for m, t in row)
