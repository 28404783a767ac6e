"""Claims of a card about where code is wrong: on which questions, and in which rows, positions and steps.

A claim takes the evidence and the match of a sentence's template.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from benchmarks.card_evidence import Evidence, alike, array, calls, differences
from course_lib.checking.questions import Question
from course_lib.checking.values import Value, is_array

Found = re.Match[str]


def divided(e: Evidence, has: Callable[[Question], bool], contrast: Callable[[Question], bool] | None = None) -> bool:
    """Return whether all wrong questions have something, no right one has it, and some right one shows a contrast."""
    right = [q for q in e.answered if q not in e.wrong]
    shown = [q for q in right if (contrast(q) if contrast else not has(q))]
    return bool(e.wrong and shown) and all(map(has, e.wrong)) and not any(map(has, right))


def only(e: Evidence, has: Callable[[Question], bool]) -> bool:
    """Return whether all wrong questions have something, and some right one lacks it."""
    return bool(e.wrong) and all(map(has, e.wrong)) and not all(has(q) for q in e.answered if q not in e.wrong)


def _method(question: Question) -> str:
    return getattr(question, "method", "__call__")


def blocks(question: Question, *names: str) -> bool:
    masks = [call.get(name) for call in question.inputs for name in names]
    return any(is_array(mask) and not array(mask).all() for mask in masks)


def half(wrong: str, right: str) -> Callable[[Evidence, Found], bool]:
    """Return a claim that one method goes wrong and that the other is right."""

    def claim(e: Evidence, found: Found) -> bool:
        methods = {method: [q for q in e.answered if _method(q) == method] for method in (wrong, right)}
        return (
            all(methods.values())
            and all(q in e.wrong for q in methods[wrong])
            and not any(q in e.wrong for q in methods[right])
        )

    return claim


def masked(*names: str) -> Callable[[Evidence, Found], bool]:
    return lambda e, found: only(e, lambda q: blocks(q, *names))


def unmasked(e: Evidence, found: Found) -> bool:
    return only(e, lambda question: not blocks(question, "mask", "memory_mask"))


def weights_changed(e: Evidence, found: Found) -> bool:
    return divided(e, lambda question: getattr(question, "changed", None) is not None)


def norm(first: bool) -> Callable[[Evidence, Found], bool]:
    return lambda e, found: only(e, lambda q: q.built_with.get("norm_first") is first)


def dropped(training: bool) -> Callable[[Evidence, Found], bool]:
    return lambda e, found: only(e, lambda q: q.built_with.get("dropout", 0) > 0 and q.in_training is training)


def same_inputs_again(e: Evidence, found: Found) -> bool:
    """Return whether, on every wrong question, a call is right and a later one with the same inputs is wrong."""
    return bool(e.wrong) and all(any(_repeated(e, q)) for q in e.wrong)


def _repeated(e: Evidence, question: Question) -> Iterator[bool]:
    ours, right = calls(e.ours[question.name]), calls(e.right[question.name])
    holds = [alike(x, y) for x, y in zip(ours, right, strict=False)]
    for later in range(1, len(holds)):
        for earlier in range(later):
            if alike(question.inputs[later], question.inputs[earlier]):
                yield holds[earlier] and not holds[later]


def wherever(e: Evidence, found: Found) -> bool | None:
    has = _trait(found["trait"])
    if has is None:
        return None
    if any(e.ours[q.name].error and not has(q) for q in e.asked if q.returns):
        return False
    wrong = [q for q in e.wrong if q.returns]
    right = [q for q in e.answered if q.returns and q not in wrong]
    return bool(wrong and right) and all(map(has, wrong)) and not any(map(has, right))


def stops_wherever(e: Evidence, found: Found) -> bool | None:
    """Return whether it stops with this error on all inputs with a trait, and on no other input."""
    has = _trait(found["trait"])
    if has is None:
        return None
    stopped = [q for q in e.asked if (error := e.ours[q.name].error) and error.type == found["type"]]
    return all(map(has, stopped)) and not any(map(has, e.answered))


def _trait(words: str) -> Callable[[Question], bool] | None:
    """Return whether a question has the trait that a card names, as a function; None if the words are unknown."""
    for pattern, has in _TRAITS:
        if match := re.fullmatch(pattern, words):
            return partial(_has, has, match)
    return None


def _has(has: Callable[[Question, Found], bool], match: Found, question: Question) -> bool:
    return has(question, match)


def on_each(e: Evidence, found: Found) -> bool:
    asked = _that_can_be_compared(e)
    return len(asked) == int(found["of"]) and not any(_is_right(e, question) for question in asked)


def on_some(e: Evidence, found: Found) -> bool:
    asked = _that_can_be_compared(e)
    wrong = [question for question in asked if not _is_right(e, question)]
    return [len(wrong), len(asked)] == [int(found["number"]), int(found["of"])]


def _that_can_be_compared(e: Evidence) -> list[Question]:
    """Return the answered questions whose right answers don't depend on chance."""
    return [q for q in e.answered if not (q.in_training and 0 < float(q.built_with.get("dropout") or 0) < 1)]


def _is_right(e: Evidence, question: Question) -> bool:
    """Return whether a whole answer is right, side effects and gradients too."""
    ours, right = (dict(answers[question.name].values) for answers in (e.ours, e.right))
    return alike(ours, right)


def too(e: Evidence, found: Found) -> bool:
    """Return whether, in some wrong answer, every number is too large, or too small."""
    sign = 1 if found["size"] == "large" else -1
    for _, _, ours, right in e.values(found["name"], e.answered):
        if isinstance(ours, bool) or not (is_array(ours) or isinstance(ours, int | float)) or ours is None:
            continue
        x, y = np.asarray(ours, dtype=float), np.asarray(right, dtype=float)
        if x.shape == y.shape and x.size and (sign * (x - y) > 0).all():
            return True
    return False


def _setting(question: Question, name: str) -> Value:
    return {**question.built_with, **question.inputs[-1]}.get(name)


def _same_shape(question: Question, found: Found) -> bool:
    x, y = (_setting(question, found[i]) for i in (1, 2))
    return is_array(x) and is_array(y) and x.shape == y.shape


def _leaves_nothing(question: Question, found: Found) -> bool:
    mask = _setting(question, found[1])
    return is_array(mask) and not (array(mask) != 0).any(-1).all()


def _blocks_something(question: Question, found: Found) -> bool:
    mask = _setting(question, found[1])
    return is_array(mask) and not array(mask).all() and not _leaves_nothing(question, found)


#: the conditions of "wherever …"
_TRAITS: tuple[tuple[str, Callable[[Question, Found], bool]], ...] = (
    (r"the module is in training", lambda q, m: q.in_training),
    (r"no `(\w+)` is given", lambda q, m: _setting(q, m[1]) is None),
    (r"`(\w+)` is given", lambda q, m: _setting(q, m[1]) is not None),
    (r"`(\w+)` is more than 1", lambda q, m: (_setting(q, m[1]) or 0) not in (0, 1)),
    (r"`(\w+)` is a batch of one", lambda q, m: is_array(_setting(q, m[1])) and _setting(q, m[1]).shape[0] == 1),
    (r"`(\w+)` has (\d+) ax[ie]s", lambda q, m: is_array(_setting(q, m[1])) and _setting(q, m[1]).ndim == int(m[2])),
    (r"`(\w+)` leaves some position nothing to attend to", _leaves_nothing),
    (r"`(\w+)` blocks something", _blocks_something),
    (r"`(\w+)` and `(\w+)` have one shape", _same_shape),
    (r"`(\w+)` is (\S+)", lambda q, m: str(_setting(q, m[1])) == m[2]),
)  # fmt: skip


def unreached(zero: bool) -> Callable[[Evidence, Found], bool]:
    """Return a claim that these sub-modules get no gradient, or only zeros, and that others get one."""

    def claim(e: Evidence, found: Found) -> bool:
        idle = re.findall("`([^`]+)`", found["parts"])
        for question in e.answered:
            ours, right = e.both(question.name, "gradients")
            if isinstance(ours, dict) and isinstance(right, dict):
                named = {part: [ours.get(name) for name in right if name.split(".")[0] == part] for part in idle}
                silent = [one is None or (zero and not array(one).any()) for some in named.values() for one in some]
                flows = any(
                    is_array(one) and array(one).any() for name, one in ours.items() if name.split(".")[0] not in idle
                )
                if silent and all(silent) and flows:
                    return True
        return False

    return claim


def place(e: Evidence, found: Found) -> bool:
    """Return whether, in some wrong answer, the named places are right and wrong as the sentence says."""
    groups = found.groupdict()
    for _, _, ours, right in e.values(found["name"], e.answered):
        units = _units(ours, right, found["unit"])
        if not units or all(units):
            continue
        wrong = [i for i, ok in enumerate(units) if not ok]
        number = int(found["number"])
        if groups.get("of"):
            if wrong == [number] and len(units) == int(found["of"]):
                return True
        elif wrong[0] == number:
            return True
    return False


def _units(ours: Value, right: Value, unit: str) -> list[bool]:
    """Return which parts of a value are right: rows and sentences along axis 0, positions along axis 1."""
    if unit == "step":
        if not isinstance(ours, list) or not isinstance(right, list):
            return []
        return [alike(x, y) for x, y in zip(ours, right, strict=False)]
    axis = 1 if unit == "position" else 0
    if not is_array(ours) or not is_array(right) or ours.shape != right.shape or right.ndim <= axis:
        return []
    equal = ~differences(ours, right)
    return [bool(equal.take(i, axis).all()) for i in range(right.shape[axis])]


def only_at_padding(e: Evidence, found: Found) -> bool:
    for question, number, ours, right in e.values(found["name"], e.answered):
        if not is_array(ours) or alike(ours, right) or ours.shape != right.shape:
            continue
        given = {**question.built_with, **question.inputs[min(number, len(question.inputs) - 1)]}
        for ids in given.values():
            if is_array(ids) and ids.ndim == 2 and ids.shape == right.shape[:2]:
                padded = array(ids) == given.get("pad_id", 0)
                wrong = differences(ours, right).reshape(*padded.shape, -1).any(-1)
                if wrong.any() and not (wrong & ~padded).any():
                    return True
    return False


def right_without(has: Callable[[Question], bool]) -> Callable[[Evidence, Found], bool]:
    """Return a claim that everything is right on the questions that lack something, and something wrong on others."""

    def claim(e: Evidence, found: Found) -> bool:
        lacking = [q for q in e.asked if not has(q)]
        return bool(lacking) and all(q in e.answered and q not in e.wrong for q in lacking)

    return claim


def has_mask(question: Question) -> bool:
    return any("mask" in name and value is not None for call in question.inputs for name, value in call.items())
