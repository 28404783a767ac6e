"""An example on a card: whether the code is wrong on its inputs, and the numbers are those that come out."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from benchmarks.card_evidence import Evidence, alike, array, calls
from benchmarks.card_says import Sentence
from course_lib.checking.questions import Question
from course_lib.checking.values import MISSING, Value, is_array, pick


@dataclass(frozen=True)
class Block:
    """An example: its title, and the lines below it."""

    title: str
    text: str


def example(block: Block, evidence: Evidence) -> Sentence:
    """Check an example: some question must have these inputs, and the code must be wrong on it, with these values."""
    shown = dict(_values(block.text))
    given = {name: value for name, value in shown.items() if not name.startswith(("your ", "right ", "you "))}
    ours = {name.removeprefix("your "): value for name, value in shown.items() if name.startswith("your ")}
    right = {name.removeprefix("right "): value for name, value in shown.items() if name.startswith("right ")}
    text = f"{block.title}:\n{block.text}"
    verdicts = [
        _true(evidence, question, number, ours, right)
        for question in evidence.answered
        for number in range(len(question.inputs))
        if _fits(question, number, given)
    ]
    if not verdicts:
        return Sentence(text, "an example", None)
    return Sentence(text, "an example", True if True in verdicts else None if None in verdicts else False)


def _values(text: str) -> Iterator[tuple[str, Value]]:
    """Yield each name and value of a block. A value that can't be read is yielded as text."""
    for part in re.split(r"\n(?=    \S[^=\n]* = )", "\n" + text):
        name, _, value = part.strip().partition(" = ")
        if name:
            yield name, _read(re.sub(r"\s+", " ", value))


def _read(text: str) -> Value:
    plain = re.sub(r"(?<=\d)\.(?=[,\]\s)]|$)", ".0", text)
    plain = re.sub(r"\bnan\b", "None", plain)
    try:
        return ast.literal_eval(re.sub(r"\binf\b", "1e999", plain))
    except (ValueError, SyntaxError):
        return text


def _fits(question: Question, number: int, given: Mapping[str, Value]) -> bool:
    """Return whether a call has the shown arguments. Weights and settings may be shown besides."""
    arguments = question.arguments_of(number)
    known = {**question.parameters, **question.built_with, **arguments}
    gradients = getattr(question, "gradients", None) or {}
    known |= {f"{name}.grad": value for name, value in gradients.items()}
    for name, value in given.items():
        for each in name.removeprefix("built with ").split(", "):
            if each not in known or not _looks(known[each], value):
                return False
    return all(name in given for name in arguments)


def _looks(value: Value, shown: Value) -> bool:
    """Return whether a value, rounded to the digits of a card, looks like what is shown."""
    if isinstance(shown, str) and not isinstance(value, str):
        return "array of shape" in shown and is_array(value) and str(tuple(value.shape)) in shown
    if is_array(value):
        try:
            wanted = np.array(shown, dtype=float)
        except (ValueError, TypeError):
            return False
        if not wanted.size:
            return not array(value).size
        if not wanted.shape and not array(value).any():
            return wanted == 0  # weights that are all zero are shown as one
        return array(value).shape == wanted.shape and bool(
            np.isclose(array(value), wanted, atol=6e-4, rtol=1e-3, equal_nan=True).all()
        )
    if isinstance(value, dict):
        return isinstance(shown, str)
    if isinstance(value, list | tuple):
        return isinstance(shown, list | tuple) and (
            len(value) > 12 or (len(value) == len(shown) and all(map(_looks, value, shown)))
        )
    if isinstance(value, float) and shown is None:
        return bool(np.isnan(value))
    if isinstance(value, float) and isinstance(shown, int | float):
        return bool(np.isclose(value, shown, rtol=1e-3, atol=6e-4, equal_nan=True))
    return bool(value == shown) or (value is None and shown is None)


def _true(
    evidence: Evidence, question: Question, number: int, ours: Mapping[str, Value], right: Mapping[str, Value]
) -> bool | None:
    """Return whether a call is wrong in each value that is shown, and each value is what came out."""
    answer, reference = evidence.ours[question.name], evidence.right[question.name]
    mine, theirs = (calls(one)[min(number, len(calls(one)) - 1)] for one in (answer, reference))
    if not ours:
        return not alike(dict(mine), dict(theirs))
    for name, value in ours.items():
        x, y = (_part({**answer.values, **one}, name) for answer, one in ((answer, mine), (reference, theirs)))
        if alike(x, y) and not (is_array(x) and is_array(y) and x.dtype != y.dtype):
            return False
        if not _looks(x, value) or (name in right and not _looks(y, right[name])):
            return None if isinstance(value, str) else False
    return True


def _part(values: Mapping[str, Value], name: str) -> Value:
    """Return the part of an answer that a card shows: ``"gradient of x"``, ``"logits[1, 2]"``, ``"ids afterwards"``."""
    name = name.partition(" (")[0]
    name, _, index = name.partition("[")
    if name.startswith("gradient of "):
        part = pick(dict(values), f"gradients/{name.removeprefix('gradient of ')}")
    elif index.endswith(" afterwards") or name.endswith(" afterwards"):
        name, index = name.removesuffix(" afterwards"), index.removesuffix(" afterwards")
        part = next(
            (value for at in ("after", "weights") if (value := pick(dict(values), f"{at}/{name}")) is not MISSING),
            MISSING,
        )
    else:
        part = values.get(name, MISSING)
    for number in re.findall(r"\d+", index):
        part = part[int(number)] if is_array(part) or isinstance(part, list | tuple) else MISSING
    return part
