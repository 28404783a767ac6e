"""The same three matrices multiplied in two orders: a square as long as the text, or one as wide as a vector."""

from __future__ import annotations

from course_lib.diagrams.canvas import SMALL, Canvas

N, D = 132.0, 36.0


def draw() -> Canvas:
    """Draw scores first above, and keys with values first below."""
    canvas = Canvas(
        520,
        "Three matrices, two orders",
        "Above: Q, which is n by d, times K transposed, d by n, makes an n by n square, the largest thing in the "
        "picture; times V, n by d, that makes the output, n by d. It takes 2 n squared d products. Below: K transposed "
        "times V makes a small square, d by d; Q times that makes the same output. It takes 2 n d squared products.",
    )
    canvas.text(16, 22, "(QKᵀ)V: first every pair", anchor="start", look="strong")
    y = 56.0
    canvas.box(24, y, D, N, "Q", size=SMALL)
    canvas.text(78, y + N / 2, "×")
    canvas.box(96, y, N, D, "Kᵀ", size=SMALL)
    canvas.text(250, y + N / 2, "=")
    canvas.box(272, y, N, N, "n × n", "2n²d in all", kind="point", size=SMALL)
    canvas.text(424, y + N / 2, "×")
    canvas.box(444, y, D, N, "V", size=SMALL)
    canvas.text(504, y + N / 2, "=")
    canvas.box(528, y, D, N, "Z", kind="yours", size=SMALL)
    canvas.text(16, 244, "Q(KᵀV): first the sum over all keys", anchor="start", look="strong")
    y = 300.0
    canvas.box(24, y, D, N, "Q", size=SMALL)
    canvas.text(78, y + N / 2, "×")
    canvas.text(88, y + N / 2, "(", anchor="start")
    canvas.box(106, y, N, D, "Kᵀ", size=SMALL)
    canvas.text(256, y + N / 2, "×")
    canvas.box(272, y, D, N, "V", size=SMALL)
    canvas.text(316, y + N / 2, ")", anchor="start")
    canvas.text(344, y + N / 2, "=")
    canvas.box(366, y, D, N, "Q", size=SMALL)
    canvas.text(418, y + N / 2, "×")
    canvas.box(434, y + (N - D) / 2, 58, D, "d × d", kind="point", size=SMALL)
    canvas.text(504, y + N / 2, "=")
    canvas.box(528, y, D, N, "Z", kind="yours", size=SMALL)
    canvas.text(300, 462, "The d × d square has the same size for any length: 2nd² in all", SMALL, look="soft")
    canvas.text(300, 494, "Only the first order leaves room for a softmax", SMALL, look="soft")
    return canvas
