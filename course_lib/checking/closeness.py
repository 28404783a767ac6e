"""How close is equal: the one home of every tolerance.

Points, names, "left as they were" and the count of wrong numbers on a card all ask here. A number is measured against
the largest of the array it stands in, and a gradient against the largest of all gradients of its question: processors
round differently, by a share of what they add up, so that what is zero in mathematics comes out as rounding of the
rest. Which tolerance holds, the number type tells.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor

from course_lib.checking.values import Array, Value, arrays, pick

#: how far two equal numbers may lie apart, as a share of the largest number they stand among. A float64 answer may have
#: passed through float32 on its way.
SHARE = {"float64": 1e-5, "float32": 1e-5, "float16": 1e-2, "bfloat16": 3e-2}
#: numbers among which none is larger than this are measured as if one were: what is left of a difference of numbers
#: around 1 is rounding
SMALLEST_SIZE = 0.1
#: a single Python number, which has nothing beside it to be measured against, and is exact more often than not
NUMBER_SHARE, NUMBER_NEAR_ZERO = 1e-6, 1e-9
#: what a masked key's weight may be
ZERO = 1e-12
#: fields whose arrays have one size together
TOGETHER = frozenset({"gradients"})


@dataclass(frozen=True)
class Tolerance:
    """How far numbers may lie apart: a share of a size.

    Attributes:
        size: of the largest number that an array belongs to; None: of the largest of the array.
        share: of that size; None: what the table says of the number type.
    """

    size: float | None = None
    share: float | None = None


#: as the table says
USUAL = Tolerance()


def close(ours: Value, right: Value, within: Tolerance = USUAL) -> bool:
    """Whether a value is, up to rounding, the right one; NaN equals NaN. Number types may differ."""
    return _close(ours, right, within, _any_type)


def identical(ours: Value, right: Value, widths: bool = True) -> bool:
    """Whether two values are close *and* their arrays have the same number types.

    Args:
        widths: whether float32 is another type than float64; whole numbers and floating point always are.
    """
    return _close(ours, right, USUAL, _dtype if widths else _kind)


def _close(ours: Value, right: Value, within: Tolerance, of: Callable[[Array], str]) -> bool:
    """Whether two values are close, and what ``of`` says of their arrays is the same."""
    if ours is right:  # as most numbers of most shapes are
        return True
    if isinstance(ours, Array) or isinstance(right, Array):
        return comparable(ours, right) and of(ours) == of(right) and not bool(differing(ours, right, within).any())
    if isinstance(ours, bool) or isinstance(right, bool):
        return ours is right
    if isinstance(ours, int | float) and isinstance(right, int | float):
        share = NUMBER_SHARE if within.share is None else within.share
        near = math.isclose(ours, right, rel_tol=share, abs_tol=NUMBER_NEAR_ZERO)
        return near or (math.isnan(ours) and math.isnan(right))
    if isinstance(ours, dict) and isinstance(right, dict):
        return ours.keys() == right.keys() and all(
            _close(ours[name], value, replace(within, size=size_of(value)) if name in TOGETHER else within, of)
            for name, value in right.items()
        )
    if isinstance(ours, list | tuple) and isinstance(right, list | tuple):
        return (
            type(ours) is type(right)
            and len(ours) == len(right)
            and all(_close(x, y, within, of) for x, y in zip(ours, right, strict=True))
        )
    return bool(type(ours) is type(right) and ours == right)


def _any_type(array: Array) -> str:
    """Where number types may differ."""
    return ""


def outline(value: Value) -> tuple[float, float]:
    """What two close values have nearly in common, see `far_apart`.

    Returns:
        The mean of all finite numbers, as shares of the largest, or of 1 if none is larger; and the coarsest tolerance
        of any.
    """
    found, share = [np.zeros(1)], SHARE["float64"]
    for part in _leaves(value):
        if isinstance(part, Array):
            found.append(numbers(part).astype(float).ravel())
            share = max(share, _share(part))
        elif isinstance(part, int | float) and abs(part) <= np.finfo(float).max:
            found.append(np.array([part], dtype=float))
    finite = np.nan_to_num(np.concatenate(found), posinf=0.0, neginf=0.0)
    return float((finite / max(1.0, np.abs(finite).max())).mean()), share  # a sum of such numbers may be infinite


def far_apart(a: tuple[float, float], b: tuple[float, float]) -> bool:
    """Whether two outlines are so different that their values cannot be close; most that differ do so here.

    Numbers that are close differ by a share of the largest at most, and so do the largest: twice the share in all.
    """
    return abs(a[0] - b[0]) > 3 * max(a[1], b[1])


def _leaves(value: Value) -> Iterator[Value]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for item in value:
            yield from _leaves(item)
    else:
        yield value


def comparable(ours: Value, right: Value) -> bool:
    """Whether two arrays are of one library, one shape, and both of booleans or both of numbers."""
    return (
        isinstance(ours, Array)
        and type(ours) is type(right)
        and tuple(ours.shape) == tuple(right.shape)
        and _is_boolean(ours) == _is_boolean(right)
    )


def differing(ours: Array, right: Array, within: Tolerance = USUAL) -> np.ndarray:
    """Which numbers of two comparable arrays differ by more than rounding, as an array of booleans.

    How much rounding is allowed, the right one's type tells, and that of ``ours`` no coarser than float32: whoever
    answers in coarse numbers would be measured coarsely.
    """
    x, y = numbers(ours), numbers(right)
    other = np.asarray(x != y)
    if y.dtype == bool or not other.any():  # most that are close are the same to the last digit
        return other
    share = max(_share(right), min(_share(ours), SHARE["float32"])) if within.share is None else within.share
    allowed = share * max(size_of(right) if within.size is None else within.size, SMALLEST_SIZE)
    with np.errstate(all="ignore"):
        near = np.isfinite(y) & (np.abs(x - y) <= allowed)
    return np.asarray(other & ~(near | (np.isnan(x) & np.isnan(y))))


def rounding(value: Array, size: float | None = None) -> float:
    """How far two numbers of an array may lie apart by rounding alone; of a coarse type, as of float32.

    Args:
        size: of the largest number they belong to; None: of the largest of the array.
    """
    return min(_share(value), SHARE["float32"]) * max(size_of(value) if size is None else size, SMALLEST_SIZE)


def size_of(value: Value) -> float:
    """The size of the largest number in a value's arrays; 0 where there is none."""
    return max((_largest(numbers(array)) for _, array in arrays(value)), default=0.0)


def tolerance_at(path: str, right: Value, share: float | None = None) -> Tolerance:
    """The tolerance of the part at ``path``, which is measured against what it belongs to.

    Args:
        share: a law's own; None: as the table says.
    """
    steps = path.split("/")
    groups = ["/".join(steps[: i + 1]) for i, step in enumerate(steps) if step in TOGETHER]
    return Tolerance(size_of(pick(right, groups[0])) if groups else None, share)


def numbers(array: Array) -> np.ndarray:
    """The array as NumPy has it, floating point as float64. On small arrays NumPy takes half of torch's time."""
    if isinstance(array, Tensor):
        return np.asarray((array.double() if array.dtype.is_floating_point else array).numpy())
    return array.astype(np.float64) if array.dtype.kind == "f" else array


def _largest(array: np.ndarray) -> float:
    if array.dtype == bool or not array.size:
        return 0.0
    found = np.abs(array[np.isfinite(array)])
    return float(found.max()) if found.size else 0.0


def _share(array: Array) -> float:
    """The tolerance of an array's number type; whole numbers are exact."""
    return SHARE.get(_dtype(array), 0.0)


def _dtype(array: Array) -> str:
    return _name(array.dtype)


@lru_cache(64)  # NumPy takes longer for the name than for the comparison of a small array
def _name(dtype: object) -> str:
    return str(dtype).removeprefix("torch.")


def _kind(array: Array) -> str:
    name = _dtype(array)
    return next((kind for kind in ("float", "int", "bool") if kind in name), name)


def _is_boolean(array: Array) -> bool:
    return array.dtype in (torch.bool, np.dtype(bool))
