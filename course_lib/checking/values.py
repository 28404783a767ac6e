"""Plain values: what may cross between a student's process and the one that judges.

A value is a tensor, a NumPy array, a number, a string, a boolean, ``None``, or a list, tuple
or string-keyed dict of values. `encode` turns one into JSON plus tensors, `decode` turns it
back. Nothing is ever pickled, and nothing else passes: it becomes an `Opaque`, its type's name.
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

MARK = "$"  #: the key that tells an encoded tensor, array, tuple or opaque from a plain dict


@dataclass(frozen=True)
class Opaque:
    """Stands where a value was returned that is no plain value."""

    type: str


#: types that safetensors stores and that NumPy arrays may have
_STORED = {
    torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.bool,
    torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8,
}  # fmt: skip


def encode(value: Value, tensors: dict[str, Tensor]) -> Json:
    """Return JSON for ``value``; its tensors are put into ``tensors``, each under a hash of its content."""
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
    return {MARK: "opaque", "type": value.type if isinstance(value, Opaque) else type(value).__name__}


def _content(tensor: Tensor) -> str:
    """A name for a tensor that only equal tensors share."""
    head = f"{tensor.dtype} {tuple(tensor.shape)} ".encode()
    raw = tensor.flatten().view(torch.uint8).numpy().tobytes() if tensor.numel() else b""
    return hashlib.sha256(head + raw).hexdigest()[:16]


def _storable(value: Tensor | np.ndarray) -> Tensor | None:
    """A contiguous copy on the CPU that owns its memory, or None where there is none.

    No method of the value's own is called: a student's could compute something else, after it was asked.
    """
    try:
        if isinstance(value, Tensor):
            with torch._C.DisableTorchFunctionSubclass():
                array = Tensor.detach(Tensor.as_subclass(value, Tensor)).cpu()
        else:
            array = torch.from_numpy(np.array(value, copy=True, subok=False))
        if array.dtype not in _STORED or array.layout is not torch.strided:
            return None
        # not contiguous(): of one number any stride is contiguous, and its bytes could not be read
        return array.as_subclass(Tensor).clone(memory_format=torch.contiguous_format)  # type: ignore[no-any-return, no-untyped-call, unused-ignore]
    except (TypeError, RuntimeError, ValueError):
        return None


def decode(value: Json, tensors: Mapping[str, Tensor], depth: int = 40) -> Value:
    """Undo `encode`, trusting nothing.

    Raises:
        ValueError: where the JSON is not what `encode` writes, or nested deeper than ``depth``.
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
                raise ValueError("a tuple of what is no list")
            return tuple(decode(item, tensors, depth - 1) for item in items)
        case "float":
            return {"inf": math.inf, "-inf": -math.inf}.get(word(value.get("is")), math.nan)
        case "opaque":
            return Opaque(word(value.get("type")))
        case other:
            raise ValueError(f"unknown kind of value {word(other)[:100]!r}")


def word(value: Json) -> str:
    """What should be a text, and is none where someone wrote something else."""
    return value if isinstance(value, str) else ""


def _stored(kind: str, at: str, tensors: Mapping[str, Tensor]) -> Tensor | np.ndarray:
    if at not in tensors:
        raise ValueError(f"no tensor at {at[:100]!r}")
    try:
        return tensors[at] if kind == "torch" else tensors[at].numpy()
    except TypeError:
        raise ValueError(f"NumPy has no {tensors[at].dtype}") from None


#: what an answer may hold: numbers in arrays, and values within values; no right answer comes near
MOST_NUMBERS, DEEPEST, LONGEST_TEXT = 1_000_000, 20, 10_000
_COST = 100  #: of a Python value, in numbers of an array: about as much more time as it takes


@dataclass
class Room:
    """How much more may be kept, in numbers of an array. What several values share limits their sum."""

    left: int = MOST_NUMBERS

    def take(self, numbers: int) -> bool:
        """Use some of it up, if there is enough."""
        if numbers > self.left:
            return False
        self.left -= numbers
        return True


def plain(value: Any) -> Value:
    """Whatever was returned as a plain value that owns its memory; what is none becomes `Opaque`.

    So does what is too large or nested too deeply. It may call methods of what was returned, and
    raise what they raise.
    """
    return _plain(value, DEEPEST, Room(), _storable)


def plain_as_received(value: Value, room: Room) -> Value:
    """What `decode` has read, as `plain` would have it. Nothing is copied: its tensors are nobody else's."""
    return _plain(value, DEEPEST, room, _stored_as_it_is)


def _plain(value: Any, depth: int, room: Room, stored: Callable[[Tensor | np.ndarray], Tensor | None]) -> Value:
    kind = type(value)
    if isinstance(value, np.generic):
        value = value.item()
        return _plain(value, depth, room, stored) if type(value) in (bool, int, float, str) else Opaque(kind.__name__)
    if is_array(value):
        return _plain_array(value, room, stored)
    enough = room.take(_COST)
    if kind is Opaque:
        return Opaque(readable(value.type)[:100])
    if value is None or kind in (bool, float) or (kind is int and abs(value) < 2**63):
        return value
    if kind is str:
        return readable(value)
    if enough and kind in (list, tuple, dict) and depth and len(value) * _COST <= room.left:
        if kind is dict:
            return {readable(str(key)): _plain(item, depth - 1, room, stored) for key, item in value.items()}
        return kind(_plain(item, depth - 1, room, stored) for item in value)
    return Opaque(readable(kind.__name__)[:100])


_MOST_DIMENSIONS = 16  #: NumPy stops at 32 or 64, PyTorch at 64, and nothing here has more than five


def _plain_array(
    value: Tensor | np.ndarray, room: Room, stored: Callable[[Tensor | np.ndarray], Tensor | None]
) -> Value:
    if value.ndim > _MOST_DIMENSIONS:
        return Opaque(f"{_called(value)} of {value.ndim} dimensions")
    numbers = math.prod(max(size, 1) for size in value.shape)  # what has none may still have a sum of any size
    if not room.take(numbers):
        return Opaque(f"{_called(value)} of {numbers:,} numbers")
    kept = stored(value)
    if kept is None:
        return Opaque(f"{_called(value)} of {value.dtype}")
    return kept if isinstance(value, Tensor) else kept.numpy()


def _stored_as_it_is(value: Tensor | np.ndarray) -> Tensor | None:
    """What came out of a file of tensors, where it is of a type that `encode` puts there."""
    tensor = value if isinstance(value, Tensor) else torch.from_numpy(value)
    return tensor if tensor.dtype in _STORED else None


def _called(value: Tensor | np.ndarray) -> str:
    """What kind of array it is, where that is why it cannot be stored."""
    if not isinstance(value, Tensor):
        return "array"
    if value.layout is not torch.strided:
        return f"{str(value.layout).removeprefix('torch.')} tensor"
    return "tensor without numbers" if value.is_meta else "tensor"


def readable(text: str) -> str:
    """The text without what no file can hold (lone surrogates), and of a length that someone might read."""
    return text[:LONGEST_TEXT].encode("utf-8", "replace").decode("utf-8")


def copy(value: Value) -> Value:
    """A deep copy, so that an implementation that changes its inputs changes only its own."""
    return convert(value, lambda leaf: leaf.clone() if isinstance(leaf, Tensor) else leaf.copy())


def convert(value: Value, change: Callable[[Tensor | np.ndarray], Value]) -> Value:
    """The same value with ``change`` applied to every tensor and array in it."""
    if is_array(value):
        return change(value)
    if isinstance(value, dict):
        return {k: convert(v, change) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(convert(item, change) for item in value)
    return value


def is_array(value: Value) -> TypeGuard[Tensor | np.ndarray]:
    """Whether it is an array of NumPy's or a tensor of PyTorch's."""
    return isinstance(value, Array)


def arrays(value: Value, path: str = "") -> Iterator[tuple[str, Tensor | np.ndarray]]:
    """Every tensor and array in a value, with the path to it (``"arguments/query"``)."""
    if is_array(value):
        yield path, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from arrays(item, f"{path}/{key}" if path else key)
    elif isinstance(value, list | tuple):
        for i, item in enumerate(value):
            yield from arrays(item, f"{path}/{i}" if path else str(i))


#: what `pick` finds where there is nothing
MISSING = Opaque("missing")


def pick(value: Value, path: str) -> Value:
    """The part of a value at ``path``; `MISSING` where there is none."""
    for step in path.split("/") if path else ():
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list | tuple) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        else:
            return MISSING
    return value
