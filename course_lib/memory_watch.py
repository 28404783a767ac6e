"""How much memory tensors and NumPy's arrays take while some code runs.

What an allocator keeps or gives back differs by machine. What code asks for does not.
"""

from __future__ import annotations

import math
import tracemalloc
import weakref
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Self

import numpy as np
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode


class MemoryWatch(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """While it is entered, the memory of all tensors that are made, until they are gone.

    Tensors that were there before are not counted, nor are views of any.

    Attributes:
        peak: the most bytes that were held at once.
    """

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Not asked for: PyTorch would import its whole compiler, in a second and a half, at the first call."""
        return False

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.peak = self._held = 0
        self._users: Counter[int] = Counter()  # how many tensors share a piece of memory, by its address

    def __torch_dispatch__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Call the operator, and count the tensors that it makes."""
        before = {tensor.untyped_storage().data_ptr() for tensor in _tensors((args, kwargs))}
        result = func(*args, **(kwargs or {}))
        for made in _tensors(result):
            self._count(made, before)
        return result

    def _count(self, made: Tensor, before: set[int]) -> None:
        storage = made.untyped_storage()
        address, size = storage.data_ptr(), storage.nbytes()
        if not size or (address in before and address not in self._users):
            return
        if address not in self._users:
            self._held += size
            self.peak = max(self.peak, self._held)
        self._users[address] += 1
        weakref.finalize(made, self._gone, address, size)

    def _gone(self, address: int, size: int) -> None:
        self._users[address] -= 1
        if not self._users[address]:
            del self._users[address]
            self._held -= size


def _tensors(value: Any) -> Iterator[Tensor]:
    """Yield the tensors among an operator's arguments or results. PyTorch's own `tree_iter` is several times slower."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, tuple | list):
        for each in value:
            yield from _tensors(each)
    elif isinstance(value, dict):
        for each in value.values():
            yield from _tensors(each)


class ArrayWatch:
    """While it is entered, the memory that Python's allocations take, in which NumPy's arrays are counted.

    Python's own objects take much less than an array, and those that stay, such as an imported module, are subtracted.

    Attributes:
        peak: the most bytes that were held at once; infinite if the code has stopped the count.
    """

    def __init__(self) -> None:
        self.peak: float = math.inf
        self._objects = self._before = 0
        self._started = False

    def __enter__(self) -> Self:
        """Start to count."""
        self._started = not tracemalloc.is_tracing()
        if self._started:
            tracemalloc.start()
        self._objects = _objects()
        self._before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        return self

    def __exit__(self, *error: object) -> None:
        """Stop, unless somebody else was counting before."""
        if not tracemalloc.is_tracing():
            return
        peak = tracemalloc.get_traced_memory()[1]
        self.peak = peak - self._before - max(_objects() - self._objects, 0)
        if self._started:
            tracemalloc.stop()


def _objects() -> int:
    """How many bytes are held now by everything but NumPy's arrays."""
    domain: int = np.lib.tracemalloc_domain
    return sum(trace.size for trace in tracemalloc.take_snapshot().traces if trace.domain != domain)
