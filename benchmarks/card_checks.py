"""What a line of a card promises, computed from the answers: by its sentence, never by the check's rule."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from benchmarks.card_evidence import Evidence, alike, array, by_hand, dtype, largest
from course_lib.checking.exercise import Check
from course_lib.checking.questions import GradientChange, ModuleCopy, OnPaper, OptimizerSteps, Question
from course_lib.checking.values import Value, is_array, pick

#: decides on one question whether a sentence is true; None if it can't be decided
Promise = Callable[[Evidence, Check, Question], bool | None]


@dataclass(frozen=True)
class Promised:
    """What is known of a check's sentence: the kind of promise, and whether it is kept."""

    kind: str
    kept: bool | None


def promised(evidence: Evidence, check: Check) -> Promised:
    """Compute what a check's sentence promises. Code that stops with an error keeps no promise."""
    kind = kind_of(check)
    promise = next((promise for _, named, promise in _PROMISES if named == kind), None)
    if promise is None:
        return Promised("", None)
    kept = [
        False if evidence.ours[name].error else promise(evidence, check, evidence.question(name))
        for name in check.questions
    ]
    return Promised(kind, False if False in kept else None if None in kept else True)


def kind_of(check: Check) -> str:
    """Return what kind of promise a check's sentence makes, or an empty string."""
    return next((kind for pattern, kind, _ in _PROMISES if pattern.search(check.sentence)), "")


def compared(evidence: Evidence, check: Check, question: Question, field: str) -> tuple[Value, Value]:
    """Return our value and the right one, with ours right at padding if the check is about words alone."""
    ours, right = evidence.both(question.name, field)
    ids = check.settings.get("words")
    if ids and isinstance(ours, Tensor) and ours.shape == right.shape and ours.ndim == 3:
        padded = question.inputs[int(field.split("/")[1])][ids] == question.built_with["pad_id"]
        ours = ours.clone()
        ours[padded] = right[padded]
    return ours, right


def _equal(evidence: Evidence, check: Check, question: Question) -> bool | None:
    fields = check.settings.get("fields")
    if not fields:
        return None
    share = check.settings.get("within")
    for field in fields:
        ours, right = compared(evidence, check, question, field)
        if isinstance(question, OnPaper):
            return by_hand(ours, right, question.decimals)
        top = field.split("/")[0]
        size = largest(pick(evidence.right[question.name].values, top)) if top == "gradients" else None
        if not alike(ours, right, share, size):
            return False
    return True


def _sums(evidence: Evidence, check: Check, question: Question) -> bool | None:
    ours, _ = evidence.both(question.name, check.settings["field"])
    if not is_array(ours):
        return False
    weights = array(ours)
    near = check.settings.get("within") or 1e-5
    return weights.ndim > 0 and bool((np.abs(weights.sum(-1) - 1) <= near).all() and (weights >= 0).all())


def _left(evidence: Evidence, check: Check, question: Question) -> bool | None:
    """Decide whether what was passed is the same afterwards."""
    values = evidence.ours[question.name].values
    if isinstance(question, GradientChange):
        return alike(values.get("weights"), dict(question.weights))
    if isinstance(question, ModuleCopy):
        return alike(
            [values.get("after"), values.get("kept")],
            [*map(evidence.right[question.name].values.get, ("after", "kept"))],
        )
    if isinstance(question, OptimizerSteps):
        return _equal(evidence, check, question)
    after, before = values.get("after"), question.inputs[-1]
    return isinstance(after, dict) and all(alike(after.get(name), value) for name, value in before.items())


def _unmoved(evidence: Evidence, check: Check, question: Question) -> bool | None:
    """Decide whether two calls give the same, at the positions that the sentence speaks of."""
    if "before" not in check.settings:
        return None
    before, after = (pick(evidence.ours[question.name].values, check.settings[side]) for side in ("before", "after"))
    if not is_array(before) or not is_array(after) or before.shape != after.shape:
        return False
    order = getattr(question, "order", None)
    if "axis" in check.settings:
        axis = check.settings["axis"]
        return order.numel() == before.shape[axis] and alike(before.index_select(axis, order), after)
    index = tuple(slice(None) if i is None else i for i in check.settings.get("index", ()))
    try:
        return alike(before[index], after[index])
    except IndexError:
        return False


def _learns(evidence: Evidence, check: Check, question: Question) -> bool | None:
    """Decide whether everything that has a gradient in the reference has one, which may be zero."""
    ours, right = evidence.both(question.name, "gradients")
    if not isinstance(ours, dict):
        return False
    size = largest(right)
    return all(is_array(ours.get(name)) for name, one in right.items() if is_array(one) and largest(one) > 1e-5 * size)


def _typed(evidence: Evidence, check: Check, question: Question) -> bool | None:
    pairs = [evidence.both(question.name, field) for field in check.settings["fields"]]
    return all(is_array(ours) and dtype(ours) == dtype(right) for ours, right in pairs)


def _integers(evidence: Evidence, check: Check, question: Question) -> bool | None:
    ours = pick(evidence.ours[question.name].values, check.settings["field"])
    return is_array(ours) and array(ours, plain=True).dtype.kind in "iu"


def _refuses(evidence: Evidence, check: Check, question: Question) -> bool | None:
    raised, right = evidence.both(question.name, "raised")
    return isinstance(raised, str) and raised == right


def _weightless(evidence: Evidence, check: Check, question: Question) -> bool | None:
    weights, mask = pick(evidence.ours[question.name].values, check.settings["field"]), question.inputs[-1]["mask"]
    if not is_array(weights):
        return False
    try:
        blocked = np.broadcast_to(array(mask) == 0, weights.shape)
    except ValueError:
        return False
    return bool((np.abs(np.nan_to_num(array(weights)[blocked], nan=np.inf)) <= 1e-12).all())


def _even(evidence: Evidence, check: Check, question: Question) -> bool | None:
    """Decide whether the product of two rows depends only on the distance between them."""
    rows, right = evidence.both(question.name, check.settings["field"])
    if not is_array(rows) or rows.shape != right.shape:
        return False
    products = array(rows) @ array(rows).T
    near = 1e-5 * max(largest(rows), 0.1) * rows.shape[1]
    return all(bool((np.abs(np.diagonal(products, gap) - products[0, gap]) <= near).all()) for gap in range(len(rows)))


def _finite(evidence: Evidence, check: Check, question: Question) -> bool | None:
    values = [pick(evidence.ours[question.name].values, field) for field in check.settings["fields"]]
    return all(is_array(value) and bool(np.isfinite(array(value)).all()) for value in values)


def _by_hand(evidence: Evidence, check: Check, question: Question) -> bool | None:
    values, twin = evidence.ours[question.name].values, question.same_as  # type: ignore[attr-defined]
    if values.get("called"):
        return False
    answered = alike(values.get("answered"), evidence.right[question.name].values["answered"])
    return answered or not alike(evidence.ours[twin].values, evidence.right[twin].values)


def _little(evidence: Evidence, check: Check, question: Question) -> bool | None:
    return evidence.ours[question.name].values.get("little") is True


def _once(evidence: Evidence, check: Check, question: Question) -> bool | None:
    return pick(evidence.ours[question.name].values, "calls/0/encodings") == 1


#: how a sentence says that something makes no difference
_SAME = (
    r"\bleaves? .* as (?:it|they) (?:is|are|was|were)\b|output unchanged|changes? nothing|the same outputs?\b|"
    r"comes? out the same|does not notice"
)
#: the first that fits a sentence decides what it promises
_PROMISES: tuple[tuple[re.Pattern[str], str, Promise], ...] = tuple(
    (re.compile(pattern), kind, promise)
    for pattern, kind, promise in (
        (r"^written by hand", "written by hand", _by_hand),
        (r"\bsums? to 1\b", "sums to 1", _sums),
        (r"\b(?:left|stays?) as (?:it|they) (?:was|were)\b", "left as it was", _left),
        (_SAME, "not moved", _unmoved),
        (r"\breceives? a gradient\b", "receives a gradient", _learns),
        (r"\bin, float(?:32|64) out\b|\bdtype is\b|default type|are floating-point", "dtype", _typed),
        (r"\bare integers\b", "integers", _integers),
        (r"\brais(?:es?) an? `|\bis refused with an? ", "refuses", _refuses),
        (r"^masked keys get no weight", "masked keys get no weight", _weightless),
        (r"equal gaps|equal distances", "equal gaps", _even),
        (r"no nan in|no infinite number", "finite", _finite),
        (r"without holding|without a number for each|never all scores at once", "little memory", _little),
        (r"\bis encoded once\b", "encoded once", _once),
        (r"\bright\b|\bcorrect(?:ly)?\b", "equals the reference", _equal),
    )
)
