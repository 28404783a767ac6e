"""What may distinguish one question from another: its settings and its arguments, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from torch import Tensor

from course_lib.checking.explain.example import arguments
from course_lib.checking.questions import Question


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
    yield from _of_the_values(question)


def _of_the_values(question: Question) -> Iterator[str]:
    for name, value in arguments(question).items():
        if isinstance(value, Tensor) and value.ndim:
            if "mask" in name and not value.bool().any(dim=-1).all():
                yield f"`{name}` leaves some position nothing to attend to"
            elif "mask" in name and not value.bool().all():
                yield f"`{name}` blocks something"
            if "mask" not in name and value.shape[0] == 1:
                yield f"`{name}` is a batch of one"
    for first, second in combinations(_tables(question), 2):
        if first[1].shape == second[1].shape:
            yield f"`{first[0]}` and `{second[0]}` have one shape"


def _tables(question: Question) -> Iterator[tuple[str, Tensor]]:
    """Yield the arguments that hold vectors. It may matter whether two of them hold the same number."""
    for name, value in arguments(question).items():
        if isinstance(value, Tensor) and value.ndim > 2 and value.is_floating_point():
            yield name, value
