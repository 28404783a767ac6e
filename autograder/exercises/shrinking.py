"""Shrink a question to one with few numbers, on which a person can recompute what is right.

Axes of equal length stay equal, because a question's lengths are pairwise distinct unless they mean the same. What the
smaller question means is up to the reference: `small_questions` keeps only those that it answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib import import_module
from itertools import product
from typing import Any

import numpy as np

from autograder.exercises.shrunk_values import (
    Shrinking,
    compacted,
    cropped,
    is_size,
    plain_weights,
    rounded,
    shrunk_weights,
)
from course_lib.checking.explain.given import is_weight
from course_lib.checking.explain.show import FEW
from course_lib.checking.questions import (
    Built,
    Call,
    Calls,
    Construction,
    GradientChange,
    Methods,
    Module,
    ModuleCopy,
    Question,
    Reading,
    Refusal,
    Script,
    StepByStep,
    TrainingSteps,
)  # fmt: skip
from course_lib.checking.questions.parameters import COPIED
from course_lib.checking.questions.training import SmallTranslator
from course_lib.checking.values import Array, Value, is_array

#: the kinds of questions whose answers can be shown
_KINDS = (
    Call, Calls, Construction, GradientChange, Methods, Module, ModuleCopy, Reading, Refusal, Script, StepByStep,
    TrainingSteps,
)  # fmt: skip
LENGTHS = (1, 2, 3, 4)  #: what the length of an axis may become
COMBINED = 6  #: of more lengths than this, not all combinations are considered
CONSIDERED = 1000  #: how many combinations are considered then
TRIED = 150  #: how many smaller questions are tried for each question
WAYS = 6  #: how many are tried at most with the same lengths
LARGE, TRIED_OF_LARGE = 12, 50  #: how many are tried if a module has this many weights

Lengths = Mapping[int, int]


def smaller(question: Question, reference: Any) -> Iterator[Question]:
    """Yield smaller questions, the same each time. The reference may fail on some of them."""
    if not isinstance(question, _KINDS):
        return
    plans = [(one, lengths) for one in _simpler(question) for lengths in _lengths(one)]
    plans.sort(key=lambda plan: _numbers(*plan))
    few = [plan for plan in plans if _numbers(*plan) <= FEW] or plans
    tried = min(TRIED if len(question.parameters) < LARGE else TRIED_OF_LARGE, WAYS * len(few))
    for number in range(tried):
        one, lengths = few[number * len(few) // tried]
        made = _shrunk(one, reference, Shrinking(lengths, number))
        if made is not None:
            yield made


def _simpler(question: Question) -> Iterator[Question]:
    """Yield the question with one of its calls, without gradients, or without its first axes."""
    calls = getattr(question, "calls", ())
    singles = [_with(question, calls=[call]) for call in calls] if calls else [question]
    if len(calls) > 1 and isinstance(question, Methods | TrainingSteps):
        singles.append(question)
    for single in singles:
        one = replace(single, order=None) if isinstance(single, Module) else single
        yield one
        if getattr(one, "upstream", None) is not None:
            yield _with(one, upstream=None)
        elif isinstance(one, Call | Calls):
            yield from _with_fewer_axes(one)


def _with(question: Question, **changes: Value) -> Question:
    """Replace fields that not every kind of question has."""
    return replace(question, **changes)


def _with_fewer_axes(question: Question) -> Iterator[Question]:
    arrays = [value for call in question.inputs for value in call.values() if is_array(value)]
    most = max((value.ndim for value in arrays), default=0)

    for kept in range(2, most):

        def first(value: Array, kept: int = kept) -> Array:
            while value.ndim > kept:
                value = value[0]
            return value

        yield question.converted(first)


def _lengths(question: Question) -> Iterator[Lengths]:
    """Yield what the lengths of axes and lists, and the sizes among the arguments, may become."""
    built = question.built_with
    found = {value for name, value in built.items() if is_size(name, value)}
    for call in (*question.inputs, *getattr(question, "calls", ())):
        found |= {value for name, value in call.items() if is_size(name, value)} | _axes(call)
    if isinstance(question, GradientChange):
        found |= _axes(question.weights)
    sizes = sorted(found - {0})
    options = [[n for n in LENGTHS if n <= size] for size in sizes]
    if len(sizes) <= COMBINED:
        yield from (dict(zip(sizes, chosen, strict=True)) for chosen in product(*options))
        return
    # a large module: a word costs a row of logits, a width nothing, because most weights will be identities
    words, width = {value for name, value in built.items() if "vocab" in name}, built.get("d_model")
    longest = {value for name, value in built.items() if name.startswith("max_")} - words - {width}
    options = [
        [size] if size in longest else [3, 4] if size in words else [2, 3, 4] if size == width else few[:3]
        for size, few in zip(sizes, options, strict=True)
    ]
    random = np.random.default_rng(len(sizes))
    for _ in range(CONSIDERED):
        yield {size: few[random.integers(len(few))] for size, few in zip(sizes, options, strict=True)}


def _axes(value: Value) -> set[int]:
    if is_array(value):
        return set(value.shape)
    if isinstance(value, Mapping):
        value = list(value.values())
        return set[int]().union(*map(_axes, value))
    return {len(value)}.union(*map(_axes, value)) if isinstance(value, list) else set()


def _numbers(question: Question, lengths: Lengths) -> int:
    """Return about how many numbers the arguments of the smaller question have."""
    calls = getattr(question, "calls", None) or question.inputs
    built = question.arguments if isinstance(question, Methods) else {}
    given = [*calls[-1].items(), *built.items()]
    return sum(1 if is_weight(name, value) else _count(value, lengths) for name, value in given)


def _count(value: Value, lengths: Lengths) -> int:
    if is_array(value):
        return int(np.prod([lengths.get(n, n) for n in value.shape]))
    if isinstance(value, list):
        return sum(_count(item, lengths) for item in value[: lengths.get(len(value), len(value))])
    return 0 if value is None else 1


def _shrunk(question: Question, reference: Any, how: Shrinking) -> Question | None:
    """Return the smaller question, or None if the module can't be built in these sizes."""
    contents = question.contents()
    for name in ("arguments", "gradients", "upstream", "weights"):
        if name in contents and not (name == "weights" and isinstance(question, Built)):
            contents[name] = _arguments(contents[name], how)
    if "calls" in contents:
        contents["calls"] = [_arguments(call, how) for call in contents["calls"]]
    if "table" in contents:
        contents["table"] = cropped(contents["table"], how)
    if isinstance(question, Built):
        contents["build"] = _arguments(question.build, how)
        try:
            shapes = _shapes(question, reference, contents["build"])
        except Exception:  # such as a width that the number of heads doesn't divide
            return None
        weights = shrunk_weights(question.weights, shapes, how)
        if weights is None:
            return None
        if weights:
            contents["weights"] = weights
        if isinstance(question, StepByStep) and question.changed is not None:
            contents["changed"] = shrunk_weights(question.changed, shapes, replace(how, number=how.number + 5))
            contents["change_at"] = 1
    made = replace(question, **contents)
    if isinstance(question, Script):
        return made
    words = [value for name, value in made.built_with.items() if "vocab" in name]
    return compacted(made, min(words, default=None)) if words or how.number % 2 else made


def _arguments(values: Mapping[str, Value], how: Shrinking) -> dict[str, Value]:
    smaller_ones = {
        name: how.lengths.get(value, value) if is_size(name, value) else rounded(cropped(value, how), how)
        for name, value in values.items()
    }
    return plain_weights(smaller_ones, how)


def _shapes(question: Built, reference: Any, build: Mapping[str, Value]) -> dict[str, tuple[int, ...]]:
    """Return the shapes of a module's weights when it is built in other sizes."""
    component = reference
    if isinstance(question, StepByStep):
        component = getattr(import_module("course_lib.components"), question.over)
    elif isinstance(question, ModuleCopy):
        component = COPIED[question.original]
    elif isinstance(question, TrainingSteps):
        component = SmallTranslator
    module = replace(question, build=build).construct(component)
    return {name: tuple(parameter.shape) for name, parameter in module.named_parameters()}
