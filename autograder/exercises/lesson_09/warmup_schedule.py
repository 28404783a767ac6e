"""Exercise `warmup_schedule`: the learning rate of the Transformer's paper."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, refuses
from course_lib.checking.recognisers.lesson_09 import divides_by_step_0, negative_steps_pass, step_0_gets_a_number
from course_lib.checking.values import Value

RETURNS = ["rate"]


def _call(step: int, d_model: int, warmup_steps: int) -> dict[str, Value]:
    return {"step": step, "d_model": d_model, "warmup_steps": warmup_steps}


def ask(draw: Draw) -> Iterator[Question]:
    """The first step; rising, at the peak and falling; a late step before an early one; other widths and other warm-ups; no step at all, and a negative one."""
    d_model = draw.shuffled((9, 16, 25, 36))[0]
    yield Question("by_hand", probes.call, {"arguments": _call(1, d_model, 4), "returns": RETURNS})
    width, warmup = draw.widths(1)[0] * 8, 10 * draw.shuffled(range(21, 60))[0]
    early, late = draw.shuffled(range(2, 200))[0], draw.shuffled(range(700, 5000))[0]
    rising = [_call(step, width, warmup) for step in (early, warmup - 1)]
    falling = [_call(step, width, warmup) for step in (warmup + 1, late)]
    yield Question("rising", probes.call_each, {"calls": rising, "returns": RETURNS})
    yield Question("peak", probes.call, {"arguments": _call(warmup, width, warmup), "returns": RETURNS})
    yield Question("falling", probes.call_each, {"calls": falling, "returns": RETURNS})
    backwards = [*falling[::-1], *rising[::-1]]
    yield Question("backwards", probes.call_each, {"calls": backwards, "returns": RETURNS})
    none = _call(0, width + 3, warmup)
    yield Question("no_step", probes.refuse, {"arguments": none})
    yield Question("negative", probes.refuse, {"arguments": none | {"step": -draw.shuffled(range(1, 9))[0]}})


LAWS = (
    Law("equals_by_hand", equals_reference, "by_hand", "the first step's rate comes out right", 0.5,
        {"fields": RETURNS}),
    Law("rising", equals_reference, "rising", "the rate rises in a straight line", 0.6,
        {"fields": ["calls/0/rate", "calls/1/rate"]}),
    Law("peak", equals_reference, "peak", "at step `warmup_steps` it is (d_model · warmup_steps)^−0.5", 0.6,
        {"fields": RETURNS}),
    Law("falling", equals_reference, "falling", "from there it falls with the inverse root of the step", 0.6,
        {"fields": ["calls/0/rate", "calls/1/rate"]}),
    Law("backwards", equals_reference, "backwards", "a step's rate is the same whatever was asked before", 0.2,
        {"fields": [f"calls/{call}/rate" for call in range(4)]}),
    Law("refuses", refuses, "no_step", "a step below 1 raises a `ValueError`: steps are counted from 1", 0.5,
        needs="equals_by_hand", also=("negative",)),
)  # fmt: skip

CHECK = """    if step < 1:
        raise ValueError(f"steps are counted from 1, and this one is {step}")
"""
RISING = "step * warmup_steps**-1.5"
FALLING = "step**-0.5"
WIDTH = "d_model**-0.5 * "
RATE = "d_model**-0.5 * min(rising, falling)"
SHOW = "`d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)`."

MISTAKES = (
    # which of the two
    mistake(
        "larger_of_the_two",
        "You take the larger of the two terms, where the smaller is asked for: your rate is huge at the first step, and grows without end.",
        (
            "What is your rate at step 1, and at step 10,000? Where should it be greatest?",
            "At step 1, which of the two terms is the smaller one?",
            SHOW,
        ),
        ("min(rising, falling)", "max(rising, falling)"),
        group="choice",
    ),
    mistake(
        "never_rises",
        "There is no warm-up in it: your rate falls from the first step on.",
        (
            "What is your rate at step 1, and what at step `warmup_steps`? Which should be greater?",
            "The formula has two terms. Which of them do you use?",
            SHOW,
        ),
        ("min(rising, falling)", "falling"),
        group="choice",
    ),
    mistake(
        "never_falls",
        "Your rate rises for ever: it does not fall after `warmup_steps`.",
        (
            "What is your rate at step 10,000? Where should it be greatest?",
            "The formula has two terms. Which of them do you use?",
            SHOW,
        ),
        ("min(rising, falling)", "rising"),
        group="choice",
    ),
    mistake(
        "stays_at_its_peak",
        "Your rate rises, and then stays where it is. It should fall with the inverse root of the step.",
        (
            "What is your rate at step 4 · warmup_steps? It should be half of the peak.",
            "What does your second term do as the step grows?",
            SHOW,
        ),
        (FALLING, "warmup_steps**-0.5"),
        group="falling",
    ),
    mistake(
        "summed",
        "You add the two terms, where the smaller one is asked for.",
        (
            "At step `warmup_steps` the two terms are equal. What is your rate there, and what should it be?",
            "Which operation stands between the two terms in the formula?",
            SHOW,
        ),
        ("min(rising, falling)", "(rising + falling)"),
        group="choice",
    ),
    # the exponents
    mistake(
        "warmup_to_the_minus_half",
        "In the rising term, `warmup_steps` has the exponent −0.5; it should be −1.5. So the two terms meet at the cube root of `warmup_steps`, not at `warmup_steps` itself: the warm-up is over almost at once, and the rate far too high.",
        (
            "At which step are your two terms equal? They should be at `warmup_steps`.",
            "Set step = warmup_steps in both terms. Which exponent makes them equal?",
            SHOW,
        ),
        (RISING, "step * warmup_steps**-0.5"),
        group="rising",
    ),
    mistake(
        "rises_to_one",
        "Your rising term is step / warmup_steps: it ends at 1, where the falling term begins at warmup_steps^−0.5. The two do not meet at `warmup_steps`.",
        (
            "At which step are your two terms equal? They should be at `warmup_steps`.",
            "Set step = warmup_steps in both terms. Which exponent makes them equal?",
            SHOW,
        ),
        (RISING, "step / warmup_steps"),
        group="rising",
    ),
    mistake(
        "falls_with_the_step",
        "Your rate falls with 1/step; it should fall with 1/√step. The two terms no longer meet at `warmup_steps`.",
        (
            "What is your rate at step 4 · warmup_steps? It should be half of the peak.",
            "Look at the exponent of `step` in the falling term.",
            SHOW,
        ),
        (FALLING, "step**-1.0"),
        group="falling",
    ),
    mistake(
        "falls_late",
        "Your falling term counts the steps from the end of the warm-up. In the formula it is the step itself, counted from the beginning.",
        (
            "What is your rate one step after the peak? It should be a little below it.",
            "Which number do you take the root of?",
            SHOW,
        ),
        (FALLING, "max(step - warmup_steps, 1) ** -0.5"),
        group="falling",
    ),
    mistake(
        "falls_from_the_peak_with_the_step",
        "After the peak your rate falls with 1/step; it should fall with 1/√step.",
        (
            "What is your rate at step 4 · warmup_steps? It should be half of the peak.",
            "What do you multiply the peak by after the warm-up?",
            SHOW,
        ),
        (FALLING, "warmup_steps**0.5 / step"),
        group="falling",
    ),
    mistake(
        "power_of_the_product",
        "In the rising term you take the power of the product, (step · warmup_steps)^−1.5: the exponent belongs to `warmup_steps` alone.",
        (
            "Does your rate rise between step 1 and step 2?",
            "Where does your bracket close, before the exponent or behind it?",
            SHOW,
        ),
        (RISING, "(step * warmup_steps) ** -1.5"),
        group="choice",  # the larger of the two is then always the falling one
    ),
    # the width
    mistake(
        "width_left_out",
        "The factor d_model^−0.5 is missing: wide models learn at the same rate as narrow ones.",
        (
            "Double `d_model`. Does your rate change?",
            "Compare your formula with the one in the docstring, factor by factor.",
            SHOW,
        ),
        (WIDTH, ""),
        group="width",
    ),
    mistake(
        "wider_is_faster",
        "You multiply by √d_model, where you should divide by it: wider models get higher rates.",
        (
            "Double `d_model`. Does your rate rise or fall?",
            "Look at the sign of the width's exponent.",
            SHOW,
        ),
        (WIDTH, "d_model**0.5 * "),
        group="width",
    ),
    mistake(
        "divided_by_the_width",
        "You divide by d_model, where its square root is asked for.",
        (
            "Make `d_model` four times as large. Your rate should be half of what it was.",
            "Look at the width's exponent.",
            SHOW,
        ),
        (WIDTH, "d_model**-1.0 * "),
        group="width",
    ),
    mistake(
        "width_in_one_term",
        "The width's factor stands before one of the two terms only. It belongs to both.",
        (
            "Double `d_model`. Does your rate change by the same factor at step 1 and at step 10,000?",
            "Where do your brackets open, before `min` or inside it?",
            SHOW,
        ),
        (RATE, "min(d_model**-0.5 * rising, falling)"),
        group=ALONE,
    ),
    mistake(
        "width_and_warmup_swapped",
        "`d_model` and `warmup_steps` have changed places in your formula.",
        (
            "At which step is your rate greatest? It should be at `warmup_steps`.",
            "Which of the two stands in the rising term, and which in front of both?",
            SHOW,
        ),
        (RISING, "step * d_model**-1.5"),
        (RATE, "warmup_steps**-0.5 * min(rising, falling)"),
        group="swap",
    ),
    mistake(
        "peak_of_one",
        "Your rate is a share of its peak: it rises to 1. The formula gives the rate itself, (d_model · warmup_steps)^−0.5 at the peak.",
        (
            "What is your rate at step `warmup_steps`?",
            "Does `d_model` come into your formula?",
            SHOW,
        ),
        (RATE, "warmup_steps**0.5 * min(rising, falling)"),
        group=ALONE,
    ),
    # counting
    mistake(
        "counted_from_0",
        "You add 1 to the step, as if steps were counted from 0. Here the first step is 1: your peak comes one step early.",
        (
            "At which step is your rate greatest? It should be at `warmup_steps`.",
            "What does the docstring say of the first step?",
            "Use `step` as it comes; who counts from 0 calls `warmup_schedule(step + 1, ...)`.",
        ),
        (RATE, "d_model**-0.5 * min((step + 1) * warmup_steps**-1.5, (step + 1) ** -0.5)"),
        group="count",
    ),
    mistake(
        "first_step_is_0",
        "Your steps begin with 0: you add 1 to each, and step 0 gets a rate. Here the first step is 1, and a `ValueError` is asked for below it.",
        (
            "What does your function return for step 0, and at which step is your rate greatest?",
            "What does the docstring say of the first step?",
            "Use `step` as it comes, and raise a `ValueError` where it is less than 1.",
        ),
        (CHECK, CHECK.replace("step < 1", "step < 0") + "    step += 1\n"),
        group=ALONE,
    ),
    mistake(
        "one_step_late",
        "You subtract 1 from the step: the first step has the rate 0, and moves nothing.",
        (
            "What is your rate at step 1?",
            "What does the docstring say of the first step?",
            "Use `step` as it comes.",
        ),
        (RATE, "d_model**-0.5 * min((step - 1) * warmup_steps**-1.5, max(step - 1, 1) ** -0.5)"),
        group=ALONE,
    ),
    mistake(
        "step_0_divides_by_0",
        "Step 0 ends in 0 to the power of −0.5, a `ZeroDivisionError` that tells nobody what is wrong. A `ValueError` with a sentence is asked for.",
        (
            "What does your function say to step 0?",
            "Is there a test of `step` before the formula?",
            '`if step < 1: raise ValueError("steps are counted from 1")`.',
        ),
        (CHECK, ""),
        group="refuse",
        recogniser=divides_by_step_0,
    ),
    mistake(
        "step_0_taken_for_1",
        "You take step 0 for step 1 without a word, or give it a rate. Somebody who counts from 0 never hears of it. A `ValueError` is asked for.",
        (
            "What does your function return for step 0?",
            "Is there a test of `step` before the formula?",
            '`if step < 1: raise ValueError("steps are counted from 1")`.',
        ),
        (CHECK, "    step = max(step, 1)\n"),
        group="refuse",
        recogniser=step_0_gets_a_number,
    ),
    mistake(
        "refused_by_assert",
        "You refuse step 0 with an `assert`. That is a note to yourself, which `python -O` leaves out, and it raises an `AssertionError`. A `ValueError` is asked for.",
        (
            "Which type has the error that your function raises for step 0?",
            "Is your test an `assert` or an `if`?",
            '`if step < 1: raise ValueError("steps are counted from 1")`.',
        ),
        (CHECK, "    assert step >= 1\n"),
        group="refuse",
    ),
    mistake(
        "negative_steps_not_refused",
        "You refuse step 0, and no step below it: a negative step should raise the same `ValueError`.",
        (
            "What does your function say to step −1?",
            "Which steps does your test catch?",
            '`if step < 1: raise ValueError("steps are counted from 1")`.',
        ),
        (CHECK, CHECK.replace("step < 1", "step == 0")),
        group="refuse",
        recogniser=negative_steps_pass,
    ),
    mistake(
        "counted_anew_after_the_warmup",
        "Once the warm-up is over, you count the steps anew from its end: the rate jumps up at the first step after `warmup_steps`, where it should begin to fall from its peak.",
        (
            "What is your rate at step `warmup_steps`, and what is it one step later?",
            "The two terms of the formula are equal at `warmup_steps`. Which step must the falling one be given for that?",
            SHOW,
        ),
        (RATE, "d_model**-0.5 * (rising if step <= warmup_steps else (step - warmup_steps) ** -0.5)"),
        group="choice",
    ),
    mistake(
        "peak_falls_from_the_end_of_the_warmup",
        "After the peak you multiply it by 1 / √(steps since the warm-up), counted from its end, so your rate falls much too fast. The root in the formula is of the step itself, counted from the beginning.",
        (
            "What is your rate at step 4 · warmup_steps? It should be half of the peak.",
            "Which number do you take the root of after the warm-up: the step, or the steps since then?",
            SHOW,
        ),
        (FALLING, "(warmup_steps * max(step - warmup_steps + 1, 1)) ** -0.5"),
        group="falling",
    ),
)  # fmt: skip


def in_one_line(step, d_model, warmup_steps):
    if step < 1:
        raise ValueError("the first step is 1")
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)


def as_a_share_of_the_peak(step, d_model, warmup_steps):
    if step <= 0:
        raise ValueError(f"no step {step}")
    peak = 1 / math.sqrt(d_model * warmup_steps)
    if step <= warmup_steps:
        return peak * step / warmup_steps
    return peak * math.sqrt(warmup_steps / step)


def through_logarithms(step, d_model, warmup_steps):
    if not step >= 1:
        raise ValueError("count from 1")
    terms = (-0.5 * math.log(step), math.log(step) - 1.5 * math.log(warmup_steps))
    return math.exp(min(terms) - 0.5 * math.log(d_model))


def through_numpy(step, d_model, warmup_steps):
    if step < 1:
        raise ValueError("count from 1")
    both = np.array([1 / np.sqrt(step), step / warmup_steps**1.5])
    return float(both.min() / np.sqrt(d_model))


def sorted_terms(step, d_model, warmup_steps):
    if int(step) < 1:
        raise ValueError("count from 1")
    smaller, _ = sorted([pow(step, -0.5), step * pow(warmup_steps, -1.5)])
    return pow(d_model, -0.5) * smaller


def stub(step, d_model, warmup_steps):
    raise NotImplementedError


def zero(step, d_model, warmup_steps):
    return 0.0


def constant(step, d_model, warmup_steps):
    return 1e-3


def the_step(step, d_model, warmup_steps):
    return float(step)


WARMUP_SCHEDULE = define(
    id="warmup_schedule",
    lesson="09_training",
    place=2,
    module="course_lib.components.warmup_schedule",
    symbol="warmup_schedule",
    minutes=10,
    laws=LAWS,
    hints=(
        "Work out steps 1, 4 and 16 for `warmup_steps` 4 and `d_model` 16, on paper. Which term is the smaller in each?",
        "Two terms, the smaller of them, and a factor in front of both. First, what is to be refused?",
        SHOW,
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(in_one_line, as_a_share_of_the_peak, through_logarithms, through_numpy, sorted_terms),
    lazy=(stub, zero, constant, the_step),
    switches=("rising", "falling", "width", "choice", "count", "swap", "refuse"),
)


# the mistakes again, in another style: each must get the same name


@WARMUP_SCHEDULE.second_version("larger_of_the_two")
def sorted_the_wrong_way(step, d_model, warmup_steps):
    if step < 1:
        raise ValueError("count from 1")
    return sorted([step**-0.5, step * warmup_steps**-1.5])[-1] / math.sqrt(d_model)


@WARMUP_SCHEDULE.second_version("never_rises")
def only_the_root(step, d_model, warmup_steps):
    if step < 1:
        raise ValueError("count from 1")
    return 1 / math.sqrt(d_model * step)


@WARMUP_SCHEDULE.second_version("stays_at_its_peak")
def a_ramp(step, d_model, warmup_steps):
    if step < 1:
        raise ValueError("count from 1")
    return (d_model * warmup_steps) ** -0.5 * min(1.0, step / warmup_steps)


@WARMUP_SCHEDULE.second_version("width_left_out")
def without_width(step, d_model, warmup_steps):
    if step < 1:
        raise ValueError("count from 1")
    return 1 / math.sqrt(step) if step > warmup_steps else step / warmup_steps**1.5


@WARMUP_SCHEDULE.second_version("peak_of_one")
def a_share(step, d_model, warmup_steps):
    if step < 1:
        raise ValueError("count from 1")
    return step / warmup_steps if step < warmup_steps else math.sqrt(warmup_steps / step)


@WARMUP_SCHEDULE.second_version("counted_from_0")
def one_later(step, d_model, warmup_steps):
    if step < 1:
        raise ValueError("count from 1")
    step += 1
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)


@WARMUP_SCHEDULE.second_version("step_0_divides_by_0")
def no_test(step, d_model, warmup_steps):
    return min(1 / math.sqrt(step), step / warmup_steps**1.5) / math.sqrt(d_model)


@WARMUP_SCHEDULE.second_version("step_0_taken_for_1")
def special_case(step, d_model, warmup_steps):
    if step == 0:
        step = 1
    return d_model ** (-0.5) * min(step ** (-0.5), step * warmup_steps ** (-1.5))


def scheduled(lowest=1, error=ValueError, shift=0, rising=lambda s, w: s * w**-1.5, falling=lambda s, w: s**-0.5):
    """The learning rate in two branches, one thing changed."""

    def schedule(step, d_model, warmup_steps):
        if step < lowest:
            raise error("no such step")
        step += shift
        return min(rising(step, warmup_steps), falling(step, warmup_steps)) / d_model**0.5

    return schedule


WARMUP_SCHEDULE.second_version("falls_from_the_peak_with_the_step")(scheduled(falling=lambda s, w: w / s / w**0.5))
WARMUP_SCHEDULE.second_version("power_of_the_product")(scheduled(rising=lambda s, w: 1 / (s * w) ** 1.5))
WARMUP_SCHEDULE.second_version("first_step_is_0")(scheduled(lowest=0, shift=1))
WARMUP_SCHEDULE.second_version("refused_by_assert")(scheduled(error=AssertionError))


@WARMUP_SCHEDULE.second_version("negative_steps_not_refused")
def zero_is_falsy(step, d_model, warmup_steps):
    if not step:
        raise ValueError("step 0")
    return min(abs(step) ** -0.5, step / warmup_steps**1.5) / d_model**0.5


@WARMUP_SCHEDULE.second_version("counted_anew_after_the_warmup")
def steps_since_the_peak(step, d_model, warmup_steps):
    if step < 1:
        raise ValueError("count from 1")
    since = step - warmup_steps
    return 1 / math.sqrt(d_model * since) if since > 0 else step / math.sqrt(d_model * warmup_steps**3)


@WARMUP_SCHEDULE.second_version("peak_falls_from_the_end_of_the_warmup")
def counted_anew(step, d_model, warmup_steps):
    if step < 1:
        raise ValueError("steps are counted from 1")
    rate = 1 / math.sqrt(d_model * warmup_steps)
    since = step - warmup_steps
    return rate * step / warmup_steps if since < 0 else rate / math.sqrt(1 + since)
