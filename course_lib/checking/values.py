"""Plain values: the only values that may pass between a student's process and the one that judges.

A value is a tensor, a NumPy array, a number, a string, a boolean, ``None``, or a list, tuple or string-keyed dict of
values. `encode` turns a value into JSON plus tensors, and `decode` turns it back. Nothing is ever pickled. Anything
else becomes an `Opaque`, which keeps only the name of its type.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np
import torch
from torch import Tensor

Value = Any  #: see the module's docstring; recursive types would say no more to a reader
Json = Any
Array = Tensor | np.ndarray

MARK = "$"  #: the key that distinguishes an encoded tensor, array, tuple or opaque from a plain dict


@dataclass(frozen=True)
class Unsupported:
    """A placeholder for a returned value that isn't a plain value."""

    type: str


#: types that safetensors stores and that NumPy arrays may have
_STORED = {
    torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.bool,
    torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8,
}  # fmt: skip


def encode(value: Value, tensors: dict[str, Tensor]) -> Json:
    """Return JSON for ``value``, and put its tensors into ``tensors`` by a hash of their content."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, np.generic):
        return encode(value.item(), tensors)
    if isinstance(value, int):
        return value if abs(value) < 2**63 else {MARK: "opaque", "type": "int"}
    if isinstance(value, float):
        return value if math.isfinite(value) else {MARK: "float", "is": repr(value)}
    if is_array(value):
        kind = "torch" if isinstance(value, Tensor) else "numpy"
        stored = _storable(value)
        if stored is None:
            return {MARK: "opaque", "type": f"{_called(value)} of {value.dtype}"}
        at = _content(stored)
        tensors[at] = stored
        return {MARK: kind, "at": at}
    if isinstance(value, tuple | list):
        items = [encode(item, tensors) for item in value]
        return {MARK: "tuple", "of": items} if isinstance(value, tuple) else items
    if isinstance(value, dict) and all(isinstance(k, str) and k != MARK for k in value):
        return {k: encode(v, tensors) for k, v in value.items()}
    return {MARK: "opaque", "type": value.type if isinstance(value, Unsupported) else type(value).__name__}


def _content(tensor: Tensor) -> str:
    """Return a name for a tensor that only equal tensors share."""
    head = f"{tensor.dtype} {tuple(tensor.shape)} ".encode()
    raw = tensor.flatten().view(torch.uint8).numpy().tobytes() if tensor.numel() else b""
    return hashlib.sha256(head + raw).hexdigest()[:16]


def _storable(value: Tensor | np.ndarray) -> Tensor | None:
    """Return a contiguous copy on the CPU that owns its memory; None if the value can't be stored.

    Don't call the value's own methods, because a student's class could still compute something else in them.
    """
    try:
        if isinstance(value, Tensor):
            with torch._C.DisableTorchFunctionSubclass():
                array = Tensor.detach(Tensor.as_subclass(value, Tensor)).cpu()
        else:
            array = torch.from_numpy(np.array(value, copy=True, subok=False))
        if array.dtype not in _STORED or array.layout is not torch.strided:
            return None
        # not contiguous(), because it accepts any stride for a single number, and its bytes could not be read
        return array.as_subclass(Tensor).clone(memory_format=torch.contiguous_format)  # type: ignore[no-any-return, no-untyped-call, unused-ignore]
    except (TypeError, RuntimeError, ValueError):
        return None


def decode(value: Json, tensors: Mapping[str, Tensor], depth: int = 40) -> Value:
    """Undo `encode`, trusting nothing.

    Raises:
        ValueError: the JSON isn't from `encode`, or is nested deeper than ``depth``.
    """
    if depth == 0:
        raise ValueError("values are nested too deeply")
    if isinstance(value, list):
        return [decode(item, tensors, depth - 1) for item in value]
    if not isinstance(value, dict):
        return value
    match value.get(MARK):
        case None:
            return {k: decode(v, tensors, depth - 1) for k, v in value.items()}
        case "torch" | "numpy" as kind:
            return _stored(kind, word(value.get("at")), tensors)
        case "tuple":
            items = value.get("of")
            if not isinstance(items, list):
                raise ValueError("a tuple must be stored as a list")
            return tuple(decode(item, tensors, depth - 1) for item in items)
        case "float":
            return {"inf": math.inf, "-inf": -math.inf}.get(word(value.get("is")), math.nan)
        case "opaque":
            return Unsupported(word(value.get("type")))
        case other:
            raise ValueError(f"unknown kind of value {word(other)[:100]!r}")


def word(value: Json) -> str:
    """Return the value if it is text; otherwise an empty string, because anyone may have written something else."""
    return value if isinstance(value, str) else ""


def _stored(kind: str, at: str, tensors: Mapping[str, Tensor]) -> Tensor | np.ndarray:
    if at not in tensors:
        raise ValueError(f"no tensor at {at[:100]!r}")
    try:
        return tensors[at] if kind == "torch" else tensors[at].numpy()
    except TypeError:
        raise ValueError(f"NumPy has no {tensors[at].dtype}") from None


#: the limits of an answer: numbers in arrays, levels of nesting, and characters. Right answers stay far below
MOST_NUMBERS, DEEPEST, LONGEST_TEXT = 1_000_000, 20, 10_000
_COST = 100  #: the cost of a Python value, in numbers of an array: it takes about that much longer


@dataclass
class Room:
    """How much more may be kept, in numbers of an array. Values that share a `Room` share the limit."""

    left: int = MOST_NUMBERS

    def take(self, numbers: int) -> bool:
        """Use some of it up, if there is enough. Return whether there was."""
        if numbers > self.left:
            return False
        self.left -= numbers
        return True


def plain(value: Any) -> Value:
    """Return any value as a plain value that owns its memory; anything that isn't plain becomes `Opaque`.

    A value that is too large or nested too deeply becomes `Opaque`, too. This may call methods of the value, and raise
    what they raise.
    """
    return _plain(value, DEEPEST, Room(), _storable)


def plain_as_received(value: Value, room: Room) -> Value:
    """Return what `decode` has read, as `plain` would return it. Nothing is copied, as nobody else uses its tensors."""
    return _plain(value, DEEPEST, room, _stored_as_it_is)


def _plain(value: Any, depth: int, room: Room, stored: Callable[[Tensor | np.ndarray], Tensor | None]) -> Value:
    kind = type(value)
    if isinstance(value, np.generic):
        value = value.item()
        return (
            _plain(value, depth, room, stored) if type(value) in (bool, int, float, str) else Unsupported(kind.__name__)
        )
    if is_array(value):
        return _plain_array(value, room, stored)
    enough = room.take(_COST)
    if kind is Unsupported:
        return Unsupported(readable(value.type)[:100])
    if value is None or kind in (bool, float) or (kind is int and abs(value) < 2**63):
        return value
    if kind is str:
        return readable(value)
    if enough and kind in (list, tuple, dict) and depth and len(value) * _COST <= room.left:
        if kind is dict:
            return {readable(str(key)): _plain(item, depth - 1, room, stored) for key, item in value.items()}
        return kind(_plain(item, depth - 1, room, stored) for item in value)
    return Unsupported(readable(kind.__name__)[:100])


_MOST_DIMENSIONS = 16  #: NumPy's limit is 32 or 64, PyTorch's is 64, and nothing here has more than five dimensions


def _plain_array(
    value: Tensor | np.ndarray, room: Room, stored: Callable[[Tensor | np.ndarray], Tensor | None]
) -> Value:
    if value.ndim > _MOST_DIMENSIONS:
        return Unsupported(f"{_called(value)} of {value.ndim} dimensions")
    numbers = math.prod(max(size, 1) for size in value.shape)  # a sum over an empty array may have any size
    if not room.take(numbers):
        return Unsupported(f"{_called(value)} of {numbers:,} numbers")
    kept = stored(value)
    if kept is None:
        return Unsupported(f"{_called(value)} of {value.dtype}")
    return kept if isinstance(value, Tensor) else kept.numpy()


def _stored_as_it_is(value: Tensor | np.ndarray) -> Tensor | None:
    """Return what came out of a file of tensors, or None if `encode` doesn't store its dtype."""
    tensor = value if isinstance(value, Tensor) else torch.from_numpy(value)
    return tensor if tensor.dtype in _STORED else None


def _called(value: Tensor | np.ndarray) -> str:
    """Return what kind of array it is, for an array that cannot be stored."""
    if not isinstance(value, Tensor):
        return "array"
    if value.layout is not torch.strided:
        return f"{str(value.layout).removeprefix('torch.')} tensor"
    return "tensor without numbers" if value.is_meta else "tensor"


def readable(text: str) -> str:
    """Return the text shortened to a readable length, without lone surrogates, which no file can store."""
    return text[:LONGEST_TEXT].encode("utf-8", "replace").decode("utf-8")


def copy(value: Value) -> Value:
    """Return a deep copy, so that an implementation that changes its inputs changes only its own."""
    return convert(value, lambda leaf: leaf.clone() if isinstance(leaf, Tensor) else leaf.copy())


def convert(value: Value, change: Callable[[Tensor | np.ndarray], Value]) -> Value:
    """Return the same value with ``change`` applied to every tensor and array in it."""
    if is_array(value):
        return change(value)
    if isinstance(value, dict):
        return {k: convert(v, change) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(convert(item, change) for item in value)
    return value


def is_array(value: Value) -> TypeGuard[Tensor | np.ndarray]:
    """Return whether it is a NumPy array or a PyTorch tensor."""
    return isinstance(value, Array)


def arrays(value: Value, path: str = "") -> Iterator[tuple[str, Tensor | np.ndarray]]:
    """Yield every tensor and array in a value, with the path to it (``"arguments/query"``)."""
    if is_array(value):
        yield path, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from arrays(item, f"{path}/{key}" if path else key)
    elif isinstance(value, list | tuple):
        for i, item in enumerate(value):
            yield from arrays(item, f"{path}/{i}" if path else str(i))


#: what `pick` returns if there is nothing at the path
MISSING = Unsupported("missing")


def pick(value: Value, path: str) -> Value:
    """Return the part of a value at ``path``, or `MISSING` if there is none."""
    for step in path.split("/") if path else ():
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list | tuple) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        else:
            return MISSING
    return value
