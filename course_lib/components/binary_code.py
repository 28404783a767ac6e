"""The binary code of positions; the sinusoids are its smooth version.

Integer division shifts a bit to the last place, `% 2` reads it. With positions in a column and half-periods in a row,
broadcasting fills the table.
"""

import torch
from torch import Tensor


def binary_code(length: int, num_bits: int) -> Tensor:
    """Write each position from 0 as a binary number, **fastest bit first**.

    Bit k stays the same for ``2**k`` positions, then changes: bit 0 at every position, bit 1 at every
    second one. Numbers are usually written with bit 0 last; here it comes first, as the sinusoids have
    their fastest dimensions first.

    Args:
        length: T, the number of positions. From position ``2**num_bits`` on, the code starts again.
        num_bits: the number of columns.

    Returns:
        (T, num_bits): 0.0 and 1.0, of torch's default dtype.

    Source: CSCE 638 lecture 7, "Sinusoidal Positional Encoding: Intuition".
    """
    positions = torch.arange(length).unsqueeze(1)  # (T, 1)
    half_periods = 2 ** torch.arange(num_bits)  # (num_bits,): for how many positions each bit stays the same
    bits = positions // half_periods % 2  # (T, num_bits)
    return bits.to(torch.get_default_dtype())
