"""Exercise `adam_w`: an optimizer, checked by how it moves parameters over several steps.

ε is large in the questions, because with ε = 1e-8 nothing would show where it is added.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import Tensor

from autograder.exercises.definition import Outline
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import OptimizerSteps, Question
from course_lib.checking.rules import equals_reference
from course_lib.checking.values import Value

#: the names of three parameters, and the number of steps in a question
NAMES, STEPS = ("a", "b", "c"), 4
NEVER: Mapping[str, set[int]] = {}


def _settings(sampler: Sampler) -> dict[str, Value]:
    """Return settings that are far apart, so that each of them shows after a step."""
    (lr, decay, eps), betas = (sampler.shuffled((0.1, 0.2, 0.3)), sampler.shuffled((0.5, 0.6, 0.8, 0.9))[:2])
    return {"lr": lr, "betas": tuple(betas), "eps": eps, "weight_decay": decay + 0.2}


def _asked(
    sampler: Sampler,
    name: str,
    weights: Mapping[str, Tensor],
    missing: Mapping[str, set[int]],
    zero: Mapping[str, set[int]] = NEVER,
    **more: Any,
) -> OptimizerSteps:
    """Ask for several steps.

    Args:
        missing: the steps, counted from 0, at which a parameter has no gradient.
        zero: the steps at which its gradient is zero.
    """
    steps = [
        {
            each: sampler.tensor(weight.numel()).reshape(weight.shape) * (step not in zero.get(each, ()))
            for each, weight in weights.items()
            if step not in missing.get(each, ())
        }
        for step in range(STEPS)
    ]
    return OptimizerSteps(name, _settings(sampler), weights, steps, returns=list(weights), **more)


def _on_paper(sampler: Sampler) -> OptimizerSteps:
    """Ask for the first step of one number. It is ``lr · g / (|g| + ε)``, apart from the decay."""
    gradient, weight = sampler.shuffled((-4.0, -3.0, 3.0, 4.0))[0], float(sampler.shuffled(range(2, 10))[0])
    decay, betas = sampler.shuffled((0.1, 0.2, 0.3, 0.4))[0], tuple(sampler.shuffled((0.5, 0.75)))
    settings = {"lr": sampler.shuffled((0.5, 0.25))[0], "betas": betas, "eps": 1.0, "weight_decay": decay}
    begin, steps = {"w": torch.tensor(weight).double()}, [{"w": torch.tensor(gradient).double()}]
    return OptimizerSteps("by_hand", settings, begin, steps, returns=["w"])


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about a number on paper, four steps, shapes, missing gradients, a schedule, and groups of parameters."""
    yield _on_paper(sampler)
    yield _asked(sampler, "four_steps", {"w": 2 + sampler.tensor(1).squeeze()}, {})
    (rows, more), (width,) = sampler.sizes(2), sampler.widths(1)
    shapes = {"a": sampler.tensor(rows, width), "b": sampler.tensor(width), "c": sampler.tensor(1, more)}
    yield _asked(sampler, "shapes", shapes, {})

    def alike() -> dict[str, Tensor]:
        return {name: sampler.tensor(rows, more) for name in NAMES}

    yield _asked(sampler, "alike", alike(), {}, zero={"b": {2}})
    late, never, often = sampler.shuffled(NAMES)
    yield _asked(sampler, "unused", alike(), {late: {0}, never: set(range(STEPS)), often: {2}})
    yield _asked(sampler, "scheduled", alike(), {}, rates=sampler.shuffled([0.05, 0.1, 0.2, 0.4]))
    yield _asked(sampler, "groups", alike(), {}, groups=2)


def _after(*names: str, steps: int = STEPS) -> dict[str, Value]:
    """Return the setting that compares these parameters after each step."""
    return {"fields": [f"calls/{step}/{name}" for step in range(steps) for name in names]}


CHECKS = (
    Check("first_step", equals_reference, "by_hand", "the first step of one number on paper comes out right", 0.6,
        _after("w", steps=1)),
    Check("four_steps", equals_reference, "four_steps", "four steps with changing gradients come out right", 1.0,
        _after("w")),
    Check("shapes", equals_reference, "shapes", "parameters of different shapes come out right, as with `torch.optim.AdamW`", 0.6,
        _after(*NAMES), also=("alike",)),
    Check("unused", equals_reference, "unused", "a parameter without a gradient comes out right: it stays as it is, and its step isn't counted", 0.8,
        _after(*NAMES)),
    Check("scheduled", equals_reference, "scheduled", "steps with a scheduler come out right: each uses the learning rate that was set for it", 0.4,
        _after(*NAMES)),
    Check("groups", equals_reference, "groups", "several groups of parameters come out right: all of them move", 0.4,
        _after(*NAMES)),
    Check("gradients_unchanged", equals_reference, "four_steps", "the gradients are left as they were", 0.2,
        {"fields": ["gradients"]}, needs="first_step", also=("alike",)),
)  # fmt: skip


UPDATE = '`parameter.mul_(1 - group["lr"] * group["weight_decay"])`, then `parameter.sub_(group["lr"] * m_hat / (v_hat.sqrt() + group["eps"]))`.'


EXERCISE = Outline(
    minutes=25,
    checks=CHECKS,
    hints=(
        "Take one number, 2, with gradient 4, and write down its first two steps: m, v, m̂, v̂, and the number itself.",
        "For each parameter that has a gradient: make its state if it is empty; count the step; update both means; correct copies of them; decay; move. Which line is missing, or changes what the next step needs?",
        f'`m_hat = state["m"] / (1 - beta1 ** state["t"])`, likewise `v_hat`; {UPDATE}',
    ),
    ask=ask,
    write=("step",),
)
