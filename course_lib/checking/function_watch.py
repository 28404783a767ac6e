"""Noticing which of PyTorch's functions run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any

import torch
from torch.overrides import TorchFunctionMode


class FunctionWatch(TorchFunctionMode):
    """While it is entered, calls of some functions are noted, whatever name they are called by.

    Args:
        names: below ``torch``, as ``"nn.functional.layer_norm"``; those that this version of PyTorch has not are passed
            over.

    Attributes:
        called: the names of those that were called.
    """

    def __init__(self, names: Iterable[str]) -> None:
        super().__init__()
        self.called: set[str] = set()
        self._names: dict[Any, str] = {}
        for name in names:
            try:
                self._names[attrgetter(name)(torch)] = name
            except AttributeError:
                continue

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Note the function, and call it."""
        if name := self._names.get(func):
            self.called.add(name)
        return func(*args, **(kwargs or {}))
