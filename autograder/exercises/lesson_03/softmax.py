"""Exercise `softmax`: the lesson's first, in NumPy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, inputs_unchanged, keeps_dtype, sums_to_one


def _question(name: str, *arguments: Any) -> Question:
    given = dict(zip(("scores", "axis"), arguments, strict=False))
    return Question(name, probes.call, {"arguments": given, "returns": ["weights"]})


def ask(draw: Draw) -> Iterator[Question]:
    """Plain rows, another axis, numbers too large for ``exp``, masked scores; and squares, to name what crashes."""
    a, b, c = draw.sizes(3)
    (d,) = draw.widths(1)
    yield _question("by_hand", np.array([[0.0, 1.0, 2.0], [3.0, 1.0, 1.0]]) + np.round(draw.array(1, 3, scale=0.2), 1))
    yield _question("plain", draw.array(a, b, c))
    yield _question("other_axis", draw.array(d, b, c), 1)
    far = np.where(np.arange(a)[:, None] % 2 == 0, 10_000.0, -10_000.0)
    yield _question("huge", draw.array(a, b) + far)
    blocked = draw.array(b, d)
    blocked[:, 1] = blocked[0, 2] = -np.inf
    yield _question("minus_infinity", blocked)
    wide = draw.array(2, 3)  # one score far above the others of its row, by less than exp can bear, and by more
    wide[0, 0], wide[1, 0] = 950.0, 10_000.0
    yield _question("wide", wide)
    low = draw.array(b, d) - 3e9
    low[:, 2] = low[0, 1] = -np.inf
    yield _question("low", low)
    yield _question("square", draw.array(d, d))
    yield _question("row", draw.array(c))


LAWS = (
    Law("equals_by_hand", equals_reference, "by_hand", "two rows of three scores come out right", 0.5,
        {"fields": ["weights"]}),
    Law("equals_plain", equals_reference, "plain", "an array of three dimensions comes out right", 0.5,
        {"fields": ["weights"]}, also=("square", "row")),
    Law("rows_sum_to_one", sums_to_one, "plain", "the weights of each row sum to 1", 0.25,
        {"field": "weights"}, needs="equals_plain"),
    Law("other_axis", equals_reference, "other_axis", "`axis=1` works too", 0.5, {"fields": ["weights"]}),
    Law("stable", equals_reference, "huge", "scores of ±10,000 give the right weights, not nan", 0.75,
        {"fields": ["weights"]}, also=("wide",)),
    Law("minus_infinity", equals_reference, "minus_infinity", "a score of −∞ gets the weight 0, however low the others are", 0.25,
        {"fields": ["weights"]}, also=("low",)),
    Law("inputs_unchanged", inputs_unchanged, "plain", "your input is left as it was", 0.15, needs="equals_plain"),
    Law("keeps_dtype", keeps_dtype, "plain", "float64 in, float64 out", 0.1, {"fields": ["weights"]}, needs="equals_plain"),
)  # fmt: skip

MAX = "scores.max(axis=axis, keepdims=True)"
SUM = "exponentials.sum(axis=axis, keepdims=True)"


def no_exponential(scores, axis=-1):
    return scores / scores.sum(axis=axis, keepdims=True)


def hard_maximum(scores, axis=-1):
    return (scores == scores.max(axis=axis, keepdims=True)).astype(float)


def sigmoid(scores, axis=-1):
    return 1.0 / (1.0 + np.exp(-scores))


MISTAKES = (
    mistake(
        "no_max_subtraction",
        "You exponentiate the scores unshifted, and exp overflows: above about 709 it is infinity, and ∞ / ∞ is nan.",
        (
            "What is `np.exp(1000)`? And what is that divided by itself?",
            "Adding one constant to all scores of a row leaves the weights as they are. Which constant makes exp safe?",
            "Subtract each row's largest score before `np.exp`: the largest exponent is then exp(0) = 1.",
        ),
        (f"scores - {MAX}", "scores"),
        group="shift",
    ),
    mistake(
        "max_of_everything",
        "You subtract the largest score of the whole array. A row far below it underflows: every exp is 0, and 0 / 0 is nan.",
        (
            "Think of two rows, one around +10,000 and one around −10,000. What is left of the second after your shift?",
            "Each row may have a constant of its own. Which axis must the maximum run along?",
            "Take the maximum along `axis`, and keep that axis with `keepdims=True`, so that each row gets its own.",
        ),
        (MAX, "scores.max()"),
        group="shift",
    ),
    mistake(
        "minimum_subtracted",
        "You subtract the smallest score. The largest exponent is then the difference between the row's extremes, which can still overflow.",
        (
            "After your shift, which numbers does `np.exp` see: all below 0, or all above?",
            "exp is safe on negative numbers. Which score must become 0, so that no other lies above it?",
            "Subtract the largest score of the row, not the smallest.",
        ),
        (MAX, "scores.min(axis=axis, keepdims=True)"),
        group="shift",
    ),
    mistake(
        "sum_of_everything",
        "You divide by the sum over the whole array: all weights together sum to 1, not those of each row.",
        (
            "Add up the weights of one row. Then add up all of them.",
            "Which axis should the sum in the denominator run along?",
            "Sum along `axis` with `keepdims=True`, so that each row is divided by its own sum.",
        ),
        (SUM, "exponentials.sum()"),
        group="sum",
    ),
    mistake(
        "keepdims_missing",
        "You sum without `keepdims`, so the row sums lie along the wrong axis when you divide: "
        "each number is divided by another row's sum, or the shapes do not fit at all.",
        (
            "What is the shape of `exponentials.sum(axis=axis)`, and how does NumPy line it up with `exponentials`?",
            "NumPy aligns shapes from the right. A vector of row sums is read as a row.",
            "Keep the summed axis: `sum(axis=axis, keepdims=True)`.",
        ),
        (SUM, "exponentials.sum(axis=axis)"),
        group="sum",
    ),
    mistake(
        "axis_ignored",
        "You always work along the last axis, whatever `axis` says.",
        (
            "Call your function with `axis=0` on a matrix. Which way do the weights sum to 1?",
            "`axis` is a parameter. Where in your code does it appear?",
            "Use `axis=axis`, not `axis=-1`, in the maximum and in the sum.",
        ),
        (MAX, "scores.max(axis=-1, keepdims=True)"),
        (SUM, "exponentials.sum(axis=-1, keepdims=True)"),
        group="sum",
    ),
    mistake(
        "down_the_columns",
        "You always work along axis 0: your weights sum to 1 down the columns, where each row should.",
        (
            "Add up your weights along a row, then down a column. Which is 1?",
            "Without an argument, `axis` is −1. Which axis does your code use?",
            "Use `axis=axis` in the maximum and in the sum.",
        ),
        (MAX, "scores.max(axis=0, keepdims=True)"),
        (SUM, "exponentials.sum(axis=0, keepdims=True)"),
        group="sum",
    ),
    mistake(
        "no_exponential",
        "You divide the scores by their sum, without exp: a score of 0 gets no weight, and a negative one a negative weight.",
        (
            "What weight does your function give to a score below 0?",
            "Weights must be positive whatever the scores. Which function is positive everywhere?",
            "Exponentiate first, then divide by the sum of the exponentials.",
        ),
        source=no_exponential,
    ),
    mistake(
        "sign_flipped",
        "Your largest score gets the smallest weight: the sign of the exponent is the wrong way round.",
        (
            "In the example, which score is largest, and which weight?",
            "exp grows. What did you do to the number before it?",
            "Exponentiate `scores - maximum`, not `maximum - scores`.",
        ),
        (f"scores - {MAX}", f"{MAX} - scores"),
        group="shift",
    ),
    mistake(
        "hard_maximum",
        "You give the whole weight to the largest score. That is a maximum; softmax gives some weight to every score.",
        (
            "What weight does the second largest score get?",
            "The winner takes most, not all: how much is decided by exp.",
            "Return exp(score) over the sum of exp(scores), for every score.",
        ),
        source=hard_maximum,
    ),
    mistake(
        "logarithm_returned",
        "You return the logarithm of the weights: your numbers are all below 0.",
        (
            "Can a weight be negative?",
            "There is one step too many after, or one too few before, the end.",
            "Return the exponentials divided by their sum, without a logarithm.",
        ),
        (f"exponentials / {SUM}", f"np.log(exponentials / {SUM})"),
        group="end",
    ),
    mistake(
        "unnormalised",
        "You return the exponentials as they are: nothing makes them sum to 1.",
        (
            "Add up one row of what you return.",
            "Exponentials are positive, and of any size. What turns parts into shares?",
            "Divide the exponentials by their sum along `axis`.",
        ),
        (f"exponentials / {SUM}", "exponentials"),
        group="sum",
    ),
    mistake(
        "sigmoid",
        "You squash each score on its own (a sigmoid). Softmax lets the scores of a row compete for a total of 1.",
        (
            "Raise one score. Do the other weights of the row fall?",
            "1 / (1 + exp(−x)) sees one score. Which sum belongs in the denominator?",
            "Divide exp(score) by the sum of exp(scores) of the row.",
        ),
        source=sigmoid,
    ),
    mistake(
        "input_overwritten",
        "Your weights are right, but you overwrote the array you were given, so your caller has lost the scores.",
        (
            "Print `scores` before and after your function.",
            "`-=` changes an array in place; so does `out=`.",
            "Write `shifted = scores - maximum`, which makes a new array.",
        ),
        (f"shifted = scores - {MAX}", f"scores -= {MAX}\n    shifted = scores"),
        group="write",
    ),
    mistake(
        "single_precision",
        "Your result is float32 although the input is float64: nine of sixteen digits are gone.",
        (
            "Print the `dtype` of what you are given and of what you return.",
            "Somewhere you name a dtype. Is it needed?",
            "Remove the conversion; NumPy keeps float64 by itself.",
        ),
        ("np.exp(shifted)", "np.exp(shifted.astype(np.float32))"),
        group="type",
    ),
    mistake(
        "mean_subtracted",
        "You subtract the mean of the row. A score far above the others still lies far above 0 then, and exp of it overflows.",
        (
            "In a row of nine zeros and a 10,000, what is the largest number that `np.exp` sees after your shift?",
            "exp is safe on negative numbers. Which score must become 0, so that no other lies above it?",
            "Subtract the largest score of the row, not the mean.",
        ),
        (MAX, "scores.mean(axis=axis, keepdims=True)"),
        group="shift",
    ),
    mistake(
        "scores_clipped",
        "You clip the scores. All scores beyond your bound then count as equal, however far apart they are.",
        (
            "What weights does your function give to the scores 10,000 and 10,001?",
            "Clipping changes differences between scores, and the weights depend on nothing else. What can be done to a row that leaves its differences as they are?",
            "Leave out `np.clip`; subtract the largest score of the row.",
        ),
        (f"scores - {MAX}", "np.clip(scores, -500, 500)"),
        group="shift",
    ),
    mistake(
        "nan_replaced",
        "You let exp overflow and then write 0 where ∞ / ∞ or 0 / 0 has made nan. In such a row, weights are lost.",
        (
            "Add up the weights that you return for a row of scores around 10,000.",
            "`np.nan_to_num` hides that something went wrong without repairing it. Where does the first infinity come from?",
            "Subtract each row's largest score before `np.exp`: then there is no nan to replace.",
        ),
        (f"scores - {MAX}", "scores"),
        (f"exponentials / {SUM}", f"np.nan_to_num(exponentials / {SUM}, nan=0.0)"),
        group="shift",
    ),
    mistake(
        "logarithm_not_shifted",
        "You go through the logarithm of the sum, and take exp of the scores as they are on the way: above about 709 it is infinity, and so is the logarithm.",
        (
            "What is `np.log(np.sum(np.exp([1000.0, 1001.0])))`? And what should it be?",
            "The logarithm undoes the exp only if the exp has not overflowed before.",
            "Subtract each row's largest score before you take exp; then no logarithm is needed either.",
        ),
        (f"scores - {MAX}", "scores"),
        (f"exponentials / {SUM}", f"np.exp(scores - np.log({SUM}))"),
        group="shift",
    ),
    mistake(
        "divided_by_the_largest",
        "You divide the scores by the largest of them to keep exp small. That changes how far apart they are, and the weights come out too even.",
        (
            "What weights does your function give to the scores 0 and 10? And to 0 and 1?",
            "A constant may be *added* to all scores of a row without changing the weights. May it also divide them?",
            "Subtract the largest score, where you divide by it.",
        ),
        (f"scores - {MAX}", "scores / np.abs(scores).max(axis=axis, keepdims=True)"),
        group="shift",
    ),
    mistake(
        "minus_infinity_made_finite",
        "You replace −∞ by a finite number. Beside scores that are lower still, a key that should weigh nothing takes all the weight.",
        (
            "Your number plays the role of −∞. Which finite scores lie below it?",
            "Does −∞ need special care here at all? What is `np.exp(-np.inf)`?",
            "Leave −∞ as it is: minus the row's largest score it is still −∞, and exp of that is 0.",
        ),
        (
            f"shifted = scores - {MAX}",
            f"scores = np.where(np.isneginf(scores), -1e9, scores)\n    shifted = scores - {MAX}",
        ),
        group="infinity",
    ),
    mistake(
        "keepdims_missing_in_the_maximum",
        "You take the maximum without `keepdims`, so the largest scores of the rows lie along the wrong axis when you subtract: from each number another row's maximum is taken, or the shapes do not fit at all.",
        (
            "What is the shape of `scores.max(axis=axis)`, and how does NumPy line it up with `scores`?",
            "NumPy aligns shapes from the right. A vector with a number for each row is read as a row.",
            "Keep the axis: `scores.max(axis=axis, keepdims=True)`.",
        ),
        (MAX, "scores.max(axis=axis)"),
        group=ALONE,
    ),
    mistake(
        "keepdims_missing_twice",
        "You take the maximum and the sum without `keepdims`: both lie along the wrong axis when you subtract and divide, or the shapes do not fit at all.",
        (
            "What is the shape of `scores.max(axis=axis)`, and how does NumPy line it up with `scores`?",
            "NumPy aligns shapes from the right. A vector with a number for each row is read as a row.",
            "Keep the axis both times: `keepdims=True`.",
        ),
        (MAX, "scores.max(axis=axis)"),
        (SUM, "exponentials.sum(axis=axis)"),
        group=ALONE,
    ),
    mistake(
        "along_axis_1",
        "You always work along axis 1. In a matrix that is the last axis, as it should be without an argument; with three axes it is another one.",
        (
            "Give your function an array of three dimensions. Along which axis do the weights sum to 1?",
            "Without an argument, `axis` is −1. Which axis does your code use?",
            "Use `axis=axis` in the maximum and in the sum.",
        ),
        (MAX, "scores.max(axis=min(1, scores.ndim - 1), keepdims=True)"),
        (SUM, "exponentials.sum(axis=min(1, scores.ndim - 1), keepdims=True)"),
        group="sum",
    ),
    mistake(
        "maximum_along_the_last_axis",
        "You subtract the maximum along the last axis, whatever `axis` says. Where the weights sum to 1 along another axis, the numbers of one sum are then shifted by different amounts, and their ratios are lost.",
        (
            "Call your function with `axis=0` on a matrix. Which maximum is subtracted from each number?",
            "The shift cancels only where all numbers of one sum are shifted alike. Along which axis do you sum?",
            "Take the maximum along the same axis: `scores.max(axis=axis, keepdims=True)`.",
        ),
        (MAX, "scores.max(axis=-1, keepdims=True)"),
        group="shift",
    ),
)


def with_initial_maximum(scores, axis=-1):
    e = np.exp(scores - np.max(scores, axis=axis, keepdims=True))
    return np.divide(e, np.sum(e, axis=axis, keepdims=True))


def through_log_sum_exp(scores, axis=-1):
    top = np.amax(scores, axis=axis, keepdims=True)
    log_total = top + np.log(np.sum(np.exp(scores - top), axis=axis, keepdims=True))
    return np.exp(scores - log_total)


def last_axis_first(scores, axis=-1):
    moved = np.moveaxis(np.array(scores, copy=True), axis, -1)
    moved = np.exp(moved - moved.max(-1)[..., None])
    return np.moveaxis(moved / moved.sum(-1)[..., None], -1, axis)


def one_row_at_a_time(scores, axis=-1):
    def row(x):
        e = np.exp(x - x.max())
        return e / e.sum()

    return np.apply_along_axis(row, axis, scores)


def expand_dims(scores, axis=-1):
    largest = np.expand_dims(np.max(scores, axis=axis), axis)
    powers = np.power(np.e, scores - largest)
    return powers / np.expand_dims(powers.sum(axis), axis)


def by_logaddexp(scores, axis=-1):
    return np.exp(scores - np.logaddexp.reduce(scores, axis=axis, keepdims=True))


def stub(scores, axis=-1):
    raise NotImplementedError


def the_input_itself(scores, axis=-1):
    return scores


def zeros(scores, axis=-1):
    return np.zeros_like(scores)


def uniform(scores, axis=-1):
    return np.full_like(scores, 1 / scores.shape[axis])


def noise(scores, axis=-1):
    return np.random.default_rng().random(scores.shape)


SOFTMAX = define(
    id="softmax",
    lesson="03_self_attention",
    place=0,
    module="course_lib.components.softmax",
    symbol="softmax",
    minutes=5,
    laws=LAWS,
    hints=(
        "Three steps: shift, exponentiate, divide. Print the shape after each.",
        "Work out one row of three scores on paper, and compare after each step.",
        "Subtract the maximum along `axis`, take `np.exp`, divide by the sum along `axis`; `keepdims=True` both times.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(
        with_initial_maximum, through_log_sum_exp, last_axis_first, one_row_at_a_time, expand_dims, by_logaddexp,
    ),
    lazy=(stub, the_input_itself, zeros, uniform, noise),
    switches=("shift", "sum"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


@SOFTMAX.second_version("no_max_subtraction")
def powers_of_e(scores, axis=-1):
    powers = np.e**scores
    return np.divide(powers, powers.sum(axis, keepdims=True))


@SOFTMAX.second_version("max_of_everything")
def one_maximum(scores, axis=-1):
    largest = max(scores.flatten().tolist())
    e = np.exp(np.subtract(scores, largest))
    return e / np.expand_dims(np.sum(e, axis=axis), axis)


@SOFTMAX.second_version("no_exponential")
def share_of_the_total(scores, axis=-1):
    return np.apply_along_axis(lambda row: np.array([score / sum(row) for score in row]), axis, scores)


@SOFTMAX.second_version("axis_ignored")
def row_by_row(scores, axis=-1):
    weights = np.empty_like(scores)
    for place in np.ndindex(*scores.shape[:-1]):
        e = np.exp(scores[place] - scores[place].max())
        weights[place] = e / e.sum()
    return weights


@SOFTMAX.second_version("hard_maximum")
def one_hot(scores, axis=-1):
    weights = np.zeros_like(scores)
    np.put_along_axis(weights, np.expand_dims(scores.argmax(axis), axis), 1.0, axis)
    return weights


@SOFTMAX.second_version("logarithm_returned")
def log_softmax(scores, axis=-1):
    return scores - np.logaddexp.reduce(scores, axis=axis, keepdims=True)


@SOFTMAX.second_version("sigmoid")
def by_tanh(scores, axis=-1):
    return (1 + np.tanh(scores / 2)) / 2


@SOFTMAX.second_version("mean_subtracted")
def centred(scores, axis=-1):
    e = np.exp(scores - np.mean(scores, axis, keepdims=True))
    return e / np.sum(e, axis, keepdims=True)


@SOFTMAX.second_version("scores_clipped")
def not_above_seven_hundred(scores, axis=-1):
    e = np.exp(np.minimum(np.maximum(scores, -700.0), 700.0))
    return e / e.sum(axis=axis, keepdims=True)


@SOFTMAX.second_version("nan_replaced")
def zero_where_nan(scores, axis=-1):
    e = np.exp(scores)
    weights = e / np.expand_dims(e.sum(axis), axis)
    weights[np.isnan(weights)] = 0
    return weights


@SOFTMAX.second_version("logarithm_not_shifted")
def minus_the_logarithm(scores, axis=-1):
    total = np.log(np.sum(np.exp(scores), axis=axis))
    return np.exp(np.subtract(scores, np.expand_dims(total, axis)))


@SOFTMAX.second_version("divided_by_the_largest")
def within_one(scores, axis=-1):
    largest = np.maximum(scores.max(axis, keepdims=True), -scores.min(axis, keepdims=True))
    powers = np.exp(np.divide(scores, largest))
    return powers / powers.sum(axis, keepdims=True)


@SOFTMAX.second_version("minus_infinity_made_finite")
def a_billion_below_zero(scores, axis=-1):
    scores = np.where(scores == -np.inf, -1e9, scores)
    e = np.exp(scores - np.max(scores, axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


@SOFTMAX.second_version("keepdims_missing_in_the_maximum")
def maximum_of_a_row_as_a_row(scores, axis=-1):
    e = np.exp(np.subtract(scores, np.amax(scores, axis)))
    return e / np.expand_dims(e.sum(axis), axis)


@SOFTMAX.second_version("keepdims_missing_twice")
def both_lose_their_axis(scores, axis=-1):
    e = np.exp(np.subtract(scores, np.amax(scores, axis)))
    return np.divide(e, np.sum(e, axis))


@SOFTMAX.second_version("along_axis_1")
def second_axis_of_many(scores, axis=-1):
    axis = 0 if scores.ndim == 1 else 1
    e = np.exp(scores - np.expand_dims(scores.max(axis), axis))
    return e / np.expand_dims(e.sum(axis), axis)


@SOFTMAX.second_version("maximum_along_the_last_axis")
def largest_of_each_row(scores, axis=-1):
    powers = np.exp(scores - np.amax(scores, axis=-1)[..., None])
    return np.divide(powers, np.expand_dims(powers.sum(axis), axis))


@SOFTMAX.second_version("scores_clipped")
def clipped_where_they_lie(scores, axis=-1):
    scores[scores > 300] = 300
    scores[scores < -300] = -300
    powers = np.exp(scores)
    return powers / powers.sum(axis=axis, keepdims=True)
