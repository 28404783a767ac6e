"""Format a value, or its type, for a person."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
from torch import Tensor

from course_lib.checking.closeness import identical
from course_lib.checking.values import MISSING, Array, Unsupported, Value, arrays, is_array

#: an array with more numbers than this is not shown, because nobody would read it
READABLE = 60
#: a person recomputes an example with at most this many numbers
FEW = 12

#: what counts as a number or a word in a shown value
_NUMBER = re.compile(r"'[^']*'|[-+]?\d[\d.]*(?:e[-+]?\d+)?|True|False|nan|inf")

_SCALARS: tuple[tuple[type, str], ...] = ((int, "a Python integer"), (float, "a Python float"), (str, "a string"))


def describe(value: Value, details: bool = False) -> str:
    """Return a value's type as a sentence names it, such as "a tuple of 2" or "an int32".

    Args:
        details: also say the shape and the dtype of an array, and the value of a number or a string.
    """
    if is_array(value):
        kind = "tensor" if isinstance(value, Tensor) else "array"
        if details:
            return f"{'an' if kind == 'array' else 'a'} {kind} of shape {tuple(value.shape)}, {value.dtype}"
        return "a torch tensor" if kind == "tensor" else "a NumPy array"
    if isinstance(value, Unsupported):
        article = "an" if value.type[:1].lower() in tuple("aeiou") else "a"
        return "missing" if value is MISSING else f"{article} {value.type}"
    if isinstance(value, tuple | list):
        return f"a {type(value).__name__} of {len(value)}"
    if isinstance(value, bool):
        return f"`{value}`"
    words = next((words for kind, words in _SCALARS if isinstance(value, kind)), "")
    if words:
        return f"the {type(value).__name__} {value!r}"[:60] if details else words
    return "a dict" if isinstance(value, dict) else "None"


def show(value: Value, digits: int = 3, tiny: bool = False) -> str:
    """Format a value for a person, with few digits and at most a screenful.

    Args:
        tiny: whether numbers that would be rounded to 0 are shown. In what code returns, they are mostly rounding.
    """
    if is_array(value):
        # NumPy has no bfloat16
        array = (value.double() if value.is_floating_point() else value).numpy() if isinstance(value, Tensor) else value
        if not array.size:
            return str(array.tolist())
        if array.size > READABLE:
            return f"an array of shape {array.shape}"
        if tiny and array.dtype.kind == "f" and bool(((array != 0) & (np.abs(array) < 10.0**-digits / 2)).any()):
            return np.array2string(array, formatter={"float_kind": f"{{:.{digits}g}}".format}, separator=", ")
        if array.dtype.kind == "f":
            with np.errstate(all="ignore"):  # the largest numbers have no digits to round
                array = np.where(np.abs(array) < 1e12, np.round(array, digits), array) + 0.0  # no −0
                whole = np.isfinite(array).all() and (array == np.round(array)).all()
                if array.size and whole and np.abs(array).max() < 1e6:
                    array = array.astype(np.int64)  # without a point after each number
        return np.array2string(
            array, precision=digits, floatmode="maxprec_equal", suppress_small=True, separator=", ", max_line_width=100
        )
    if isinstance(value, Unsupported):
        return describe(value)
    if isinstance(value, dict):
        return ", ".join(f"{name}: {show(item, digits)}" for name, item in value.items())
    if isinstance(value, list | tuple):
        most = 4 if any(isinstance(item, list | tuple) for item in value) else 12
        inside = ", ".join(show(item, digits) for item in value[:most]) + (", …" if len(value) > most else "")
        comma = "," if len(value) == 1 else ""
        return f"({inside}{comma})" if isinstance(value, tuple) else f"[{inside}]"
    return repr(value)[:200]


def show_parts(name: str, value: Value) -> Iterator[tuple[str, str]]:
    """Yield a value with its name. The tables of a tuple get a name each, because each takes more than a line."""
    if _is_tables(value):
        for i, item in enumerate(value):
            yield f"{name}[{i}]", show(item)
    else:
        yield name, show(value)


def show_wrong(name: str, value: Value, right: Value, most: int = READABLE) -> Iterator[tuple[str, str, str]]:
    """Yield what is wrong in a value and what is right instead, each with its name.

    Show only the tables that differ, and only the first wrong row of a large array.

    Args:
        most: how many numbers of an array may be shown, if it has several rows.
    """
    if _is_tables(value) and type(value) is type(right) and len(value) == len(right):
        for i, item in enumerate(value):
            if not identical(item, right[i]):
                yield from show_wrong(f"{name}[{i}]", item, right[i], most)
        return
    if is_array(value) and type(value) is type(right) and value.shape == right.shape:
        index: list[int] = []
        while (size := int(np.prod(value.shape))) > READABLE or (size > most and value.ndim > 1):
            index.append(next((i for i in range(len(value)) if not identical(value[i], right[i])), 0))
            value, right = value[index[-1]], right[index[-1]]
        name += f"[{', '.join(map(str, index))}]" if index else ""
        if value.dtype != right.dtype:
            name += f" ({dtype_words(value, right)}, not {right.dtype})"
    digits = next((n for n in (3, 6, 9, 12) if show(value, n) != show(right, n)), 3)
    yield name, show(value, digits), show(right, digits)


def dtype_words(value: Array, right: Array) -> str:
    """Name the dtype of an array that should have another one.

    The default dtype of a check is not that of a student's notebook, so the width matters only between floats.
    """
    kinds = [str(array.dtype).removeprefix("torch.").rstrip("0123456789") for array in (value, right)]
    return "floating point" if kinds[0] == "float" != kinds[1] else str(value.dtype)


def _is_tables(value: Value) -> bool:
    if not isinstance(value, tuple | list) or len(value) > 4:
        return False
    return any(is_array(item) and len(item.shape) > 1 for item in value)


def numbers_in(text: str) -> int:
    """Count the numbers and words in a shown value."""
    return len(_NUMBER.findall(text))


def count(values: Value) -> int:
    """Return how many numbers a value contains."""
    return sum(int(np.prod(array.shape)) for _, array in arrays(values))
