"""What a line of a card adds after its dash: what was seen instead of what the check promises."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.card_checks import compared
from benchmarks.card_evidence import Evidence, alike, array, differences, dtype, largest
from course_lib.checking.exercise import Check
from course_lib.checking.questions import OnPaper
from course_lib.checking.values import Value, is_array, pick

Found = re.Match[str]
#: a value that a check looks at: its question, its path, ours, the right one, and the size to measure it by
Leaf = tuple[str, str, Value, Value, float | None]


def seen_is_true(evidence: Evidence, check: Check, text: str) -> tuple[str, bool | None]:
    """Return the kind of observation and whether it is true on one of the check's questions."""
    for pattern, true in _SEEN:
        if found := re.fullmatch(pattern, text):
            return pattern, true(evidence, check, found)
    errors = [evidence.ours[name].error for name in check.questions]
    quoted = [f"{error.type}: {error.message}" if error.message else error.type for error in errors if error]
    return ("an error's text", True) if text in quoted else ("", None)


def _leaves(evidence: Evidence, check: Check) -> Iterator[Leaf]:
    settings = check.settings
    for question in check.questions:
        for field in settings.get("fields") or [settings.get("field", "gradients")]:
            ours, right = compared(evidence, check, evidence.question(question), field)
            size = (
                largest(pick(evidence.right[question].values, "gradients")) if field.startswith("gradients") else None
            )
            yield from _flat(question, field, ours, right, size)


def _flat(question: str, path: str, ours: Value, right: Value, size: float | None) -> Iterator[Leaf]:
    yield question, path, ours, right, size
    if isinstance(right, dict):
        for name in right:
            yield from _flat(
                question, f"{path}/{name}", ours.get(name) if isinstance(ours, dict) else None, right[name], size
            )


def _any(true: Callable[[Found, Leaf], bool]) -> Callable[[Evidence, Check, Found], bool]:
    """Return a claim that holds of some value with the name in the text."""

    def claim(evidence: Evidence, check: Check, found: Found) -> bool:
        return any(_called(leaf[1], found["name"]) and true(found, leaf) for leaf in _leaves(evidence, check))

    return claim


def _called(path: str, name: str) -> bool:
    *_, parent, last = "", *path.split("/")
    return name in (last, f"{parent}[{last}]")


def _differ(found: Found, leaf: Leaf) -> bool:
    _, _, ours, right, size = leaf
    if not is_array(ours) or not is_array(right) or ours.shape != right.shape:
        return False
    wrong = differences(ours, right, None, size)
    counted = wrong.size == int(found["of"]) and int(wrong.sum()) == int(found["wrong"])
    if found.groupdict().get("by") is None:
        return counted
    furthest = float(np.nan_to_num(np.abs(array(ours) - array(right)), nan=0.0).max())
    return counted and _close(furthest, found["by"])


def _close(ours: float, said: str) -> bool:
    """Return whether a number is the one that a card shows with a few digits."""
    largest_number = np.finfo(float).max
    return bool(np.isclose(min(ours, largest_number), min(float(said), largest_number), rtol=0.06))


def _off(found: Found, leaf: Leaf) -> bool:
    _, _, ours, right, _ = leaf
    return is_array(ours) and is_array(right) and array(right).size == array(ours).size == 1 and bool(
        np.isclose(abs(float(array(ours).sum() - array(right).sum())), float(found["by"]), rtol=0.06)
    )  # fmt: skip


def _entries(found: Found, leaf: Leaf) -> bool:
    _, _, ours, right, _ = leaf
    if is_array(ours) and is_array(right) and ours.shape == right.shape:
        return int(differences(ours, right).sum()) == int(found["wrong"])
    if not isinstance(ours, list | tuple) or not isinstance(right, list | tuple) or len(ours) != len(right):
        return False
    wrong = [i for i, (x, y) in enumerate(zip(ours, right, strict=True)) if not alike(x, y)]
    first = found["first"]
    return (
        len(wrong) == int(found["wrong"])
        and len(ours) == int(found["of"])
        and (first is None or wrong[0] == int(first))
    )


def _length(found: Found, leaf: Leaf) -> bool:
    _, _, ours, right, _ = leaf
    return [len(value) for value in (ours, right) if isinstance(value, list | tuple)] == [
        int(found["ours"]),
        int(found["right"]),
    ]


def _shape(found: Found, leaf: Leaf) -> bool:
    shapes = [
        tuple(value.shape) if is_array(value) else tuple(value) if isinstance(value, list) else None
        for value in leaf[2:4]
    ]
    return [str(shape) for shape in shapes] == [found["ours"], found["right"]]


def _odd(found: Found, leaf: Leaf) -> bool:
    if not is_array(leaf[2]):
        return False
    numbers = array(leaf[2])
    return bool(np.isnan(numbers).any() if found["what"] == "nan" else np.isinf(numbers).any())


def _size(found: Found, leaf: Leaf) -> bool:
    _, _, ours, right, _ = leaf
    numbers = isinstance(ours, int | float) and isinstance(right, int | float)
    return numbers and np.isclose(ours, float(found["ours"]), rtol=1e-4) and (ours > right) == (found["is"] == "large")


def _described(found: Found, leaf: Leaf) -> bool:
    """Return whether the value isn't what is asked for, and has the shape and dtype that the text names."""
    ours = leaf[2]
    shape = re.search(r"of shape (\(.*?\))", found["what"])
    if shape and not (is_array(ours) and str(tuple(ours.shape)) == shape[1] and found["what"].endswith(dtype(ours))):
        return False
    return not alike(ours, leaf[3]) or (is_array(ours) and dtype(ours) != dtype(leaf[3]))


def _not_right(evidence: Evidence, check: Check, found: Found) -> bool:
    """Count the wrong numbers of an answer on paper."""
    question = evidence.question(check.question)
    assert isinstance(question, OnPaper) and question.decimals is not None
    ours, right = (array(value) for value in evidence.both(question.name, "answer"))
    wrong = np.abs(ours - right) >= 1.01 * 10.0**-question.decimals
    return [int(wrong.sum()), wrong.size] == [int(found["wrong"]), int(found["of"])]


def _typed(evidence: Evidence, check: Check, found: Found) -> bool:
    """Compare words that were typed in with the right ones."""
    ours, right = evidence.both(check.question, "answer")
    return repr(ours) == found["typed"] and ours != right


def _missing(found: Found, leaf: Leaf) -> bool:
    return not alike(leaf[2], leaf[3])


def _sum(evidence: Evidence, check: Check, found: Found) -> bool:
    values = (leaf[2] for leaf in _leaves(evidence, check))
    sums = [array(value).sum(-1).ravel() for value in values if is_array(value)]
    return any(bool(np.isclose(some, float(found["sum"]), rtol=1e-4, equal_nan=True).any()) for some in sums)


def _value(evidence: Evidence, check: Check, found: Found) -> bool:
    arrays = [array(leaf[2]) for leaf in _leaves(evidence, check) if is_array(leaf[2])]
    said = float(found["value"])
    if not np.isfinite(said):
        return any(bool((np.abs(some) > 1.7e308).any() or np.isnan(some).any()) for some in arrays)
    return any(bool(np.isclose(some, said, rtol=1e-3).any()) for some in arrays)


def _changed(evidence: Evidence, check: Check, found: Found) -> bool:
    name = found["name"]
    pairs = [
        (pick(evidence.ours[question].values, f"after/{name}"), evidence.question(question).inputs[-1].get(name))
        for question in check.questions
    ]
    return not all(alike(after, before) for after, before in pairs)


def _raises(evidence: Evidence, check: Check, found: Found) -> bool:
    raised = [pick(evidence.ours[name].values, "raised") for name in check.questions]
    return (None if found["type"] == "nothing" else found["type"]) in raised


def _no_gradient(evidence: Evidence, check: Check, found: Found) -> bool:
    return any(not is_array(pick(evidence.ours[name].values, f"gradients/{found['name']}")) for name in check.questions)


def _moved(evidence: Evidence, check: Check, found: Found) -> bool:
    for name in check.questions:
        before, after = (pick(evidence.ours[name].values, check.settings[side]) for side in ("before", "after"))
        x, y = array(before), array(after)
        if "axis" in check.settings:
            x = x.take(array(evidence.question(name).order, plain=True), check.settings["axis"])  # type: ignore[attr-defined]
        index = tuple(slice(None) if i is None else i for i in check.settings.get("index", ()))
        moved = float(np.nan_to_num(np.abs(x[index] - y[index]), nan=np.inf).max())
        if _close(moved, found["by"]):
            return True
    return False


def _two_shapes(evidence: Evidence, check: Check, found: Found) -> bool:
    pairs = [
        [pick(evidence.ours[name].values, check.settings[side]) for side in ("before", "after")]
        for name in check.questions
    ]
    return any(not all(map(is_array, pair)) or pair[0].shape != pair[1].shape for pair in pairs)


def _calls(evidence: Evidence, check: Check, found: Found) -> bool:
    called = [pick(evidence.ours[name].values, "called") for name in check.questions]
    names = {name.replace("nn.functional", "F") for some in called if isinstance(some, list) for name in some}
    return set(re.findall("`([^`]+)`", found["names"])) <= names and bool(names)


def _wrong(evidence: Evidence, check: Check, found: Found) -> bool:
    pairs = [(evidence.ours[name].values, evidence.right[name].values) for name in check.questions]
    return not all(alike(dict(ours), dict(right)) for ours, right in pairs)


def _much(evidence: Evidence, check: Check, found: Found) -> bool:
    return any(evidence.ours[name].values.get("little") is not True for name in check.questions)


def _unasked(evidence: Evidence, check: Check, found: Found) -> bool:
    return any(evidence.ours[name].values.keys() <= {"shapes"} for name in check.questions)


_COUNT = r"(?P<wrong>\d+) of (?P<of>\d+) "
_NAME = r"(?:the gradient of )?`(?P<name>[^`]+)`"
_SEEN: tuple[tuple[str, Callable[[Evidence, Check, Found], bool | None]], ...] = (
    (_COUNT + r"numbers in " + _NAME + r" differ(?:, by up to (?P<by>\S+))?", _any(_differ)),
    (_COUNT + r"entr(?:y|ies) of " + _NAME + r" differs?(?:(?:, the first)? at index (?P<first>\d+))?", _any(_entries)),
    (_COUNT + r"numbers (?:is|are) not right", _not_right),
    (r"yours is (?P<typed>\[.*\])", _typed),
    (_NAME + r" is off by (?P<by>\S+)", _any(_off)),
    (_NAME + r" has (?P<ours>\d+) entr(?:y|ies), not (?P<right>\d+)", _any(_length)),
    (_NAME + r" has the shape (?P<ours>\(.*?\)), not (?P<right>\(.*?\))", _any(_shape)),
    (_NAME + r" holds (?P<what>nan|inf|infinity)", _any(_odd)),
    (_NAME + r" is (?P<ours>\S+): too (?P<is>large|small)", _any(_size)),
    (r"there is no (?:gradient of )?`(?P<name>[^`]+)`(?: to sum)?", _any(_missing)),
    (r"there are (?:parameters|entries in (?:the gradient of )?`[^`]+`) that are not asked for: .*", _wrong),
    (r"it returned (?P<what>.*)", _wrong),
    (r"one of yours sums to (?P<sum>\S+)", _sum),
    (r"one of your weights is (?P<value>\S+)", _value),
    (r"a masked key gets (?P<value>\S+)", _value),
    (r"`(?P<name>[^`]+)` is changed afterwards", _changed),
    (_NAME + r" is (?P<what>.*?)(?:, where .* asked for|, not torch\.\w+)?", _any(_described)),
    (r"yours raises (?P<type>\w+)", _raises),
    (r"no gradient reaches `(?P<name>[^`]+)`", _no_gradient),
    (r"`(?P<name>[^`]+)` receives no gradient", _no_gradient),
    (r"(?:the numbers moved|they differ) by (?P<by>\S+)", _moved),
    (r"the two calls did not both return an array of the same shape", _two_shapes),
    (r"it calls (?P<names>.*)", _calls),
    (r"at one time, yours held more than [\d,]+ numbers", _much),
    (r"not tested yet: first, the parameters must be those of the docstring", _unasked),
)  # fmt: skip
