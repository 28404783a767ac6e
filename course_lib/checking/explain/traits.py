"""What may distinguish one question from another: its settings, its arguments and its weights, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import torch
from torch import Tensor

from course_lib.checking.explain.given import arguments
from course_lib.checking.questions import Question
from course_lib.checking.values import Array, is_array


def general_traits(question: Question, names: Sequence[str]) -> Iterator[str]:
    """Yield what distinguishes this question from others, in words, starting with what is most likely to matter.

    Args:
        names: the arguments that some question gives.
    """
    if question.in_training:
        yield "the module is in training"
    settings = {**question.built_with, **arguments(question)}
    yield from (f"no `{name}` is given" for name in names if settings.get(name) is None)
    for name, value in settings.items():
        if isinstance(value, bool | str):
            yield f"`{name}` is {value}"
        elif value is not None and name in names:
            yield f"`{name}` is given"
        if isinstance(value, int) and not isinstance(value, bool):
            yield f"`{name}` is {value}" if value in (0, 1) else f"`{name}` is more than 1"
        if isinstance(value, list):
            yield f"`{name}` is {'not ' if value else ''}empty"
    yield from _of_two_numbers(question)
    yield from _of_the_values(question)
    yield from _of_the_weights(question)


def _of_two_numbers(question: Question) -> Iterator[str]:
    """Yield how two numbers compare that a call gets."""
    numbers = [(name, value) for name, value in arguments(question).items() if type(value) in (int, float)]
    for (first, one), (second, other) in combinations(numbers, 2):
        yield f"`{first}` {'equals' if one == other else 'is less than' if one < other else 'is more than'} `{second}`"


def _of_the_values(question: Question) -> Iterator[str]:
    given = {name: value for name, value in arguments(question).items() if is_array(value) and value.ndim}
    for name, value in given.items():
        if isinstance(value, Tensor) and "mask" in name and not value.bool().any(dim=-1).all():
            yield f"`{name}` leaves some position nothing to attend to"
        elif "mask" in name and not value.all():
            yield f"`{name}` blocks something"
        if "mask" not in name and value.ndim > 2:
            yield f"`{name}` is a batch of {'one' if value.shape[0] == 1 else 'more than one'}"
        if "mask" not in name:
            yield f"`{name}` has {value.ndim} {'axis' if value.ndim == 1 else 'axes'}"
    for first, second in combinations(_tables(question), 2):
        if first[1].shape == second[1].shape:
            yield f"`{first[0]}` and `{second[0]}` have one shape"
    for name, value in given.items():
        if "mask" not in name:
            yield from _of_the_size(name, value)


def _of_the_size(name: str, value: Array) -> Iterator[str]:
    if str(value.dtype).removeprefix("torch.").startswith("float") and (value < 0).any():
        yield f"`{name}` contains a negative number"
    if value.ndim > 1 and value.shape[-2] > 1:
        yield f"`{name}` has more than one row"
    if value.shape[-1] > 1:
        yield f"`{name}` has more than one {'column' if value.ndim > 1 else 'entry'}"


def _of_the_weights(question: Question) -> Iterator[str]:
    """Yield which weights matter. Small questions leave all but one as they change least."""
    for name, weight in question.parameters.items():
        if weight.ndim == 2 and not torch.equal(weight, torch.eye(*weight.shape, dtype=weight.dtype)):
            yield f"`{name}` is not the identity"
        elif weight.ndim == 1 and "bias" in name and weight.any():
            yield f"`{name}` is not 0"


def _tables(question: Question) -> Iterator[tuple[str, Tensor]]:
    """Yield the arguments that hold vectors. It may matter whether two of them hold the same number."""
    for name, value in arguments(question).items():
        if isinstance(value, Tensor) and value.ndim > 2 and value.is_floating_point():
            yield name, value
