"""Gates that let heads through, or shut them off.

A head's features are next to each other after merging, so each gate is repeated D / H times in place. `repeat` instead
of `repeat_interleave` would deal out the gates like cards.
"""

from torch import Tensor


def gate_heads(merged: Tensor, gates: Tensor) -> Tensor:
    """Multiply each head's output by its gate: 1 lets it through unchanged, 0 removes it.

    The heads are next to each other, as `merge_heads` leaves them: the first D / H features belong to head 0, and so
    on.

    Args:
        merged: (..., D), the heads' outputs before the output projection.
        gates: (H,), where H divides D.

    Returns:
        (..., D).

    Source: Michel et al. 2019, section 2.3.
    """
    width = merged.size(-1) // len(gates)
    return merged * gates.repeat_interleave(width)  # (..., D) times (D,)
