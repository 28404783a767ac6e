"""The rules that decide checks: pure functions of the inputs and the answers.

A rule takes ``(question, answer, reference)`` and the check's settings. Answer and reference are the values of both
answers. It returns a `Finding`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from course_lib.checking.closeness import (
    USUAL,
    ZERO,
    Tolerance,
    close,
    comparable,
    differing,
    rounding,
    size_of,
    tolerance_at,
)
from course_lib.checking.explain.show import describe, dtype_words, show
from course_lib.checking.function_watch import SWITCHED_OFF
from course_lib.checking.questions import InLittleMemory, Module, OnPaper, Question, Watched
from course_lib.checking.values import MISSING, Unsupported, Value, is_array, pick


@dataclass(frozen=True)
class Finding:
    """Whether a check holds and, if it doesn't, what was observed instead."""

    holds: bool
    seen: str = ""


Values = Mapping[str, Value]
Rule = Callable[..., Finding]
RULES: dict[str, Rule] = {}
HOLDS = Finding(True)


def rule(function: Rule) -> Rule:
    """Register a rule under its own name."""
    RULES[function.__name__] = function
    return function


VECTORS = 3  #: the dimensions of a tensor with a vector for each token of a batch, such as logits (B, T, V)

#: for a module whose parameters don't fit, so that nothing can be loaded into it and no question can be asked
_NOT_ASKED = "not tested yet: first, the parameters must be those of the docstring"


@rule
def equals_reference(
    question: Question,
    answer: Values,
    reference: Values,
    fields: Sequence[str],
    within: float | None = None,
    words: str = "",
) -> Finding:
    """Check that the named fields equal the reference's.

    Args:
        within: how far numbers may be from the right ones, as a share of the largest, or of the number itself if it is
            a Python number; None for the usual tolerance.
        words: the argument that holds token ids. A vector of a padded position isn't compared, because nobody uses it.
    """
    for field in fields:
        ours, right, allowed = pick(answer, field), pick(reference, field), tolerance_at(field, reference, within)
        if words and isinstance(ours, Tensor) and ours.shape == right.shape and right.ndim == VECTORS:
            ours = torch.where(_padded(question, field, words).unsqueeze(-1), right, ours)
        if not close(ours, right, allowed):
            if isinstance(question, OnPaper):
                return Finding(False, _not_right(ours, right, allowed))
            return Finding(False, _difference(field, ours, right, answer, question.returns, allowed))
    return HOLDS


@rule
def calls_none(question: Watched, answer: Values, reference: Values) -> Finding:
    """Check that none of the watched functions was called."""
    called = answer.get("called")
    if isinstance(called, list) and not called:
        return HOLDS
    if isinstance(called, list) and SWITCHED_OFF in called:
        return Finding(False, "it keeps what it calls from being watched")
    reported = [name for name in called if isinstance(name, str)] if isinstance(called, list) else []
    known = [name for name in question.functions if name in reported]
    names = (f"`{name.replace('nn.functional', 'F')}`" for name in known)
    return Finding(False, f"it calls {', '.join(names) or 'one'}")


@rule
def keeps_dtype(question: Question, answer: Values, reference: Values, fields: Sequence[str]) -> Finding:
    """Check that the named fields have the reference's dtype."""
    for field in fields:
        ours, right = pick(answer, field), pick(reference, field)
        if not is_array(ours) or torch.as_tensor(ours).dtype is not torch.as_tensor(right).dtype:
            return Finding(False, f"{_called(field)} is {_kind(ours, right)}, not {torch.as_tensor(right).dtype}")
    return HOLDS


@rule
def whole_numbers(question: Question, answer: Values, reference: Values, field: str) -> Finding:
    """Check that the field contains integers of any width."""
    numbers = pick(answer, field)
    if is_array(numbers):
        dtype = torch.as_tensor(numbers).dtype
        if not (dtype.is_floating_point or dtype.is_complex or dtype is torch.bool):
            return HOLDS
    return Finding(False, f"{_called(field)} is {describe(numbers, details=True)}")


@rule
def sums_to_one(
    question: Question, answer: Values, reference: Values, field: str, axis: int = -1, within: float | None = None
) -> Finding:
    """Check that the field is not negative and sums to 1 along ``axis``.

    Args:
        within: how far a sum may be from 1; None for the usual tolerance.
    """
    weights = _numbers(pick(answer, field))
    if weights is None:
        return Finding(False, f"there is no {_called(field)} to sum")
    if not -weights.ndim <= axis < weights.ndim:
        return Finding(False, f"{_called(field)} has {weights.ndim} dimensions")
    sums = weights.sum(dim=axis)
    off = (sums - 1).abs()
    if not bool((off <= (rounding(pick(answer, field)) if within is None else within)).all()):
        worst = sums.flatten()[off.nan_to_num(torch.inf).flatten().argmax()].item()
        return Finding(False, f"one of yours sums to {worst:.6g}")
    if bool((weights < 0).any()):
        return Finding(False, f"one of your weights is {weights.min().item():.4g}")
    return HOLDS


@rule
def zero_where_blocked(question: Question, answer: Values, reference: Values, field: str) -> Finding:
    """Check that the field is exactly 0 wherever the argument ``mask`` is False."""
    weights, allowed = _numbers(pick(answer, field)), _numbers(question.inputs[-1].get("mask"))
    if weights is None or allowed is None:
        return Finding(False, f"there is no {_called(field)}")
    try:
        blocked = torch.broadcast_to(allowed == 0, weights.shape)
    except RuntimeError:
        return Finding(False, f"{_called(field)} has the shape {tuple(weights.shape)}")
    on_blocked = weights[blocked].abs().nan_to_num(torch.inf)
    if on_blocked.numel() and float(on_blocked.max()) > ZERO:
        return Finding(False, f"a masked key gets {weights[blocked][on_blocked.argmax()].item():.4g}")
    return HOLDS


@rule
def inputs_unchanged(question: Question, answer: Values, reference: Values) -> Finding:
    """Check that the arguments, of the last call if there are several, are unchanged afterwards."""
    before, after = question.inputs[-1], pick(answer, "after")
    if after is MISSING and answer.keys() == {"shapes"}:
        return Finding(False, _NOT_ASKED)
    if isinstance(after, Unsupported):
        return Finding(False, "it never returned")
    for name in before:
        if not close(pick(after, name), before[name]):
            return Finding(False, f"`{name}` is changed afterwards")
    return HOLDS


@rule
def holds_little(question: InLittleMemory, answer: Values, reference: Values) -> Finding:
    """Check that the code never held more numbers at once than the question allows."""
    if answer.get("little") is True:
        return HOLDS
    return Finding(False, f"at one time, yours held more than {question.most:,} numbers")


@rule
def refuses(question: Question, answer: Values, reference: Values, field: str = "raised") -> Finding:
    """Check that the code raises an error of the same type as the reference."""
    ours, right = pick(answer, field), pick(reference, field)
    if isinstance(ours, str) and ours == right:
        return HOLDS
    if ours is MISSING:
        return Finding(False, _NOT_ASKED)
    return Finding(False, f"yours raises {ours if isinstance(ours, str) else 'nothing'}")


@rule
def finite(question: Question, answer: Values, reference: Values, fields: Sequence[str]) -> Finding:
    """Check that the named fields contain no NaN and no infinity."""
    for field in fields:
        numbers = _numbers(pick(answer, field))
        if numbers is None:
            gradient = field.startswith("gradients/")
            return Finding(
                False, f"no gradient reaches `{_last(field)}`" if gradient else f"there is no {_called(field)}"
            )
        if not bool(numbers.isfinite().all()):
            return Finding(False, f"{_called(field)} holds {'nan' if bool(numbers.isnan().any()) else 'inf'}")
    return HOLDS


def _not_comparable(answer: Values) -> str:
    """Say why two fields can't be compared."""
    if answer.keys() == {"shapes"}:
        return _NOT_ASKED
    return "the two calls did not both return an array of the same shape"


@rule
def unmoved(
    question: Question, answer: Values, reference: Values, before: str, after: str, index: Sequence[Any] = ()
) -> Finding:
    """Check that two fields are equal (at ``index``, if given), so that the changed input didn't affect them."""
    first, second = _numbers(pick(answer, before)), _numbers(pick(answer, after))
    if first is None or second is None or first.shape != second.shape:
        return Finding(False, _not_comparable(answer))
    try:
        first, second = first[_slices(index)], second[_slices(index)]
    except IndexError:
        return Finding(False, f"your output has the shape {tuple(first.shape)}")
    moved = _furthest(first, second)
    return HOLDS if moved <= rounding(pick(answer, before)) else Finding(False, f"the numbers moved by {moved:.2g}")


@rule
def moves_along(question: Module, answer: Values, reference: Values, before: str, after: str, axis: int) -> Finding:
    """Check that the second field is the first, reordered along ``axis`` by the question's ``order``."""
    first, second = _numbers(pick(answer, before)), _numbers(pick(answer, after))
    by = question.order
    if first is None or second is None or by is None or first.shape != second.shape:
        return Finding(False, _not_comparable(answer))
    if not -first.ndim <= axis < first.ndim or first.shape[axis] != by.numel() or not first.numel():
        return Finding(False, f"your output has the shape {tuple(first.shape)}")
    moved = _furthest(first.index_select(axis, by.long()), second)
    return HOLDS if moved <= rounding(pick(answer, before)) else Finding(False, f"they differ by {moved:.2g}")


@rule
def every_gradient_flows(question: Question, answer: Values, reference: Values, field: str = "gradients") -> Finding:
    """Check that each input and parameter with a gradient in the reference has one here, which may be zero.

    Wrong numbers may shut every ReLU, and then the gradient is zero although nothing is cut off. A gradient that is
    zero up to rounding in the reference counts as none: a key's bias moves all scores of a row alike.
    """
    rights = pick(reference, field)
    largest = size_of(rights)
    for name, right in rights.items():
        ours = _numbers(pick(answer, f"{field}/{name}"))
        flows = right is not None and size_of(right) > rounding(right, largest)
        if flows and ours is None:
            return Finding(False, f"`{name}` receives no gradient")
    return HOLDS


@rule
def equally_alike_at_equal_gaps(question: Question, answer: Values, reference: Values, field: str) -> Finding:
    """Check that the product of two rows of the field depends only on the gap between them."""
    rows = _numbers(pick(answer, field))
    if rows is None or rows.shape != pick(reference, field).shape:  # more rows could have too many products
        return Finding(False, f"{_called(field)} is {describe(pick(answer, field), details=True)}")
    products = (rows @ rows.T).nan_to_num(torch.inf)
    for gap in range(len(rows)):
        first, *others = products.diagonal(gap).tolist()
        furthest = max(others, key=lambda other: abs(other - first), default=first)
        if not abs(furthest - first) <= rounding(pick(answer, field)) * rows.size(1):
            return Finding(False, f"at a gap of {gap}, one product of two rows is {first:.3g}, another {furthest:.3g}")
    return HOLDS


def _padded(question: Question, field: str, words: str) -> Tensor:
    """Return which positions are padding, (B, T), in the call to which a field belongs: ``"calls/0/logits"``."""
    padded: Tensor = question.inputs[int(field.split("/")[1])][words] == question.built_with["pad_id"]
    return padded


def _furthest(first: Tensor, second: Tensor) -> float:
    """Return the greatest difference between two tensors. Infinity equals infinity, and NaN differs from everything."""
    apart = torch.where(first == second, 0.0, first - second).abs().nan_to_num(torch.inf)
    return float(apart.max()) if apart.numel() else 0.0


def _slices(index: Sequence[Any]) -> tuple[Any, ...]:
    """Convert an index from JSON: a number, or ``None`` for a whole axis."""
    return tuple(slice(None) if i is None else i for i in index)


def _numbers(value: Value) -> Tensor | None:
    """Return a tensor or array as float64, or None for anything else."""
    return torch.as_tensor(value).double() if is_array(value) else None


def _last(field: str) -> str:
    return field.rsplit("/", 1)[-1]


def _called(field: str) -> str:
    """Return a field's name as a sentence uses it: `weights`, the gradient of `query`."""
    *_, parent, last = "", *field.split("/")
    name = f"`{parent}[{last}]`" if parent and last.isdigit() else f"`{last}`"
    return f"the gradient of {name}" if field.startswith("gradients/") else name


def _not_right(ours: Value, right: Value, within: Tolerance) -> str:
    """Say how much of a typed answer is wrong, but not by how much, which would be the answer."""
    if not is_array(ours) or not comparable(ours, right) or not ours.ndim:
        return f"yours is {show(ours)}"
    wrong = differing(ours, right, within)
    return f"{wrong.sum()} of {wrong.size} numbers {'is' if wrong.sum() == 1 else 'are'} not right"


def _plain_difference(name: str, ours: Value, right: Value) -> str:
    """Say in one clause how a list or a number differs from the reference's."""
    if isinstance(ours, list | tuple) and type(ours) is type(right):
        if len(ours) != len(right):
            return f"{name} has {_counted(len(ours), 'entry', 'entries')}, not {len(right)}"
        wrong = [i for i, (x, y) in enumerate(zip(ours, right, strict=True)) if not close(x, y)]
        entries = f"{len(wrong)} of {_counted(len(ours), 'entry', 'entries')} of {name}"
        return f"{entries} {'differs' if len(wrong) == 1 else 'differ, the first'} at index {wrong[0]}"
    if _is_number(ours) and _is_number(right) and ours == ours:
        return f"{name} is {ours:.6g}: too {'large' if ours > right else 'small'}"
    return f"{name} is {describe(ours, details=True)}"


def _kind(ours: Value, right: Value) -> str:
    """Name the dtype of an array that should have another one, or say what is there in place of an array."""
    return dtype_words(ours, right) if is_array(ours) and is_array(right) else describe(ours, details=True)


def _too_many(name: str, more: Sequence[str]) -> str:
    what = "parameters" if name == "`shapes`" else f"entries in {name}"
    return f"there are {what} that are not asked for: {', '.join(f'`{one}`' for one in more[:3])}"


def _shape(value: Value) -> Value:
    return tuple(value) if isinstance(value, list) else value


def _counted(number: int, one: str, more: str) -> str:
    return f"{number} {one if number == 1 else more}"


def _is_number(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _difference(
    field: str, ours: Value, right: Value, answer: Values, names: Sequence[str] = (), within: Tolerance = USUAL
) -> str:
    """Say in one clause how a field differs from the reference's by more than the tolerance."""
    name = _called(field)
    returned = pick(answer, "/".join((*field.split("/")[:-1], "returned")))
    if isinstance(ours, Unsupported) and returned is not MISSING:
        return f"it returned {describe(returned, details=True)}" + (
            f", not ({', '.join(names)})" if len(names) > 1 else ""
        )
    if ours is MISSING:
        return _NOT_ASKED if answer.keys() == {"shapes"} else f"there is no {name.removeprefix('the ')}"
    if field.startswith("shapes/"):  # the shape of a parameter
        return f"{name} has the shape {_shape(ours)}, not {_shape(right)}"
    if isinstance(ours, dict) and isinstance(right, dict):
        wrong_one = next((k for k in right if not close(pick(ours, k), right[k], within)), None)
        return (
            _too_many(name, [k for k in ours if k not in right])
            if wrong_one is None
            else _difference(f"{field}/{wrong_one}", pick(ours, wrong_one), right[wrong_one], answer, within=within)
        )
    if not is_array(ours) or not is_array(right):
        return _plain_difference(name, ours, right)
    if type(ours) is not type(right):
        return f"{name} is {describe(ours, details=True)}, where {describe(right)} is asked for"
    if tuple(ours.shape) != tuple(right.shape):
        return f"{name} has the shape {tuple(ours.shape)}, not {tuple(right.shape)}"
    of_booleans, asked = (torch.as_tensor(value).dtype == torch.bool for value in (ours, right))
    if of_booleans != asked:
        return f"{name} is {describe(ours, details=True)}, where {'booleans' if asked else 'numbers'} are asked for"
    x, y = torch.as_tensor(ours).double(), torch.as_tensor(right).double()
    if bool((x.isnan() & ~y.isnan()).any()):
        return f"{name} holds nan"
    if bool((x.isinf() & (x != y)).any()):
        return f"{name} holds infinity"
    wrong = differing(ours, right, within)
    furthest = float((x - y).abs().nan_to_num(0).max())
    if asked:
        return f"{int(wrong.sum())} of {_counted(x.numel(), 'entry', 'entries')} of {name} differ"
    if x.numel() == 1:
        return f"{name} is off by {furthest:.2g}"
    # how far apart two ids or two counts are says nothing
    by = f", by up to {furthest:.2g}" if torch.as_tensor(right).is_floating_point() else ""
    return f"{int(wrong.sum())} of {x.numel()} numbers in {name} differ{by}"
