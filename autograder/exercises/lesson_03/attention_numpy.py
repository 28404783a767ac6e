"""Exercise `attention_numpy`: attention as three matrix operations, on any leading dimensions."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from autograder.exercises.definition import define, mistake
from autograder.exercises.draw import Draw
from autograder.exercises.lesson_03.attention_loops import by_hand, large, question
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, inputs_unchanged, sums_to_one
from course_lib.components.softmax import softmax


def ask(draw: Draw) -> Iterator[Question]:
    """Numbers for paper; two, three and four dimensions, all of different sizes; large scores; and a cube, to name what crashes."""
    t, s, b, h = draw.sizes(4)
    d_k, d_v = draw.widths(2)
    (n,) = draw.sizes(1)
    yield by_hand(draw)
    # every registered mistake keeps its answers: values of width 1 are enough in four dimensions
    for name, leading, width in (("matrices", (), d_v), ("batch", (b,), d_v), ("heads", (b, h), 1)):
        yield question(name, draw.array(*leading, t, d_k), draw.array(*leading, s, d_k), draw.array(*leading, s, width))
    yield large(draw, t, s, d_k, d_v)
    yield question("square", draw.array(n, n, n), draw.array(n, n, n), draw.array(n, n, n))


BOTH = {"fields": ["weights", "output"]}

LAWS = (
    Law("weights_by_hand", equals_reference, "by_hand", "two queries and three keys: the weights come out right", 0.1,
        {"fields": ["weights"]}),
    Law("output_by_hand", equals_reference, "by_hand", "two queries and three keys: the output comes out right", 0.1,
        {"fields": ["output"]}),
    Law("matrices", equals_reference, "matrices", "matrices of other sizes come out right", 0.2, BOTH, also=("square",)),
    Law("batch", equals_reference, "batch", "a batch, three dimensions, comes out right", 0.2, BOTH),
    Law("heads", equals_reference, "heads", "four dimensions come out right", 0.1, BOTH),
    Law("large_scores", equals_reference, "large", "scores of several thousand give the right weights, not nan", 0.1, BOTH),
    Law("rows_sum_to_one", sums_to_one, "batch", "each query's weights sum to 1", 0.1, {"field": "weights"}, needs="batch"),
    Law("inputs_unchanged", inputs_unchanged, "batch", "your inputs are left as they were", 0.1, needs="batch"),
)  # fmt: skip

SCALE = " / math.sqrt(query.shape[-1])"
KEY_SWAPPED = "np.swapaxes(key, -2, -1)"


def np_dot(query, key, value):
    scores = np.dot(query, np.swapaxes(key, -2, -1)) / math.sqrt(query.shape[-1])
    weights = softmax(scores, axis=-1)
    return np.dot(weights, value), weights


def matrices_only(query, key, value):
    scores = np.dot(query, key.T) / math.sqrt(query.shape[1])
    weights = softmax(scores)
    return np.dot(weights, value), weights


MISTAKES = (
    mistake(
        "unscaled",
        "You use the dot products as they are. The wider the vectors, the larger their dot products, and softmax then gives nearly all weight to one key.",
        (
            "Double the width of every vector. What happens to the size of a dot product?",
            "Your product is right. One step is missing between the product and `softmax`.",
            "Divide the scores by `math.sqrt(query.shape[-1])` before `softmax`.",
        ),
        (SCALE, ""),
        group="scale",
    ),
    mistake(
        "scaled_by_d_k",
        "You divide the scores by `d_k`, not by its square root: they come out too close together, and your weights too even.",
        (
            "A sum of `d_k` independent terms of variance 1 has the variance `d_k`. What is its standard deviation?",
            "Look at the number you divide the scores by.",
            "Divide by `math.sqrt(query.shape[-1])`.",
        ),
        (SCALE, " / query.shape[-1]"),
        group="scale",
    ),
    mistake(
        "scaled_by_num_keys",
        "You divide by the square root of the number of keys. A score grows with the width of its vectors, however many keys there are.",
        (
            "Give your function one more key. Should the scores of the other keys change?",
            "Which axis of `query` and `key` disappears in the product? That one sets the size of a score.",
            "Divide by `math.sqrt(query.shape[-1])`.",
        ),
        (SCALE, " / math.sqrt(key.shape[-2])"),
        group="scale",
    ),
    mistake(
        "scaled_by_d_v",
        "You divide by the square root of the *values'* width. The scores are made of queries and keys, and know nothing of the values.",
        (
            "Which two arrays is a score made of?",
            "Look at the array whose `shape` you take the root of.",
            "Divide by `math.sqrt(query.shape[-1])`.",
        ),
        (SCALE, " / math.sqrt(value.shape[-1])"),
        group="scale",
    ),
    mistake(
        "width_counted_from_the_front",
        "You scale by `query.shape[1]`. Of a matrix that is the width; with a batch in front it is the number of queries.",
        (
            "Print `query.shape` for a matrix and for a batch. Which axis is `d_k` in each?",
            "Look at the index behind `shape`. Which index finds the last axis, however many there are?",
            "Divide by `math.sqrt(query.shape[-1])`.",
        ),
        (SCALE, " / math.sqrt(query.shape[1])"),
        group="scale",
    ),
    mistake(
        "multiplied_by_sqrt_d_k",
        "You multiply the scores by the square root of `d_k`. They grow where they should shrink, and almost all weight goes to one key.",
        (
            "Should scaling bring the scores closer together, or drive them further apart?",
            "Look at the operation in front of your root.",
            "Divide by `math.sqrt(query.shape[-1])`.",
        ),
        (SCALE, " * math.sqrt(query.shape[-1])"),
        group="scale",
    ),
    mistake(
        "scaled_after_softmax",
        "You divide the weights, after `softmax`, where the scores should be divided, before it: your weights sum to less than 1.",
        (
            "Add up the weights of one query. What do you get? Compare it with 1 / √d_k.",
            "Scaling and softmax are both there. In which order?",
            "Divide the scores by `math.sqrt(query.shape[-1])` first, then take `softmax` of them, and don't touch the weights after that.",
        ),
        (SCALE, ""),
        ("softmax(scores, axis=-1)", "softmax(scores, axis=-1) / math.sqrt(query.shape[-1])"),
        group="scale",
    ),
    mistake(
        "query_overwritten",
        "Your numbers are right, but `/=` scales the caller's own `query`: called a second time with it, your function gives another answer.",
        (
            "Print `query` before and after your function.",
            "`/=` changes an array where it lies. Where do you use it?",
            "Write `query / math.sqrt(query.shape[-1])`, which makes a new array.",
        ),
        (SCALE, ""),
        ("scores = query @", "query /= math.sqrt(query.shape[-1])\n    scores = query @"),
        group="scale",
    ),
    mistake(
        "queries_and_keys_swapped",
        "You multiply key by query: your scores have a row for each key, and each key spreads its weight over the queries.",
        (
            "Print the shape of your scores. Which comes first, the number of queries or of keys?",
            "Look at the order of the two factors.",
            "Write `query @ np.swapaxes(key, -2, -1)`: a row for each query.",
        ),
        ("query @ ", "key @ "),
        ("(key, ", "(query, "),
        group="product",
    ),
    mistake(
        "np_dot",
        "You use `np.dot`. Of matrices it is the product; of batches it multiplies every sentence with every other, and the result has a dimension too many.",
        (
            "Print the shape of `np.dot(a, b)` for `a` of shape (2, 3, 8) and `b` of shape (2, 8, 5).",
            "Which product treats the leading dimensions as a stack of matrices?",
            "Use `@`, or `np.matmul`, for both products.",
        ),
        source=np_dot,
    ),
    mistake(
        "matrices_only",
        "Your function is right for matrices and for nothing else: with a batch in front, `.T` reverses all axes, and `np.dot` multiplies every sentence with every other.",
        (
            "Call your function with two sentences stacked into arrays of shape (2, 3, 8). Where does it stop?",
            "Look at both products, and at the transpose. What does each do with a third dimension?",
            "Write `query @ np.swapaxes(key, -2, -1)` and `weights @ value`: both work on the last two axes and leave the others alone.",
        ),
        source=matrices_only,
    ),
    mistake(
        "every_axis_reversed",
        "`.T` reverses *all* axes. Of a matrix that is the transpose; of a batch it also moves the sentences to the back.",
        (
            "Print `key.T.shape` for a `key` of shape (2, 3, 8).",
            "Which two axes of `key` should be swapped, and which should stay where they are?",
            "Write `np.swapaxes(key, -2, -1)`: the last two are swapped, however many come before them.",
        ),
        ("np.swapaxes(", "np.transpose("),
        (", -2, -1)", ")"),
        group="transpose",
    ),
    mistake(
        "first_axes_swapped",
        "You swap axes 0 and 1. Of a matrix that is the transpose; of a batch it mixes sentences with keys.",
        (
            "Print the shape of your swapped key for a `key` of shape (2, 3, 8).",
            "The last two axes must be swapped. How do you count axes from the end?",
            "Write `np.swapaxes(key, -2, -1)`.",
        ),
        (", -2, -1)", ", 0, 1)"),
        group="transpose",
    ),
    mistake(
        "key_not_transposed",
        "You multiply `query @ key` as they stand. That pairs a query's features with *keys*, not with a key's features, and fits only where there are as many keys as features.",
        (
            "Write the two shapes side by side: (T, Dk) @ (S, Dk). Which two numbers must be equal for `@`?",
            "One of the two factors has its axes the wrong way round.",
            "Write `query @ np.swapaxes(key, -2, -1)`: (T, Dk) @ (Dk, S) is (T, S).",
        ),
        (KEY_SWAPPED, "key"),
        group="transpose",
    ),
    mistake(
        "key_reshaped",
        "You reshape the key to (Dk, S). The shape is right, but `reshape` doesn't move any numbers, it only splits the same sequence differently, so parts of several keys end up in one column.",
        (
            "Make a 2 × 3 array of the numbers 0 to 5. Print its transpose, then its `reshape(3, 2)`.",
            "Look at what you do to `key` before the product. Are its columns still keys?",
            "Write `np.swapaxes(key, -2, -1)`, which really moves the numbers: entry (i, j) becomes entry (j, i).",
        ),
        (KEY_SWAPPED, "key.reshape(*key.shape[:-2], key.shape[-1], key.shape[-2])"),
        group="transpose",
    ),
    mistake(
        "no_softmax",
        "You use the scores themselves as weights. Some of them are negative, and nothing makes them sum to 1.",
        (
            "Add up your weights for one query. Is any of them below 0?",
            "You have scores. What turns them into weights?",
            "Write `weights = softmax(scores, axis=-1)`, and multiply the values by those.",
        ),
        ("softmax(scores, axis=-1)", "scores"),
        group="softmax",
    ),
    mistake(
        "no_exponential",
        "You divide the scores by their sum, without exp. A score below 0 then gives a weight below 0, and scores that cancel give weights without bound.",
        (
            "What weight does your code give to a score of −1 beside a score of 2?",
            "Look at the line that turns scores into weights. Which function makes every number positive?",
            "Write `weights = softmax(scores, axis=-1)`: your own `softmax` takes exp before it divides.",
        ),
        ("softmax(scores, axis=-1)", "scores / scores.sum(axis=-1, keepdims=True)"),
        group="softmax",
    ),
    mistake(
        "softmax_over_queries",
        "Your weights sum to 1 down the columns: the queries compete for each key. Each *query* must spread its weight over the keys.",
        (
            "Add up your weights along a row, then down a column. Which is 1?",
            "The scores have the shape (..., T, S). Which axis counts the keys?",
            "Take `softmax(scores, axis=-1)`.",
        ),
        ("axis=-1", "axis=-2"),
        group="softmax",
    ),
    mistake(
        "softmax_over_axis_0",
        "You take `softmax` along axis 0. Of a matrix that runs over the queries; of a batch it runs over the sentences, which then compete with each other.",
        (
            "What does axis 0 count in a batch of scores? Should one sentence's weights depend on another sentence?",
            "The scores have the shape (..., T, S). Which axis counts the keys, from the end?",
            "Take `softmax(scores, axis=-1)`.",
        ),
        ("axis=-1", "axis=0"),
        group="softmax",
    ),
    mistake(
        "softmax_over_axis_1",
        "You take `softmax` along axis 1. Of a matrix that runs over the keys, as it should; with a batch in front it runs over the queries, and with heads over the heads.",
        (
            "Print `scores.shape` for a matrix and for a batch. Which axis holds the keys in each?",
            "Which number finds the last axis, however many there are?",
            "Take `softmax(scores, axis=-1)`.",
        ),
        ("axis=-1", "axis=1"),
        group="softmax",
    ),
    mistake(
        "softmax_over_everything",
        "One softmax runs over all your scores at once: all weights of all queries together sum to 1.",
        (
            "Add up one row of your weights. Then add up all of them.",
            "Look at the axis of your `softmax`, or at what you hand to it.",
            "Take `softmax(scores, axis=-1)`, so that each row sums to 1.",
        ),
        ("axis=-1", "axis=None"),
        group="softmax",
    ),
    mistake(
        "softmax_twice",
        "You take `softmax` of what is already a softmax. Weights lie between 0 and 1, so the second one makes them nearly equal.",
        (
            "What does `softmax` make of [0, 1]? How uneven can your weights become at most?",
            "Count how often `softmax` is applied on the way from the scores to the output.",
            "Apply `softmax` once, to the scores.",
        ),
        ("softmax(scores, axis=-1)", "softmax(softmax(scores, axis=-1), axis=-1)"),
        group="softmax",
    ),
    mistake(
        "hard_maximum",
        "Each of your queries takes only the value of its best key. Attention is softer: every key contributes in proportion to its weight.",
        (
            "What weight does the second best key get in your answer?",
            "Look for an `argmax` or a `max` between the scores and the weights.",
            "Take `softmax(scores, axis=-1)`, which gives some weight to every key.",
        ),
        ("softmax(scores, axis=-1)", "(scores == scores.max(axis=-1, keepdims=True)) * 1.0"),
        group="softmax",
    ),
    mistake(
        "earlier_keys_only",
        "Query `i` sees only keys 0 to `i` and gives no weight to those after it. Hiding what comes later is a decoder's job; here every query sees every key.",
        (
            "How many keys does your first query give weight to? How many keys are there?",
            "Look for a triangle: `np.tril`, `np.triu`, or a condition on positions.",
            "Take `softmax` of all scores, without a mask.",
        ),
        ("softmax(scores, ", "softmax(np.where(np.tril(np.ones(scores.shape[-2:])) == 1, scores, -np.inf), "),
        group="which",
    ),
    mistake(
        "weights_transposed",
        "You transpose the weights before you multiply the values: query `i` then mixes the values by what each query gives to key `i`. The shapes fit only where there are as many queries as keys.",
        (
            "Write the two shapes side by side: weights (T, S), values (S, Dv). Does anything need to be transposed?",
            "Look at the second product. The first one needs a transpose; does this one?",
            "Write `weights @ value`.",
        ),
        ("weights @ value", "np.swapaxes(weights, -2, -1) @ value"),
        group="value",
    ),
    mistake(
        "keys_mixed",
        "You mix the keys: your output is as wide as a key. Keys say where to look; the values are what is looked up.",
        (
            "How wide is your output, and how wide is a value?",
            "Look at what the weights are multiplied by.",
            "Write `weights @ value`.",
        ),
        ("weights @ value", "weights @ key"),
        group="value",
    ),
    mistake(
        "value_of_the_query",
        "You sum the weights and multiply value `i` by the sum. The weights of a query sum to 1, so you return `value` itself. (Some slides print v_i here; v_j is meant.)",
        (
            "Compare your output with `value`. What do you see?",
            "The index of the weights' second axis and the index of the value's first should be the same. Are they?",
            "Write `weights @ value`: it adds up weights[i, j] · value[j] over `j`.",
        ),
        ("weights @ value", "weights.sum(axis=-1, keepdims=True) * value"),
        group="value",
    ),
    mistake(
        "elementwise_product",
        "You multiply weights and values with `*`, number by number. Nothing is added up, and the shapes fit only where they happen to be equal.",
        (
            "Which of `*` and `@` adds up over an axis?",
            "Look at the operator between the weights and the values.",
            "Write `weights @ value`.",
        ),
        ("weights @ value", "weights * value"),
        group="value",
    ),
    mistake(
        "values_averaged",
        "You take the mean of the values: every query gets the same output, whatever its weights.",
        (
            "Compare two rows of your output. Why are they equal?",
            "The weights are computed. Are they used when the values are combined?",
            "Write `weights @ value`.",
        ),
        ("weights @ value", "np.ones_like(weights) @ value / value.shape[-2]"),
        group="value",
    ),
    mistake(
        "scores_returned",
        "Your output is right. What you return beside it are the scores, as they were before `softmax`.",
        (
            "Add up a row of the second array you return. Is it 1?",
            "You have scores and weights. Which of the two do you return?",
            "Return `weights @ value, weights`.",
        ),
        ("weights @ value, weights", "weights @ value, scores"),
        group="return",
    ),
    mistake(
        "weights_first",
        "Both arrays are right, but in the other order: you return the weights first and the output second.",
        (
            "Print the shapes of the two arrays you return, and compare with the docstring.",
            "Look at your `return` line.",
            "Return the output first: `return weights @ value, weights`.",
        ),
        ("return weights @ value, weights", "return weights, weights @ value"),
        group="return",
    ),
    mistake(
        "output_alone",
        "You return only the output. The weights are needed too, because they show where each query looked.",
        (
            "How many arrays does the docstring promise, and how many do you return?",
            "Look at your `return` line.",
            "Write `return weights @ value, weights`.",
        ),
        (" @ value, weights", " @ value"),
        group="return",
    ),
    mistake(
        "no_max_subtraction",
        "You write softmax out, and exponentiate the scores as they are: above about 709 exp is infinity, and ∞ / ∞ is nan.",
        (
            "What is `np.exp(1000)`? And what is that divided by itself?",
            "Your own `softmax` has solved this already. Where do you call it?",
            "Write `weights = softmax(scores, axis=-1)`.",
        ),
        ("softmax(scores, axis=-1)", "np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)"),
        group="softmax",
    ),
    mistake(
        "output_averaged",
        "You divide the output by the number of keys. The weights sum to 1 already: your output is too small by that factor.",
        (
            "Set all values to 1. What should your output be, and what is it?",
            "A weighted mean divides by the sum of the weights. What is that sum here?",
            "Write `weights @ value`, and divide by nothing.",
        ),
        ("return weights @ value, weights", "return weights @ value / key.shape[-2], weights"),
        group="output",
    ),
)  # fmt: skip


def by_einsum(query, key, value):
    scores = np.einsum("...td,...sd->...ts", query, key) * query.shape[-1] ** -0.5
    weights = softmax(scores)
    return np.einsum("...ts,...sd->...td", weights, value), weights


def query_scaled_first(query, key, value):
    scaled = query / np.sqrt(query.shape[-1])
    axes = [*range(key.ndim - 2), key.ndim - 1, key.ndim - 2]
    weights = softmax(np.matmul(scaled, np.transpose(key, axes)), -1)
    output = np.matmul(weights, value)
    return output, weights


def by_broadcasting(query, key, value):
    products = query[..., :, None, :] * key[..., None, :, :]
    weights = softmax(scores=products.sum(axis=-1) / math.sqrt(key.shape[-1]), axis=-1)
    output = (weights[..., None] * np.expand_dims(value, -3)).sum(axis=-2)
    return output, weights


def a_softmax_of_its_own(query, key, value):
    d_k = query.shape[-1]
    scores = (query @ np.moveaxis(key, -1, -2)) / d_k**0.5
    powers = np.exp(scores - scores.max(-1)[..., None])
    weights = powers / powers.sum(-1)[..., None]
    return weights @ value, weights


def one_matrix_at_a_time(query, key, value):
    output = np.zeros(query.shape[:-1] + value.shape[-1:])
    weights = np.zeros(query.shape[:-1] + key.shape[-2:-1])
    for place in np.ndindex(*query.shape[:-2]):
        weights[place] = softmax(query[place].dot(key[place].T) / math.sqrt(query.shape[-1]))
        output[place] = np.dot(weights[place], value[place])
    return output, weights


def one_more_call_for_each_dimension(query, key, value):
    def attend(q, k, v):
        if q.ndim > 2:
            parts = [attend(*part) for part in zip(q, k, v, strict=True)]
            return np.stack([output for output, _ in parts]), np.stack([weights for _, weights in parts])
        scores = np.inner(q, k) / math.sqrt(len(q[0]))
        weights = np.array([softmax(row) for row in scores])
        return weights @ v, weights

    return attend(query, key, value)


def keys_down_the_side(query, key, value):
    scores = key @ query.swapaxes(-1, -2) / np.sqrt(np.float64(query.shape[-1]))
    columns = softmax(scores, axis=-2)
    return (value.swapaxes(-1, -2) @ columns).swapaxes(-1, -2), columns.swapaxes(-1, -2)


def folded_into_one_batch(query, key, value):
    (*leading, T, D), (S, V) = query.shape, value.shape[-2:]
    q, k, v = query.reshape(-1, T, D), key.reshape(-1, S, D), value.reshape(-1, S, V)
    weights = np.empty((len(q), T, S))
    for i in range(T):
        weights[:, i] = softmax((q[:, i : i + 1] * k).sum(axis=2) / math.sqrt(D), axis=1)
    return np.matmul(weights, v).reshape(*leading, T, V), weights.reshape(*leading, T, S)


def stub(query, key, value):
    raise NotImplementedError


def the_input_itself(query, key, value):
    weights = np.zeros(query.shape[:-1] + key.shape[-2:-1]) + np.eye(query.shape[-2], key.shape[-2])
    return weights @ value, weights


def zeros(query, key, value):
    return np.zeros(query.shape[:-1] + value.shape[-1:]), np.zeros(query.shape[:-1] + key.shape[-2:-1])


def uniform(query, key, value):
    weights = np.full(query.shape[:-1] + key.shape[-2:-1], 1 / key.shape[-2])
    return weights @ value, weights


def noise(query, key, value):
    random = np.random.default_rng()
    return random.random(query.shape[:-1] + value.shape[-1:]), random.random(query.shape[:-1] + key.shape[-2:-1])


ATTENTION_NUMPY = define(
    id="attention_numpy",
    lesson="03_self_attention",
    place=2,
    module="course_lib.components.attention_numpy",
    symbol="attention_numpy",
    minutes=5,
    laws=LAWS,
    hints=(
        "Three lines: scores, weights, output. Print the shape after each, for a matrix and for a batch.",
        "Compare each line with your `attention_loops`: which loop has become which axis? Count axes from the end, so that a batch in front changes nothing.",
        "`query @ np.swapaxes(key, -2, -1)` over `math.sqrt(query.shape[-1])`; `softmax` along `axis=-1`; then `weights @ value`.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(
        by_einsum, query_scaled_first, by_broadcasting, a_softmax_of_its_own, one_matrix_at_a_time,
        one_more_call_for_each_dimension, keys_down_the_side, folded_into_one_batch,
    ),
    lazy=(stub, the_input_itself, zeros, uniform, noise),
    builds_on=("softmax",),
    switches=("scale", "softmax"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


@ATTENTION_NUMPY.second_version("unscaled")
def einsum_alone(query, key, value):
    weights = softmax(np.einsum("...td,...sd->...ts", query, key))
    return np.einsum("...ts,...sd->...td", weights, value), weights


@ATTENTION_NUMPY.second_version("scaled_by_num_keys")
def size_of_a_row_of_scores(query, key, value):
    scores = np.matmul(query, np.moveaxis(key, -1, -2))
    weights = softmax(scores / np.sqrt(scores.shape[-1]))
    return np.matmul(weights, value), weights


@ATTENTION_NUMPY.second_version("softmax_over_queries")
def exponentials_by_column(query, key, value):
    scores = query @ key.swapaxes(-1, -2) / query.shape[-1] ** 0.5
    powers = np.exp(scores - scores.max(axis=-2)[..., None, :])
    weights = powers / powers.sum(axis=-2)[..., None, :]
    return weights @ value, weights


@ATTENTION_NUMPY.second_version("no_exponential")
def shares_of_scores(query, key, value):
    scores = np.einsum("...td,...sd->...ts", query, key)
    weights = scores / np.expand_dims(np.sum(scores, axis=-1), -1)
    return weights @ value, weights


@ATTENTION_NUMPY.second_version("every_axis_reversed")
def capital_t(query, key, value):
    d_k = query.shape[-1]
    weights = softmax(query @ key.T * d_k**-0.5)
    output = weights @ value
    return output, weights


@ATTENTION_NUMPY.second_version("matrices_only")
def dot_method(query, key, value):
    weights = softmax(query.dot(key.T) / np.sqrt(len(query[0])))
    return weights.dot(value), weights


@ATTENTION_NUMPY.second_version("key_reshaped")
def reshape_with_minus_one(query, key, value):
    flipped = key.reshape((*key.shape[:-2], -1, key.shape[-2]))
    weights = softmax((query / math.sqrt(query.shape[-1])) @ flipped)
    return weights @ value, weights


@ATTENTION_NUMPY.second_version("value_of_the_query")
def misprinted_index(query, key, value):
    weights = softmax(np.einsum("...id,...jd->...ij", query, key) / math.sqrt(query.shape[-1]))
    return np.einsum("...ij,...id->...id", weights, value), weights


@ATTENTION_NUMPY.second_version("weights_transposed")
def indices_turned(query, key, value):
    weights = softmax(np.einsum("...id,...jd->...ij", query, key) / math.sqrt(query.shape[-1]))
    return np.einsum("...ji,...jd->...id", weights, value), weights


@ATTENTION_NUMPY.second_version("softmax_over_everything")
def flattened(query, key, value):
    scores = query @ key.swapaxes(-1, -2) / math.sqrt(query.shape[-1])
    weights = softmax(scores.flatten()).reshape(scores.shape)
    return weights @ value, weights


@ATTENTION_NUMPY.second_version("query_overwritten")
def scaled_in_place(query, key, value):
    query *= query.shape[-1] ** -0.5
    weights = softmax(np.matmul(query, key.swapaxes(-2, -1)))
    return np.matmul(weights, value), weights


@ATTENTION_NUMPY.second_version("no_max_subtraction")
def powers_of_the_scores(query, key, value):
    powers = np.exp(np.einsum("...td,...sd->...ts", query, key) / query.shape[-1] ** 0.5)
    weights = powers / np.expand_dims(powers.sum(-1), -1)
    return np.matmul(weights, value), weights


@ATTENTION_NUMPY.second_version("output_averaged")
def mean_over_the_keys(query, key, value):
    weights = softmax(np.einsum("...td,...sd->...ts", query, key) / query.shape[-1] ** 0.5)
    return (weights[..., None] * value[..., None, :, :]).mean(axis=-2), weights
