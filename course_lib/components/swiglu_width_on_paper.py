"""How wide SwiGLU may be, worked out on paper.

Weights are counted on both sides, so the width is what the plain network's weights leave for each of three matrices.
"""


def swiglu_width_on_paper() -> list[int]:
    """The weights of the plain network, and SwiGLU's F: [100, 10] has the right form, but not the right numbers."""
    d_model, d_ff = 6, 24
    weights = 2 * d_model * d_ff  # 288
    width = weights // (3 * d_model)  # 16
    return [weights, width]
