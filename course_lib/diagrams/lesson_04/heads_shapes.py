"""Multi-head attention in five steps, with the shape on every arrow."""

from __future__ import annotations

from course_lib.diagrams.canvas import SMALL, TEXT, Canvas

COLUMNS = (("query", "T", "W_q"), ("key", "S", "W_k"), ("value", "S", "W_v"))
FIRST, STEP, WIDE = 20.0, 200.0, 150.0
MIDDLE = 300.0


def draw() -> Canvas:
    """Draw the steps project, split, attend, merge, project: three columns that become one."""
    canvas = Canvas(
        700,
        "Multi-head attention: project, split, attend, merge, project",
        "Read from top to bottom. Query (B, T, D), key (B, S, D) and value (B, S, D) are projected by W_q, W_k and "
        "W_v, which leaves their shapes as they are. Each is split into heads: (B, H, T, Dh) or (B, H, S, Dh), where "
        "Dh is D / H. Each head attends on its own, with weights (B, H, T, S) and an output (B, H, T, Dh). The heads "
        "of each token are merged, (B, T, D), and W_o projects them, (B, T, D).",
    )
    for number, (name, length, matrix) in enumerate(COLUMNS):
        x = FIRST + number * STEP
        middle, down = x + WIDE / 2, x + 40
        canvas.text(middle, 20, name, look="strong")
        canvas.arrow((down, 36), (down, 80), label=f"(B, {length}, D)", side=10)
        canvas.box(x, 82, WIDE, 42, f"project {matrix}")
        canvas.arrow((down, 124), (down, 168), label=f"(B, {length}, D)", side=10)
        canvas.box(x, 170, WIDE, 42, "split", kind="point")
        canvas.arrow((down, 212), (down, 268), label=f"(B, H, {length}, Dₕ)", side=10)
    for back in (2, 1):
        canvas.box(FIRST + 8 * back, 286 - 8 * back, 544, 96)
    canvas.box(FIRST, 286, 544, 96)
    canvas.text(FIRST + 272, 310, "attend, each head on its own", TEXT)
    canvas.text(FIRST + 272, 336, "softmax(Q Kᵀ / √Dₕ) V", SMALL)
    canvas.text(FIRST + 272, 361, "weights (B, H, T, S); a mask hides keys from the softmax", SMALL, look="soft")
    canvas.arrow((MIDDLE, 382), (MIDDLE, 434), label="(B, H, T, Dₕ)")
    canvas.box(MIDDLE - 100, 436, 200, 42, "merge", kind="point")
    canvas.arrow((MIDDLE, 478), (MIDDLE, 530), label="(B, T, D)")
    canvas.box(MIDDLE - 100, 532, 200, 42, "project W_o")
    canvas.arrow((MIDDLE, 574), (MIDDLE, 626), label="(B, T, D)")
    canvas.text(MIDDLE, 644, "output", look="strong")
    canvas.text(MIDDLE, 680, "Dₕ = D / H: with D = 512 and H = 8, a head is 64 wide", SMALL, look="soft")
    return canvas
