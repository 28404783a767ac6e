"""How close is equal: the only module that defines tolerances.

Points, names, the check that inputs are unchanged and the count of wrong numbers on a card all use it. A number is
measured against the largest in its array, and a gradient against the largest of all gradients of its question.
Processors round differently, by a share of the numbers that they add up, so a mathematical zero comes out as rounding
error of the other numbers. The dtype decides which tolerance holds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor

from course_lib.checking.values import Array, Value, arrays, pick

#: how far two equal numbers may differ, as a share of the largest number in their array. A float64 answer may have
#: passed through float32 on its way.
SHARE = {"float64": 1e-5, "float32": 1e-5, "float16": 1e-2, "bfloat16": 3e-2}
#: if no number is larger than this, numbers are measured as if the largest were this: the difference of numbers around
#: 1 leaves only rounding error
SMALLEST_SIZE = 0.1
#: for a single Python number, which has no other numbers to be measured against and is usually exact
NUMBER_SHARE, NUMBER_NEAR_ZERO = 1e-6, 1e-9
#: what a masked key's weight may be
ZERO = 1e-12
#: fields whose arrays are measured against one common size
TOGETHER = frozenset({"gradients"})
#: the field that says to how many decimals the numbers next to it were rounded by hand
DECIMALS = "decimals by hand"
#: how far such a number may be off, in units of its last decimal: half for rounding, and half for rounding on the way
BY_HAND = 1.001


@dataclass(frozen=True)
class Tolerance:
    """How far numbers may differ: a share of a size.

    Attributes:
        size: the largest number of what the array belongs to; None for the largest in the array.
        share: the share of that size; None for the one that `SHARE` gives for the dtype.
    """

    size: float | None = None
    share: float | None = None


#: the tolerances in the table
USUAL = Tolerance()


def close(ours: Value, right: Value, within: Tolerance = USUAL) -> bool:
    """Return whether a value equals the right one up to rounding. NaN equals NaN, and dtypes may differ."""
    return _close(ours, right, within, _any_type)


def identical(ours: Value, right: Value, widths: bool = True) -> bool:
    """Return whether two values are close *and* their arrays have the same dtypes.

    Args:
        widths: whether float32 differs from float64. Integers always differ from floating point.
    """
    return _close(ours, right, USUAL, _dtype if widths else _kind)


def _close(ours: Value, right: Value, within: Tolerance, of: Callable[[Array], str]) -> bool:
    """Return whether two values are close and ``of`` returns the same for their arrays."""
    if ours is right:  # true for most numbers of most shapes
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
        within = _by_hand(right) or within
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


def _by_hand(right: Value) -> Tolerance | None:
    """Return the tolerance of numbers that were rounded by hand, or None if these weren't."""
    decimals = right.get(DECIMALS) if isinstance(right, Mapping) else None
    return Tolerance(1.0, BY_HAND * 10.0**-decimals) if isinstance(decimals, int) else None


def _any_type(array: Array) -> str:
    """Ignore the dtype."""
    return ""


def outline(value: Value) -> tuple[float, float]:
    """Return two numbers that are nearly equal for any two close values; see `far_apart`.

    Returns:
        The mean of all finite numbers, as shares of the largest (or of 1 if none is larger), and the coarsest tolerance
        of any part.
    """
    by_hand = _by_hand(value)
    found, share = [np.zeros(1)], by_hand.share if by_hand and by_hand.share else SHARE["float64"]
    for part in _leaves(value):
        if isinstance(part, Array):
            found.append(numbers(part).astype(float).ravel())
            share = max(share, _share(part))
        elif isinstance(part, int | float) and abs(part) <= np.finfo(float).max:
            found.append(np.array([part], dtype=float))
    finite = np.nan_to_num(np.concatenate(found), posinf=0.0, neginf=0.0)
    return float((finite / max(1.0, np.abs(finite).max())).mean()), share  # a sum of such numbers may be infinite


def far_apart(a: tuple[float, float], b: tuple[float, float]) -> bool:
    """Return whether two outlines differ so much that their values cannot be close. This settles most comparisons.

    Close numbers differ by at most a share of the largest, and so do the largest numbers: twice the share in all.
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
    """Return whether two arrays have the same library and shape, and are both booleans or both numbers."""
    return (
        isinstance(ours, Array)
        and type(ours) is type(right)
        and tuple(ours.shape) == tuple(right.shape)
        and _is_boolean(ours) == _is_boolean(right)
    )


def differing(ours: Array, right: Array, within: Tolerance = USUAL) -> np.ndarray:
    """Return which numbers of two comparable arrays differ by more than rounding, as an array of booleans.

    The dtype of ``right`` decides how much rounding is allowed. The dtype of ``ours`` may widen it to the tolerance of
    float32 at most, or else an answer in a coarse dtype would be measured coarsely.
    """
    x, y = numbers(ours), numbers(right)
    other = np.asarray(x != y)
    if y.dtype == bool or not other.any():  # most close arrays agree to the last digit
        return other
    share = max(_share(right), min(_share(ours), SHARE["float32"])) if within.share is None else within.share
    allowed = share * max(size_of(right) if within.size is None else within.size, SMALLEST_SIZE)
    with np.errstate(all="ignore"):
        near = np.isfinite(y) & (np.abs(x - y) <= allowed)
    return np.asarray(other & ~(near | (np.isnan(x) & np.isnan(y))))


def rounding(value: Array, size: float | None = None) -> float:
    """Return how far two numbers of an array may differ by rounding alone; a coarse dtype is treated as float32.

    Args:
        size: the largest number of what they belong to; None for the largest in the array.
    """
    return min(_share(value), SHARE["float32"]) * max(size_of(value) if size is None else size, SMALLEST_SIZE)


def size_of(value: Value) -> float:
    """Return the size of the largest number in a value's arrays, or 0 if there is none."""
    return max((_largest(numbers(array)) for _, array in arrays(value)), default=0.0)


def tolerance_at(path: str, right: Value, share: float | None = None) -> Tolerance:
    """Return the tolerance of the part at ``path``, which is measured against what it belongs to.

    Args:
        share: a check's own share; None for the one in the table.
    """
    if by_hand := _by_hand(right):
        return by_hand
    steps = path.split("/")
    groups = ["/".join(steps[: i + 1]) for i, step in enumerate(steps) if step in TOGETHER]
    return Tolerance(size_of(pick(right, groups[0])) if groups else None, share)


def numbers(array: Array) -> np.ndarray:
    """Convert to NumPy, floating point as float64. On small arrays NumPy takes half of torch's time."""
    if isinstance(array, Tensor):
        return np.asarray((array.double() if array.dtype.is_floating_point else array).numpy())
    return array.astype(np.float64) if array.dtype.kind == "f" else array


def _largest(array: np.ndarray) -> float:
    if array.dtype == bool or not array.size:
        return 0.0
    found = np.abs(array[np.isfinite(array)])
    return float(found.max()) if found.size else 0.0


def _share(array: Array) -> float:
    """Return the tolerance of an array's dtype; integers are exact."""
    return SHARE.get(_dtype(array), 0.0)


def _dtype(array: Array) -> str:
    return _name(array.dtype)


@lru_cache(64)  # NumPy takes longer to name a dtype than to compare a small array
def _name(dtype: object) -> str:
    return str(dtype).removeprefix("torch.")


def _kind(array: Array) -> str:
    name = _dtype(array)
    return next((kind for kind in ("float", "int", "bool") if kind in name), name)


def _is_boolean(array: Array) -> bool:
    return array.dtype in (torch.bool, np.dtype(bool))
