"""Every n-gram of a translation with one wrong article: those that the reference contains, and those it doesn't."""

from __future__ import annotations

from course_lib.diagrams.canvas import SMALL, Canvas
from course_lib.diagrams.lesson_00.numbers import FARMER, WRONG_ARTICLE, matched

LEFT, LETTER, GAP, ROW, BAR = 10.0, 9.55, 14.6, 31.0, 27.0
TOKENS = WRONG_ARTICLE.split()


def _edges() -> list[float]:
    """Return where each token's column begins, and where the last one ends."""
    edges = [LEFT]
    for token in TOKENS:
        edges.append(edges[-1] + LETTER * len(token) + GAP)
    return edges


def draw() -> Canvas:
    """Draw one bar per n-gram, over its tokens; filled if it matches, dashed if it doesn't."""
    edges = _edges()
    found = {n: matched(WRONG_ARTICLE, FARMER, n) for n in (1, 2, 3, 4)}
    shares = {n: f"{sum(hit for _, hit in grams)}/{len(grams)}" for n, grams in found.items()}
    canvas = Canvas(
        462,
        "One wrong article, and the n-grams that it spoils",
        f"The translation is “{WRONG_ARTICLE}”, the reference “{FARMER}”. Each bar is an n-gram of the translation, "
        "filled if the reference has one that is still free, dashed if not. "
        + " ".join(
            f"Of the {n}-grams {sum(hit for _, hit in grams)} of {len(grams)} match; dashed: "
            f"{', '.join(text for text, hit in grams if not hit)}."
            for n, grams in found.items()
        ),
    )
    canvas.text(LEFT, 20, "Reference:", SMALL, "start", "soft")
    canvas.text(LEFT + 100, 20, f"*{FARMER}*", SMALL, "start")
    top = 44.0
    for n, grams in found.items():
        canvas.text(588, top + BAR / 2 + 2, shares[n], anchor="end", look="strong")
        for i, (text, hit) in enumerate(grams):
            y = top + ROW * (i % n)
            left, right = edges[i], edges[i + n]
            canvas.box(
                left + 1.5, y, right - left - 3, BAR, text, kind="yours" if hit else "later", size=SMALL, corner=5
            )
        top += ROW * n + 14
    canvas.box(LEFT, top + 4, 34, 24, kind="yours", corner=5)
    canvas.text(LEFT + 44, top + 16, "in the reference", SMALL, "start")
    canvas.box(LEFT + 234, top + 4, 34, 24, kind="later", corner=5)
    canvas.text(LEFT + 278, top + 16, "not there, or no longer free", SMALL, "start")
    return canvas
