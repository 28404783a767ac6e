"""Claims of a card about what code does: its errors, the form of its results, and how they follow from the right ones.

A claim takes the evidence and the match of a sentence's template.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from benchmarks.card_checks import promised
from benchmarks.card_evidence import Evidence, alike, array, calls, dtype
from course_lib.checking.questions import Question
from course_lib.checking.values import Value, is_array, pick

Found = re.Match[str]


def all_right(e: Evidence, found: Found) -> bool:
    return all(promised(e, check).kept is not False for check in e.exercise.checks)


def gradients_wrong(e: Evidence, found: Found) -> bool:
    pairs = [(pick(e.ours[q.name].values, "gradients"), pick(e.right[q.name].values, "gradients")) for q in e.answered]
    return not e.wrong and not all(alike({"gradients": ours}, {"gradients": right}) for ours, right in pairs)


def changes_inputs(e: Evidence, found: Found) -> bool:
    return not e.wrong and any("after" in e.ours[q.name].values and not kept(e, q) for q in e.answered)


def after_differs(e: Evidence, found: Found) -> bool:
    return any(not kept(e, question) for question in e.answered)


def kept(e: Evidence, question: Question) -> bool:
    return alike(e.ours[question.name].values.get("after"), e.right[question.name].values.get("after"))


def accepts(e: Evidence, found: Found) -> bool:
    return any("raised" in e.right[q.name].values and not alike(*e.both(q.name, "raised")) for q in e.answered)


def stops(e: Evidence, found: Found) -> bool:
    return found["type"] in e.errors


def always_stops(e: Evidence, found: Found) -> bool:
    return stops(e, found) and not e.answered


def unwritten(e: Evidence, found: Found) -> bool:
    return all(answer.error and answer.error.type == "NotImplementedError" for answer in e.ours.values())


def none_returned(e: Evidence, found: Found) -> bool:
    values = [
        call.get(name, call.get("returned")) for q in e.answered for call in calls(e.ours[q.name]) for name in q.returns
    ]
    return bool(values) and all(value is None for value in values)


def unknown(e: Evidence, found: Found) -> bool:
    return not e.names


def parameters(e: Evidence, found: Found) -> bool:
    """Compare the names in the sentence with the shapes of the parameters, on the first question where they differ."""
    for question in (each for each in e.questions if each.name in e.ours):
        asked = {name: list(weight.shape) for name, weight in question.parameters.items()}
        ours = e.ours[question.name].values.get("shapes")
        if asked and isinstance(ours, dict) and ours != asked:
            expected = {
                "missing": [name for name in asked if name not in ours],
                "others": [name for name in ours if name not in asked],
                "misshapen": [name for name in asked if name in ours and ours[name] != asked[name]],
            }
            shown = {part: re.findall("`([^`]+)`", found[part] or "") for part in expected}
            return all(shown[part] == [name[:40] for name in names[:4]] for part, names in expected.items())
    return False


def form(has: Callable[[Found, Value, Value], bool]) -> Callable[[Evidence, Found], bool]:
    """Return a claim about a result's form: on some question or, without "On some input", on all that fail."""

    def claim(e: Evidence, found: Found) -> bool:
        true = {q.name for q, _, ours, right in e.values(found["name"], e.answered) if has(found, ours, right)}
        if found[0].startswith("On some input"):
            return bool(true)
        failing = {name for check in e.exercise.checks if promised(e, check).kept is False for name in check.questions}
        wrong = [q for q in e.wrong if q.name in failing]
        odd = {q.name for q, _, ours, right in e.values(found["name"], wrong) if _other_form(ours, right)}
        return bool(true) and odd == {q.name for q, *_ in e.values(found["name"], wrong)}

    return claim


def _other_form(ours: Value, right: Value) -> bool:
    """Return whether a value has another type, shape or dtype than the right one, or numbers that aren't finite."""
    if not is_array(ours) or type(ours) is not type(right):
        return True
    return tuple(ours.shape) != tuple(right.shape) or dtype(ours) != dtype(right) or not np.isfinite(array(ours)).all()


def shaped(found: Found, ours: Value, right: Value) -> bool:
    shapes = [tuple(value.shape) for value in (ours, right) if is_array(value)]
    return [str(shape) for shape in shapes] == [found["ours"], found["right"]]


def typed(found: Found, ours: Value, right: Value) -> bool:
    return not (is_array(ours) and is_array(right) and type(ours) is type(right) and dtype(ours) == dtype(right))


def in_dtype(found: Found, ours: Value, right: Value) -> bool:
    names = [dtype(value) for value in (ours, right) if is_array(value)]
    right_numbers = not found["right_numbers"] or alike(array(ours).tolist(), array(right).tolist(), 1e-4)
    return names == [found["ours"].removeprefix("torch."), found["right"].removeprefix("torch.")] and right_numbers


def odd(found: Found, ours: Value, right: Value) -> bool:
    if not is_array(ours) or not is_array(right) or not np.isfinite(array(right)).all():
        return False
    numbers = array(ours)
    odd = {"NaN": np.isnan(numbers), "infinity": numbers == np.inf, "minus infinity": numbers == -np.inf}
    return bool(odd[found["what"]].any())


def results(e: Evidence, found: Found) -> bool:
    return any(
        "returned" in call or any(isinstance(value, tuple) for value in call.values())
        for q in e.answered
        for call in calls(e.ours[q.name])
    )


def _softmax(x: np.ndarray, axis: int) -> np.ndarray:
    powers = np.exp(x - x.max(axis=axis, keepdims=True))
    return np.asarray(powers / powers.sum(axis=axis, keepdims=True))


STEPS: dict[str, Callable[[np.ndarray], list[np.ndarray]]] = {
    "tanh": lambda x: [np.tanh(x)],
    "the sigmoid": lambda x: [1 / (1 + np.exp(-x))],
    "exp": lambda x: [np.exp(x)],
    "the logarithm": lambda x: [np.log(x)],
    "the square root": lambda x: [np.sqrt(x)],
    "the softmax": lambda x: [_softmax(x, axis) for axis in range(x.ndim)],
}


def wrong_pairs(e: Evidence, name: str) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the wrong values of a result, one of each question, and the right ones."""
    pairs, seen = [], set()
    for question, _, ours, right in e.values(name, e.answered):
        if question.name not in seen and not alike(ours, right):
            if not is_array(ours) or ours.shape != right.shape:
                return []
            seen.add(question.name)
            pairs.append((array(ours), array(right)))
    return pairs


def is_one_of(x: np.ndarray, candidates: list[np.ndarray]) -> bool:
    return any(
        np.allclose(x, y, rtol=1e-4, atol=1e-5 * max(1.0, np.abs(x).max(initial=0.0)), equal_nan=True)
        for y in candidates
    )


def step(e: Evidence, found: Found) -> bool:
    pairs = wrong_pairs(e, found["name"])
    with np.errstate(all="ignore"):
        return bool(pairs) and all(is_one_of(ours, STEPS[found["step"]](right)) for ours, right in pairs)


def missing_step(e: Evidence, found: Found) -> bool:
    pairs = wrong_pairs(e, found["name"])
    with np.errstate(all="ignore"):
        return bool(pairs) and all(is_one_of(right, STEPS[found["step"]](ours)) for ours, right in pairs)


def times(e: Evidence, found: Found) -> bool:
    pairs = wrong_pairs(e, found["name"])
    return bool(pairs) and all(is_one_of(ours, [float(found["factor"]) * right]) for ours, right in pairs)


def some_factors(e: Evidence, found: Found) -> bool:
    pairs = wrong_pairs(e, found["name"])
    factors = [float((ours * right).sum() / (right * right).sum()) for ours, right in pairs]
    shown = [float(text) for text in re.findall(r"-?[\d.]+(?:e[+-]?\d+)?", found["some"].rstrip("."))]
    return all(is_one_of(ours, [by * right]) for (ours, right), by in zip(pairs, factors, strict=True)) and bool(
        np.allclose(factors[: len(shown)], shown, rtol=1e-3)
    )
