"""What each output of a model depends on, found by replacing one token at a time.

All T sentences with one other token form a batch, so the model runs twice, however long the sentence is.
"""

from collections.abc import Callable

import torch
from torch import Tensor


@torch.no_grad()
def who_sees_whom(model: Callable[[Tensor], Tensor], ids: Tensor, other: int) -> Tensor:
    """Find out which outputs of a model change when one token is replaced by another.

    An output has changed if any of its V numbers differs by more than 1e-9. Smaller differences are rounding.

    Args:
        model: maps ids (B, T) to outputs (B, T, V) in float64.
        ids: (T,), a sentence.
        other: the id that replaces a token. The sentence doesn't contain it.

    Returns:
        Boolean, (T, T): True in row i, column j if the output at position i depends on the token at position j.
    """
    length = ids.size(0)
    changed = ids.repeat(length, 1)  # (T, T): a sentence in each row
    changed.fill_diagonal_(other)  # in sentence j, the token at position j is another
    before = model(ids.unsqueeze(0))  # (1, T, V)
    after = model(changed)  # (T, T, V)
    moved = (after - before).abs().amax(dim=-1) > 1e-9  # (T, T): row j, column i
    return moved.T
