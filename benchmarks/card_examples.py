"""An example on a card: whether the code is wrong on its inputs, and the numbers are those that come out."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from benchmarks.card_evidence import Evidence, alike, array, calls
from benchmarks.card_says import Sentence
from course_lib.checking.explain.given import kind_of
from course_lib.checking.questions import Question
from course_lib.checking.values import MISSING, Value, is_array, pick


@dataclass(frozen=True)
class Block:
    """An example: its title, and the lines below it."""

    title: str
    text: str


def example(block: Block, evidence: Evidence) -> Sentence:
    """Check an example: some question must have these inputs, and the code must be wrong on it, with these values."""
    shown = list(_values(block.text))
    given = [(name, value) for name, value in shown if not name.startswith(("your ", "right ", "you "))]
    ours = {name.removeprefix("your "): value for name, value in shown if name.startswith("your ")}
    right = {name.removeprefix("right "): value for name, value in shown if name.startswith("right ")}
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


def inputs_that_stop(block: Block, evidence: Evidence) -> Sentence:
    """Check inputs on which the code stops: some question must have them, and its answer must be an error."""
    given = list(_values(block.text))
    fitting = [q for q in evidence.asked if any(_fits(q, number, given) for number in range(len(q.inputs)))]
    holds = any(evidence.ours[q.name].error for q in fitting) if fitting else None
    return Sentence(f"{block.title}:\n{block.text}", "inputs that stop it", holds)


def typed_in(block: Block, evidence: Evidence) -> Sentence:
    """Check what was typed in, in an exercise on paper: it must be there, and wrong."""
    [(_, shown)] = _values(block.text)
    [question] = evidence.asked
    ours, _ = evidence.both(question.name, "answer")
    return Sentence(
        f"{block.title}:\n{block.text}", "what was typed in", _looks(ours, shown) and question in evidence.wrong
    )


_BUILT, _TRAINING = "built with ", "in training mode"


def _values(text: str) -> Iterator[tuple[str, Value]]:
    """Yield each name and value of a block, and each setting. A value that can't be read is yielded as text."""
    for part in re.split(r"\n(?=    \S)", "\n" + text):
        line = part.strip()
        if line.startswith((_BUILT, _TRAINING)):
            yield from _settings(line)
        elif line:
            name, _, value = line.partition(" = ")
            yield name, _read(re.sub(r"\s+", " ", value))


def _settings(line: str) -> Iterator[tuple[str, Value]]:
    built = line.removesuffix(_TRAINING).rstrip(", ").removeprefix(_BUILT)
    call = ast.parse(f"dict({built})", mode="eval").body
    assert isinstance(call, ast.Call)
    yield from ((f"{_BUILT}{setting.arg}", ast.literal_eval(setting.value)) for setting in call.keywords)
    if line.endswith(_TRAINING):
        yield _TRAINING, True


def _read(text: str) -> Value:
    plain = re.sub(r"(?<=\d)\.(?=[,\]\s)]|$)", ".0", text)
    plain = re.sub(r"\bnan\b", "None", plain)
    try:
        return ast.literal_eval(re.sub(r"\binf\b", "1e999", plain))
    except (ValueError, SyntaxError):
        return text


def _fits(question: Question, number: int, given: Sequence[tuple[str, Value]]) -> bool:
    """Return whether a call has the shown arguments, and the module the shown settings and weights."""
    arguments = question.arguments_of(number)
    gradients = getattr(question, "gradients", None) or {}
    known = dict(question.parameters) | arguments | {f"{name}.grad": value for name, value in gradients.items()}
    known |= {f"{_BUILT}{name}": value for name, value in question.built_with.items()}
    known |= {f"{_ARRIVES}{name}": value for name, value in (getattr(question, "upstream", None) or {}).items()}
    known |= getattr(question, "named_settings", {})
    known[_TRAINING] = question.in_training
    later: list[tuple[str, Value]] = []
    weights: list[tuple[str, Value]] = []
    for name, value in given:
        changed = _LATER.match(name)
        if changed:
            if str(getattr(question, "change_at", None)) != changed[1]:
                return False
            later.append((name[changed.end() :], value))
        elif name.startswith(_BEFORE):
            before = getattr(question, "calls", question.inputs)[:number]
            if not any(_looks(call.get(name.removeprefix(_BEFORE)), value) for call in before):
                return False
        elif name in known and name not in question.parameters:
            if not _looks(known[name], value):
                return False
        else:
            weights.append((name, value))
    shown = {name for name, _ in given}
    return (
        all(name in shown for name in arguments)
        and _fit(question.parameters, weights)
        and _fit(getattr(question, "changed", None) or {}, later)
    )


_ARRIVES, _BEFORE, _LATER = "gradient that arrives at ", "before it, ", re.compile(r"from step (\d+) on, ")


#: a line about all weights of a kind, or about all that no other line names
_EVERY = re.compile(r"every (?:other )?(.+)")


def _fit(weights: Mapping[str, Tensor], shown: Sequence[tuple[str, Value]]) -> bool:
    """Return whether weights look as shown. Some lines are about several of them, or about all others of a kind."""
    named = {each: value for name, value in shown if not _EVERY.match(name) for each in name.split(", ")}
    if not named.keys() <= weights.keys():
        return False
    usual = {found[1]: value for name, value in shown if (found := _EVERY.match(name))}
    for name, weight in weights.items():
        kind = kind_of(name, weight)
        value = named.get(name, usual.get(kind))
        if value is not None and not _looks(weight, value):
            return False
    return True


def _in_words(value: Value, words: str) -> bool:
    """Return whether a weight is what a card says in words."""
    if not is_array(value):
        return False
    numbers = array(value)
    if words in ("the identity matrix", "1 on the diagonal, 0 elsewhere"):
        square = numbers.ndim == 2 and numbers.shape[0] == numbers.shape[1]
        return (square or words[0] == "1") and numbers.ndim == 2 and np.array_equal(numbers, np.eye(*numbers.shape))
    if found := re.fullmatch(r"all (-?[\d.e+-]+)", words):
        return bool(np.isclose(numbers, float(found[1]), rtol=1e-3, atol=6e-4).all())
    return "array of shape" in words and str(tuple(numbers.shape)) in words


def _looks(value: Value, shown: Value) -> bool:
    """Return whether a value, rounded to the digits of a card, looks like what is shown."""
    if isinstance(shown, str) and not isinstance(value, str):
        return _in_words(value, shown)
    if is_array(value):
        try:
            wanted = np.array(shown, dtype=float)
        except (ValueError, TypeError):
            return False
        if not wanted.size:
            return not array(value).size
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
        other_type = isinstance(y, list | tuple) and type(x) is not type(y)
        if alike(x, y) and not other_type and not (is_array(x) and is_array(y) and x.dtype != y.dtype):
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
        settings = values.get("settings")
        part = values.get(name, settings.get(name, MISSING) if isinstance(settings, dict) else MISSING)
    for number in re.findall(r"\d+", index):
        part = part[int(number)] if is_array(part) or isinstance(part, list | tuple) else MISSING
    return part
