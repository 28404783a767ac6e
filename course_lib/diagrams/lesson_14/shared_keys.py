"""Four heads of queries that share two heads of keys, and how a group's queries become the rows of one matrix."""

from __future__ import annotations

from course_lib.diagrams.canvas import SMALL, Canvas

HEADS = 4
GROUPS = {"multi-head": 4, "grouped-query": 2, "multi-query": 1}
PANEL, BOX, GAP = 200.0, 34.0, 42.0
LOW = "₀₁₂₃"


def draw() -> Canvas:
    """Show who shares keys, from four heads of them to one, and the product of one group."""
    canvas = Canvas(
        440,
        "Heads that share keys and values",
        "Above, three panels with four heads of queries each. Multi-head: each has keys of its own, four in all. "
        "Grouped-query: queries 0 and 1 share keys 0, queries 2 and 3 share keys 1. Multi-query: all share keys 0. "
        "Below, one group: the queries of heads 0 and 1, T by Dk each, form one matrix of 2T by Dk. "
        "Times the transposed keys 0, Dk by S, they make the scores of both heads, 2T by S.",
    )
    for panel, (name, groups) in enumerate(GROUPS.items()):
        left = 12 + panel * PANEL
        canvas.text(left + 80, 22, name, look="strong")
        canvas.text(left + 80, 44, f"G = {groups}", SMALL, look="soft")
        width = (HEADS * GAP) / groups
        for h in range(HEADS):
            x = left + h * GAP
            canvas.arrow((x + BOX / 2, 100), (left + (h * groups // HEADS + 0.5) * width - 4, 150))
            canvas.box(x, 64, BOX, BOX, f"Q{LOW[h]}", kind="point" if h < 2 and groups == 2 else "plain", size=SMALL)
        for g in range(groups):
            x = left + (g + 0.5) * width - 4 - BOX / 2
            canvas.box(x, 152, BOX, BOX, f"K{LOW[g]}", kind="yours", size=SMALL)
    canvas.text(16, 226, "One group: more rows, the same keys", anchor="start", look="strong")
    for h in (0, 1):
        canvas.box(60, 252 + h * 62, 76, 60, f"Q{LOW[h]}", "T × Dk", kind="point", corner=0, size=SMALL)
    canvas.text(98, 396, "2T × Dk", SMALL, look="soft")
    canvas.text(168, 313, "×")
    canvas.box(200, 275, 150, 76, "K₀ᵀ", "Dk × S", kind="yours", corner=0, size=SMALL)
    canvas.text(384, 313, "=")
    for h in (0, 1):
        canvas.box(412, 252 + h * 62, 172, 60, f"scores of head {h}", "T × S", kind="point", corner=0, size=SMALL)
    canvas.text(498, 396, "2T × S", SMALL, look="soft")
    canvas.text(300, 424, "The values are shared in the same way", SMALL, look="soft")
    return canvas
