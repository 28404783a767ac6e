"""Shrink the values of a question: keep few entries, round to whole numbers, replace most weights by identities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from course_lib.checking.explain.given import is_weight
from course_lib.checking.questions import Question
from course_lib.checking.values import Value, is_array


@dataclass(frozen=True)
class Shrinking:
    """One way to make a question smaller.

    Attributes:
        lengths: the new length of each axis, list and size, by the old one.
        number: varies everything else: which entries are kept, which weight is not plain, and how numbers are
            rounded.
    """

    lengths: Mapping[int, int]
    number: int


def is_size(name: str, value: Value) -> bool:
    """Return whether an argument is a size, which may change, rather than an id or an axis."""
    return isinstance(value, int) and not isinstance(value, bool) and not name.endswith(("_id", "axis", "dim"))


def cropped(value: Value, how: Shrinking) -> Value:
    """Return a list or an array with fewer entries."""
    if isinstance(value, list):
        return [cropped(value[i], how) for i in _kept(len(value), how)]
    if is_array(value):
        for axis, size in enumerate(value.shape):
            kept = _kept(size, how)
            value = value[(slice(None),) * axis + (kept,)]
    return value


def _kept(size: int, how: Shrinking) -> list[int]:
    """Return which entries of an axis are kept: the first, the last, some from end to end, or any."""
    few = how.lengths.get(size, size)
    if few >= size:
        return list(range(size))
    first = [list(range(few)), list(range(size - few, size)), [round(i) for i in np.linspace(0, size - 1, few)]]
    if how.number % 4 < len(first):
        return first[how.number % 4]
    return sorted(np.random.default_rng([how.number, size]).permutation(size)[:few].tolist())


def rounded(value: Value, how: Shrinking) -> Value:
    """Return an array of small whole numbers. Zeros and infinity stay; shares get one digit after the point."""
    if isinstance(value, Tensor) and value.is_floating_point():
        return torch.from_numpy(_rounded(value.double().numpy(), how)).to(value.dtype)
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return _rounded(value, how).astype(value.dtype)
    return value


def _rounded(array: np.ndarray, how: Shrinking) -> np.ndarray:
    factor = (1, 2, 0)[how.number % 3]
    if not factor:  # rounding may remove the difference that matters
        return array
    shares = array.size > 0 and array.min() >= 0 and array.max() <= 1 and not np.isin(array, (0, 1)).all()
    if shares:
        return np.where(array == 0, 0, np.maximum(0.1, np.round(array, 1)))
    with np.errstate(all="ignore"):
        whole = np.sign(array) * np.maximum(1, np.abs(np.round(array * factor)))
    return np.where(np.isfinite(array) & (array != 0), whole, array)


def shrunk_weights(
    weights: Mapping[str, Tensor], shapes: Mapping[str, tuple[int, ...]], how: Shrinking
) -> dict[str, Tensor] | None:
    """Return weights in other shapes: all plain, all but one, or none. Return None if a shape is larger than it was.

    Args:
        shapes: the new shapes, by name.
    """
    special = _special(list(weights), how)
    found = {}
    for name, weight in weights.items():
        shape = shapes.get(name)
        if shape is None or len(shape) != weight.ndim or any(a > b for a, b in zip(shape, weight.shape, strict=True)):
            return None
        corner = rounded(weight[tuple(slice(0, n) for n in shape)].clone(), how)
        found[name] = corner if name in special else _plain(name, corner)
    return found


def plain_weights(arguments: Mapping[str, Value], how: Shrinking) -> dict[str, Value]:
    """Return the arguments of a call with plain weights, if a function gets its weights as arguments."""
    weights = [name for name, value in arguments.items() if is_weight(name, value)]
    plain = set(weights).difference(_special(weights, how))
    return {name: _plain(name, value) if name in plain else value for name, value in arguments.items()}


def _special(names: Sequence[str], how: Shrinking) -> Sequence[str]:
    """Return the names of the weights that are not plain."""
    style = how.number % 5
    if style in (1, 2, 3) and names:
        return [names[how.number // 5 % len(names)]]
    return names if style == 4 and len(names) <= 8 else ()


def _plain(name: str, weight: Tensor) -> Tensor:
    """Return the weight with which a layer changes least: an identity, no bias, a scale of 1."""
    if weight.ndim == 2:
        return torch.eye(*weight.shape, dtype=weight.dtype)
    if weight.ndim == 1 and name != "cls":
        return torch.zeros_like(weight) if "bias" in name or name.endswith("beta") else torch.ones_like(weight)
    return weight


def compacted(question: Question, words: int | None) -> Question:
    """Return the question with each id replaced by its rank among all ids.

    Args:
        words: how many ids there are. Larger ranks become the last id, or the one before it for padding.
    """
    ids = {value for name, value in question.built_with.items() if name.endswith("_id")}
    pads = set(ids) | {value for call in question.inputs for name, value in call.items() if name == "pad_id"}
    for call in question.inputs:
        for name, value in call.items():
            if isinstance(value, Tensor) and value.dtype is torch.int64:
                ids |= set(value.flatten().tolist())
            elif name.endswith("_id") and isinstance(value, int):
                ids.add(value)
    if any(pads):  # an id for padding that isn't 0 stays different from 0
        ids.add(0)
    most = len(ids) if words is None else words
    if not ids or max(ids) < min(len(ids), most):
        return question
    rank = {value: min(place, most - 2 if value in pads else most - 1) for place, value in enumerate(sorted(ids))}

    def renamed(values: Mapping[str, Value]) -> dict[str, Value]:
        return {name: _renamed(name, value, rank) for name, value in values.items()}

    changes: dict[str, Any] = {"build": renamed(question.built_with)} if question.built_with else {}
    if "calls" in question.contents():
        changes["calls"] = [renamed(call) for call in question.inputs]
    elif "arguments" in question.contents():
        changes["arguments"] = renamed(question.inputs[0])
    return replace(question, **changes)


def _renamed(name: str, value: Value, rank: Mapping[int, int]) -> Value:
    if isinstance(value, Tensor) and value.dtype is torch.int64:
        return torch.tensor([rank[one] for one in value.flatten().tolist()], dtype=torch.int64).view(value.shape)
    return rank[value] if name.endswith("_id") and isinstance(value, int) else value
