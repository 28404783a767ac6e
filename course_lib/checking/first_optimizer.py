"""Make PyTorch's first optimizer outside any time limit."""

from __future__ import annotations

from functools import cache

import torch


@cache
def make_first_optimizer() -> None:
    """Make an optimizer. For the first one in a process, PyTorch imports hundreds of modules, which takes seconds."""
    torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
