"""Exercise `clip_gradients`: limit the norm of all gradients together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import torch
from torch import Tensor

from autograder.exercises.definition import Outline
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import GradientChange, Question
from course_lib.checking.rules import equals_reference


def _question(name: str, sampler: Sampler, gradients: Mapping[str, Tensor | None], max_norm: float) -> Question:
    """Ask for parameters with random values and these gradients. A parameter without a gradient has three entries."""
    weights = {k: sampler.tensor(*((3,) if grad is None else grad.shape)) for k, grad in gradients.items()}
    return GradientChange(name, {"max_norm": max_norm}, weights=weights, gradients=dict(gradients), returns=["norm"])


def _of_length(sampler: Sampler, length: float, *shape: int) -> Tensor:
    """Return a gradient with this norm."""
    direction = sampler.tensor(*shape)
    return direction * (length / float(direction.norm()))


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about gradients with large and small norms, both together, a missing gradient, and a norm just allowed.

    If both are together, the small norm is below the limit, so clipping each gradient separately would not change it.
    """
    times = sampler.shuffled((1.0, 2.0, 3.0, 4.0))[0]
    triangle = {"a": torch.tensor([3.0 * times]), "b": torch.tensor([0.0, -4.0 * times])}
    yield _question("by_hand", sampler, triangle, 2.5)
    b, e, d = sampler.sizes(3)
    long = {
        "weight": _of_length(sampler, 6.0, b, e),
        "bias": _of_length(sampler, 4.0, e),
        "last": _of_length(sampler, 3.0, 1, d),
    }
    yield _question("long", sampler, long, 2.0 + 0.1 * d)
    yield _question("short", sampler, {name: grad / 20 for name, grad in long.items()}, 2.0 + 0.1 * d)
    uneven = {"weight": _of_length(sampler, 9.0, d, b), "bias": _of_length(sampler, 0.7, d)}
    yield _question("uneven", sampler, uneven, 1.5)
    yield _question("unused", sampler, {"unused": None, **uneven, "other": None}, 1.5)
    near = {"weight": _of_length(sampler, 3.0, e, b), "bias": _of_length(sampler, 3.0, b)}  # 4.24 in total
    yield _question("between", sampler, near, 5.0)


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "the gradients 3 and 4 come out right: their norm is 5, and they are clipped together", 0.4,
        {"fields": ["norm", "gradients"]}),
    Check("long", equals_reference, "long", "gradients that are too long come out right, all shortened by one factor", 0.4,
        {"fields": ["gradients"]}, also=("between",)),
    Check("norm", equals_reference, "long", "the norm that is returned is right: that before clipping", 0.3,
        {"fields": ["norm"]}),
    Check("short", equals_reference, "short", "gradients that are short enough come out right, as they were", 0.3,
        {"fields": ["gradients"]}, needs="long"),
    Check("uneven", equals_reference, "uneven", "a short gradient next to a long one comes out right, shortened by the same factor", 0.25,
        {"fields": ["gradients"]}),
    Check("unused", equals_reference, "unused", "norm and gradients are right if a parameter has no gradient", 0.25,
        {"fields": ["norm", "gradients"]}),
    Check("weights_unchanged", equals_reference, "long", "the parameters themselves are left as they were", 0.1,
        {"fields": ["weights"]}, needs="long"),
)  # fmt: skip


GATHER = "[parameter.grad for parameter in parameters if parameter.grad is not None]"


EXERCISE = Outline(
    minutes=10,
    checks=CHECKS,
    hints=(
        "Work it out for two parameters with gradients 3 and 4, and `max_norm` 2.5. What are they afterwards?",
        "Three steps: collect the gradients that are there, one norm of them all, one factor for them all.",
        f"`gradients = {GATHER}`; the root of the sum of all squares; then `gradient.mul_(min(1, max_norm / norm))`; return the norm.",
    ),
    ask=ask,
)
