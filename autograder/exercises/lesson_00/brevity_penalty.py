"""Exercise `brevity_penalty`: what a corpus of translations loses by being too short."""

from __future__ import annotations

import math
from collections.abc import Iterator

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference
from course_lib.checking.recognisers.lesson_00 import stops_where_nothing_is_said

RETURNS = ["penalty"]


def _pair(hypothesis_length: int, reference_length: int) -> dict[str, int]:
    return {"hypothesis_length": hypothesis_length, "reference_length": reference_length}


def ask(draw: Draw) -> Iterator[Question]:
    """Too short by some and by far; too long, and of equal lengths; nothing at all."""
    short, long, longer = sorted(int(i) for i in draw.shuffled(range(40, 90))[:3])
    by_hand = _pair(int(draw.shuffled((6, 7, 8, 9))[0]), int(draw.shuffled((10, 11, 12, 13))[0]))
    yield Question("by_hand", probes.call, {"arguments": by_hand, "returns": RETURNS})
    shorter = [_pair(long, longer), _pair(short // 4, longer)]
    yield Question("shorter", probes.call_each, {"calls": shorter, "returns": RETURNS})
    yield Question("enough", probes.call_each, {"calls": [_pair(longer, short), _pair(long, long)], "returns": RETURNS})
    few = int(draw.shuffled((2, 3, 4))[0])  # of many, whatever the formula is bent to comes close to 0
    yield Question("empty", probes.call, {"arguments": _pair(0, few), "returns": RETURNS})


LAWS = (
    Law("equals_by_hand", equals_reference, "by_hand", "translations that are a little too short lose what the formula says", 0.3,
        {"fields": RETURNS}),
    Law("equals_shorter", equals_reference, "shorter", "other short translations lose what it says, too, even those that are far too short", 0.3,
        {"fields": ["calls/0/penalty", "calls/1/penalty"]}),
    Law("enough", equals_reference, "enough", "translations that are long enough, or too long, lose nothing: exactly 1", 0.2,
        {"fields": ["calls/0/penalty", "calls/1/penalty"]}, needs="equals_by_hand"),
    Law("empty", equals_reference, "empty", "empty translations lose everything: 0", 0.2,
        {"fields": RETURNS}, needs="equals_by_hand"),
)  # fmt: skip

ENOUGH = "hypothesis_length >= reference_length"
EXPONENT = "1 - reference_length / hypothesis_length"
PENALTY = f"math.exp({EXPONENT})"
NOTHING = "return 0.0  #"

MISTAKES = (
    # the formula
    mistake(
        "exponential_left_out",
        "You return 1 − r/c without the exponential. That is 0 if the lengths are equal, and negative if the translations are shorter.",
        (
            "What does your function return for 9 tokens against 10? Can a factor of a score be negative?",
            "Compare your last line with the formula, symbol by symbol.",
            "`math.exp(1 - r / c)`.",
        ),
        (PENALTY, EXPONENT),
        group="formula",
    ),
    mistake(
        "one_left_out",
        "Your exponent is −r/c, so the 1 is missing. Translations that are only a little too short would lose almost two thirds of their score.",
        (
            "What does your function return for 9 tokens against 10?",
            "As c approaches r, what should the exponent approach?",
            "`math.exp(1 - r / c)`: at c = r it is exp(0) = 1.",
        ),
        (EXPONENT, "-reference_length / hypothesis_length"),
        group="formula",
    ),
    mistake(
        "sign_turned",
        "Your exponent has the wrong sign, so short translations gain instead of losing.",
        (
            "Is the factor that you return for a short translation below 1?",
            "r/c is above 1 here. Which sign does the exponent need?",
            "`math.exp(1 - r / c)`, not `math.exp(r / c - 1)`.",
        ),
        (EXPONENT, "reference_length / hypothesis_length - 1"),
        group="formula",
    ),
    mistake(
        "ratio_turned",
        "You divide c by r instead of r by c. For a short translation the exponent becomes positive, so the translation gains.",
        (
            "Is the factor that you return for a short translation below 1?",
            "Which of the two lengths is the denominator in the formula?",
            "`math.exp(1 - reference_length / hypothesis_length)`.",
        ),
        (EXPONENT, "1 - hypothesis_length / reference_length"),
        group="formula",
    ),
    mistake(
        "plain_ratio",
        "You return the ratio of the lengths, c/r. The brevity penalty is close to it if little is missing, and much smaller if much is.",
        (
            "What does the formula give for half the length, and what do you return?",
            "Where in your code is the exponential?",
            "`math.exp(1 - r / c)`.",
        ),
        (PENALTY, "hypothesis_length / reference_length"),
        group="formula",
    ),
    mistake(
        "difference_of_lengths",
        "You use the *difference* of the lengths. Ten missing tokens are little in a long corpus and much in a short one, which is why the formula has a ratio.",
        (
            "Double both lengths. Should the penalty change?",
            "What happens to r and c in the formula, before the exponential?",
            "`math.exp(1 - r / c)`.",
        ),
        (EXPONENT, "hypothesis_length - reference_length"),
        group="formula",
    ),
    mistake(
        "in_percent",
        "You return a percentage. The penalty is a factor between 0 and 1.",
        (
            "What does your function return for 9 tokens against 10?",
            "BLEU becomes a percentage only once, at the end.",
            "Leave out the 100.",
        ),
        (PENALTY, f"100 * {PENALTY}"),
        ("return 1.0", "return 100.0"),
        group="formula",
    ),
    # when it applies
    mistake(
        "applied_to_the_long",
        "Your comparison is inverted: short translations lose nothing, and long ones get a factor above 1.",
        (
            "What does your function return for 9 tokens against 10, and what for 10 against 9?",
            "In which case should it be 1?",
            "`if hypothesis_length >= reference_length: return 1.0`.",
        ),
        (ENOUGH, "hypothesis_length <= reference_length"),
        group=ALONE,
    ),
    mistake(
        "lengths_exchanged",
        "You have swapped the two lengths: the formula is right, but it penalises translations that are too *long*.",
        (
            "What does your function return for 9 tokens against 10, and what for 10 against 9?",
            "Which of your parameters is c, the length of the translations?",
            "The first parameter is c. If it is smaller than r, the penalty is `math.exp(1 - reference_length / hypothesis_length)`.",
        ),
        (ENOUGH, "hypothesis_length <= reference_length"),
        ("hypothesis_length == 0", "reference_length == 0"),
        (EXPONENT, "1 - hypothesis_length / reference_length"),
        group=ALONE,
    ),
    mistake(
        "cases_exchanged",
        "You have swapped the two cases: short translations lose nothing, and long ones do.",
        (
            "What does a translation of 6 tokens get if the reference has 10?",
            "Which of your two cases does the condition choose if c < r?",
            "1 if c ≥ r, and `math.exp(1 - r / c)` if c < r.",
        ),
        (ENOUGH, "0 < hypothesis_length <= reference_length"),
        group=ALONE,
    ),
    mistake(
        "long_ones_lose_as_much",
        "You always divide the longer length by the shorter one, so long translations are penalised like short ones. They have lost precision already.",
        (
            "What does a translation get if it has twice as many tokens as the reference?",
            "Can your ratio tell which of the two lengths is the translation's?",
            "`math.exp(1 - r / c)` only if c < r, otherwise 1.",
        ),
        (ENOUGH, "hypothesis_length == reference_length"),
        (EXPONENT, "1 - max(hypothesis_length, reference_length) / min(hypothesis_length, reference_length)"),
        group=ALONE,
    ),
    mistake(
        "whole_number_division",
        "You divide with `//`, which drops the fraction, so every translation longer than half of the reference loses nothing.",
        (
            "What is `10 // 6`, and what is `10 / 6`?",
            "Which division does the formula ask for?",
            "`math.exp(1 - r / c)`, with a single slash.",
        ),
        (EXPONENT, "1 - reference_length // hypothesis_length"),
        group="formula",
    ),
    mistake(
        "power_of_two",
        "You use a power of 2 where the formula has a power of e, so short translations lose too little.",
        (
            "For c = 5 and r = 10 the formula says exp(−1), about 0.37. What does yours say?",
            "What is the base of `exp`?",
            "`math.exp(1 - r / c)`.",
        ),
        (PENALTY, "2 ** (1 - reference_length / hypothesis_length)"),
        group="formula",
    ),
    mistake(
        "logarithm_returned",
        "You return the logarithm of the penalty, which is 0 for long translations and negative for short ones. BLEU multiplies by the penalty itself.",
        (
            "What do you return for a translation of the right length? Which factor leaves a product unchanged?",
            "1 − r / c is the exponent. What do you still have to do with it?",
            "`math.exp(1 - r / c)`, and 1.0 if c ≥ r.",
        ),
        ("return 1.0", "return 0.0"),
        (PENALTY, EXPONENT),
        group=ALONE,
    ),
    mistake(
        "long_ones_gain",
        "You apply the formula to every length, so long translations get a factor above 1 and gain by it.",
        (
            "What does your function return for 20 tokens against 10?",
            "The formula has two cases. Where is the second one in your code?",
            "`min(1.0, …)`, or `if hypothesis_length >= reference_length: return 1.0`.",
        ),
        (ENOUGH, "hypothesis_length == reference_length"),
        group="cases",
    ),
    mistake(
        "long_ones_lose_too",
        "You penalise long translations, too. They have lost precision already, since their superfluous n-grams match nothing.",
        (
            "What does your function return for 20 tokens against 10?",
            "Look for an absolute value, or for a formula that treats both lengths the same way.",
            "`if hypothesis_length >= reference_length: return 1.0`.",
        ),
        (ENOUGH, "hypothesis_length == reference_length"),
        (EXPONENT, "-abs(1 - reference_length / hypothesis_length)"),
        group=ALONE,
    ),
    # nothing at all
    mistake(
        "nothing_is_enough",
        "In your version, a corpus of empty translations loses nothing: the factor is 1. It should be 0.",
        (
            "What does your function return for 0 tokens against 10?",
            "The shorter the translations, the smaller the factor. What does it approach as c goes to 0?",
            "`if hypothesis_length == 0: return 0.0`, if the reference is longer.",
        ),
        (NOTHING, "return 1.0  #"),
        group="empty",
    ),
    mistake(
        "divided_by_at_least_one",
        "For empty translations you divide by 1 instead of 0. They get exp(1 − r), which is close to 0 only for long references. It should always be 0.",
        (
            "What does your function return for 0 tokens against 2?",
            "If c is 0, what do you divide by? What does exp(1 − r / c) approach as c goes to 0?",
            "`if hypothesis_length == 0: return 0.0`, where the reference is longer.",
        ),
        (NOTHING, "return math.exp(1 - reference_length)  #"),
        group="empty",
    ),
    mistake(
        "stops_at_nothing",
        "Your formula is right, but if all translations are empty, it raises an error, because r is divided by 0.",
        (
            "What does your function do for 0 tokens against 10?",
            "Before you divide, check whether you can. What does the factor approach as c goes to 0?",
            "`if hypothesis_length == 0: return 0.0`.",
        ),
        (NOTHING, "pass  #"),
        recogniser=stops_where_nothing_is_said,
        group=ALONE,
    ),
)  # fmt: skip


def smaller_of_two(hypothesis_length, reference_length):
    if not hypothesis_length:
        return 0.0
    return min(1.0, math.exp(1.0 - reference_length / hypothesis_length))


def e_to_the(hypothesis_length, reference_length):
    c, r = hypothesis_length, reference_length
    if c > r:
        return 1.0
    return math.e ** (1 - r / c) if c else 0.0


def through_numpy(hypothesis_length, reference_length):
    import numpy as np

    with np.errstate(divide="ignore"):
        return np.exp(np.minimum(0.0, 1 - np.divide(float(reference_length), float(hypothesis_length))))


def through_torch(hypothesis_length, reference_length):
    import torch

    lengths = torch.tensor([hypothesis_length, reference_length], dtype=torch.float64)
    return (1 - lengths[1] / lengths[0]).clamp(max=0).exp().item()


def caught(hypothesis_length, reference_length):
    try:
        missing = max(0, reference_length - hypothesis_length) / hypothesis_length
    except ZeroDivisionError:
        return 0.0
    return math.exp(-missing)


def stub(hypothesis_length, reference_length):
    raise NotImplementedError


def one(hypothesis_length, reference_length):
    return 1.0


def zero(hypothesis_length, reference_length):
    return 0.0


def is_long_enough(hypothesis_length, reference_length):
    return float(hypothesis_length >= reference_length)


BREVITY_PENALTY = define(
    id="brevity_penalty",
    lesson="00_the_task",
    place=3,
    module="course_lib.components.brevity_penalty",
    symbol="brevity_penalty",
    minutes=5,
    laws=LAWS,
    hints=(
        "Take c = 5 and r = 10, then 10 and 10, then 10 and 5. In which of the three does the exponential apply?",
        "There are three cases: long enough, nothing at all, and the formula for everything between.",
        "`1.0` if c ≥ r, `0.0` if c is 0, and otherwise `math.exp(1 - r / c)`.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(smaller_of_two, e_to_the, through_numpy, through_torch, caught),
    lazy=(stub, one, zero, is_long_enough),
    switches=("formula", "cases"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


@BREVITY_PENALTY.second_version("plain_ratio")
def smaller_of_ratio_and_one(hypothesis_length, reference_length):
    return min(1.0, hypothesis_length / reference_length)


@BREVITY_PENALTY.second_version("exponential_left_out")
def linear(hypothesis_length, reference_length):
    if hypothesis_length >= reference_length:
        return 1.0
    return (hypothesis_length - reference_length) / hypothesis_length if hypothesis_length else 0.0


@BREVITY_PENALTY.second_version("lengths_exchanged")
def by_other_names(reference_length, hypothesis_length):
    if not hypothesis_length:
        return 0.0
    return min(1.0, math.exp(1 - reference_length / hypothesis_length))


@BREVITY_PENALTY.second_version("long_ones_gain")
def without_a_case(hypothesis_length, reference_length):
    return math.exp(1 - reference_length / hypothesis_length) if hypothesis_length else 0.0


@BREVITY_PENALTY.second_version("long_ones_lose_too")
def distance_of_the_ratio(hypothesis_length, reference_length):
    if hypothesis_length == 0:
        return 0.0
    return 1 / math.exp(abs(reference_length - hypothesis_length) / hypothesis_length)


@BREVITY_PENALTY.second_version("stops_at_nothing")
def a_minimum(hypothesis_length, reference_length):
    return math.exp(min(0, 1 - reference_length / hypothesis_length))


@BREVITY_PENALTY.second_version("in_percent")
def a_hundred_times(hypothesis_length, reference_length):
    if hypothesis_length == 0:
        return 0.0
    return 100 * min(1, math.exp(1 - reference_length / hypothesis_length))


@BREVITY_PENALTY.second_version("cases_exchanged")
def long_ones_first(hypothesis_length, reference_length):
    if not hypothesis_length:
        return float(not reference_length)
    too_long = hypothesis_length > reference_length
    return math.exp((hypothesis_length - reference_length) / hypothesis_length) if too_long else 1.0


@BREVITY_PENALTY.second_version("long_ones_lose_as_much")
def both_ways_alike(hypothesis_length, reference_length):
    less, more = sorted([hypothesis_length, reference_length])
    return math.exp((less - more) / less) if less else 0.0


@BREVITY_PENALTY.second_version("whole_number_division")
def times_as_long(hypothesis_length, reference_length):
    if hypothesis_length == 0:
        return 0.0
    return min(1.0, math.e ** (1 - int(reference_length / hypothesis_length)))


@BREVITY_PENALTY.second_version("power_of_two")
def halved(hypothesis_length, reference_length):
    if hypothesis_length == 0:
        return 0.0
    return min(1.0, math.exp2((hypothesis_length - reference_length) / hypothesis_length))


@BREVITY_PENALTY.second_version("logarithm_returned")
def to_be_added(hypothesis_length, reference_length):
    if hypothesis_length == 0:
        return 0.0
    return min(0.0, (hypothesis_length - reference_length) / hypothesis_length)
