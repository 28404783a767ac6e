"""One word in a pre-norm sub-layer, worked out on paper.

The sub-layer reads the normalised word, and its result is added to the word as it came in.
"""

import torch
from torch.nn import functional as F


def pre_norm_on_paper() -> list[float]:
    """The two features that come out, to two decimals: [1.00, -0.50] has the right form, but not the right numbers."""
    times, plus = torch.tensor([3.0, 1.0]), torch.tensor([0.0, 2.0])  # the sub-layer
    x = torch.tensor([5.0, 1.0])
    reads = F.layer_norm(x, (2,))  # 1, -1
    adds = times * reads + plus  # 3, 1
    return (x + adds).tolist()
