"""Exercise `warmup_schedule`: the learning rate of the Transformer paper."""

from __future__ import annotations

from collections.abc import Iterator

from autograder.exercises.definition import Outline
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Call, Calls, Question, Refusal
from course_lib.checking.rules import equals_reference, refuses
from course_lib.checking.values import Value

RETURNS = ["rate"]


def _call(step: int, d_model: int, warmup_steps: int) -> dict[str, Value]:
    return {"step": step, "d_model": d_model, "warmup_steps": warmup_steps}


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about the first step, before, at and after the peak, any order, other settings, and steps below 1."""
    d_model = sampler.shuffled((9, 16, 25, 36))[0]
    yield Call("by_hand", _call(1, d_model, 4), returns=RETURNS)
    width, warmup = sampler.widths(1)[0] * 8, 10 * sampler.shuffled(range(21, 60))[0]
    early, late = sampler.shuffled(range(2, 200))[0], sampler.shuffled(range(700, 5000))[0]
    rising = [_call(step, width, warmup) for step in (early, warmup - 1)]
    falling = [_call(step, width, warmup) for step in (warmup + 1, late)]
    yield Calls("rising", rising, returns=RETURNS)
    yield Call("peak", _call(warmup, width, warmup), returns=RETURNS)
    yield Calls("falling", falling, returns=RETURNS)
    backwards = [*falling[::-1], *rising[::-1]]
    yield Calls("backwards", backwards, returns=RETURNS)
    none = _call(0, width + 3, warmup)
    yield Refusal("no_step", none)
    yield Refusal("negative", none | {"step": -sampler.shuffled(range(1, 9))[0]})


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "the first step's rate comes out right", 0.3,
        {"fields": RETURNS}),
    Check("rising", equals_reference, "rising", "the rates before step `warmup_steps` are right: they rise in a straight line", 0.4,
        {"fields": ["calls/0/rate", "calls/1/rate"]}),
    Check("peak", equals_reference, "peak", "the rate at step `warmup_steps` is right: (d_model · warmup_steps)^−0.5", 0.4,
        {"fields": RETURNS}),
    Check("falling", equals_reference, "falling", "the rates after step `warmup_steps` are right: they fall with the inverse root of the step", 0.4,
        {"fields": ["calls/0/rate", "calls/1/rate"]}),
    Check("backwards", equals_reference, "backwards", "the rates of steps in another order are right", 0.15,
        {"fields": [f"calls/{call}/rate" for call in range(4)]}),
    Check("refuses", refuses, "no_step", "a step below 1 raises a `ValueError`: steps are counted from 1", 0.35,
        needs="equals_by_hand", also=("negative",)),
)  # fmt: skip


SHOW = "`d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)`."


EXERCISE = Outline(
    minutes=10,
    checks=CHECKS,
    hints=(
        "Work out steps 1, 4 and 16 for `warmup_steps` 4 and `d_model` 16, on paper. Which term is the smaller in each?",
        "Two terms, the smaller of them, and a factor in front of both. First, what is to be refused?",
        SHOW,
    ),
    ask=ask,
)
