"""Reset settings that a notebook may have changed to their values in a new thread, where `check` asks at home."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch


@contextmanager
def as_in_a_new_thread() -> Iterator[None]:
    """Use the default settings of a new thread, and show no warnings.

    At home, a cell that switches gradients off does so for the thread that runs cells. `check` asks in another thread,
    and there gradients are on. Settings of the whole process, such as deterministic algorithms, stay as the notebook
    left them.
    """
    torch.set_default_device(None)
    with (
        warnings.catch_warnings(),
        torch.inference_mode(False),
        torch.enable_grad(),
        torch.autocast("cpu", enabled=False),
        np.errstate(divide="warn", over="warn", under="ignore", invalid="warn"),
    ):
        warnings.simplefilter("ignore")
        yield
