"""Exercise `attention_loops`: attention one number at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from autograder.exercises.definition import define, mistake
from autograder.exercises.draw import Draw
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, inputs_unchanged, sums_to_one
from course_lib.checking.values import Value
from course_lib.components.softmax import softmax


def question(name: str, query: Value, key: Value, value: Value) -> Question:
    """Ask for the output and the weights of one query, key and value."""
    return Question(
        name,
        probes.call,
        {"arguments": {"query": query, "key": key, "value": value}, "returns": ["output", "weights"]},
    )


def by_hand(draw: Draw) -> Question:
    """Two queries and three keys of width 4, whose square root is 2: a query of 0s and 2s only picks and adds."""
    query = np.array([[2.0, 0.0, 0.0, 2.0], [0.0, 2.0, 2.0, 0.0]])
    key = np.array([[0.0, 1.0, 1.0, 0.0], [1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 1.0, 1.0]])
    value = np.array([[1.0], [2.0], [4.0]])
    return question(
        "by_hand", query, key + np.round(draw.array(3, 4, scale=0.1), 1), value + np.round(draw.array(3, 1), 1)
    )


def large(draw: Draw, num_queries: int, num_keys: int, d_k: int, d_v: int) -> Question:
    """Scores of thousands: high rows and low ones, and in each row some keys far above the others."""
    query, key = draw.array(num_queries, d_k), draw.array(num_keys, d_k)
    query[:, 0] = np.where(np.arange(num_queries) % 2 == 0, 80.0, -80.0)
    query[:, 1] = 40.0
    key[:, 0] = 100.0
    key[:, 1] = np.where(np.arange(num_keys) % 2 == 0, 100.0, -100.0)
    return question("large", query, key, draw.array(num_keys, d_v))


def ask(draw: Draw) -> Iterator[Question]:
    """Numbers for paper, sizes that are all different, scores too large for ``exp``; and a square, to name what crashes."""
    t, s, n = draw.sizes(3)
    d_k, d_v = draw.widths(2)
    yield by_hand(draw)
    yield question("plain", draw.array(t, d_k), draw.array(s, d_k), draw.array(s, d_v))
    yield large(draw, t, s, d_k, d_v)
    yield question("square", draw.array(n, n), draw.array(n, n), draw.array(n, n))


LAWS = (
    Law("weights_by_hand", equals_reference, "by_hand", "two queries and three keys: the weights come out right", 0.15,
        {"fields": ["weights"]}),
    Law("output_by_hand", equals_reference, "by_hand", "two queries and three keys: the output comes out right", 0.15,
        {"fields": ["output"]}),
    Law("weights_plain", equals_reference, "plain", "with other lengths and widths, the weights come out right", 0.2,
        {"fields": ["weights"]}, also=("square",)),
    Law("output_plain", equals_reference, "plain", "with other lengths and widths, the output comes out right", 0.2,
        {"fields": ["output"]}, also=("square",)),
    Law("rows_sum_to_one", sums_to_one, "plain", "each query's weights sum to 1", 0.1,
        {"field": "weights"}, needs="weights_plain"),
    Law("large_scores", equals_reference, "large", "scores of several thousand give the right weights, not nan", 0.1,
        {"fields": ["weights", "output"]}),
    Law("inputs_unchanged", inputs_unchanged, "plain", "your inputs are left as they were", 0.1, needs="output_plain"),
)  # fmt: skip

SCALE = " / math.sqrt(d_k)"
SOFTMAX_LINE = "        weights[i] = softmax(scores)\n"
ADD = "output[i] += weights[i, j] * value[j]"

MISTAKES = (
    mistake(
        "unscaled",
        "You use the dot products without scaling them. The wider the vectors, the larger their dot products, until softmax gives nearly all the weight to one key.",
        (
            "Double the width of every vector. What happens to the size of a dot product?",
            "Your products are right. One step is missing between the product and `softmax`.",
            "Divide each score by `math.sqrt(d_k)` before `softmax`.",
        ),
        (SCALE, ""),
        group="scale",
    ),
    mistake(
        "scaled_by_d_k",
        "You divide the scores by `d_k` instead of its square root. The scores come out too close together, so your weights are too even.",
        (
            "A sum of `d_k` independent terms of variance 1 has the variance `d_k`. What is its standard deviation?",
            "Look at the number you divide a score by.",
            "Divide by `math.sqrt(d_k)`.",
        ),
        (SCALE, " / d_k"),
        group="scale",
    ),
    mistake(
        "scaled_by_num_keys",
        "You divide by the square root of the number of keys. A score grows with the width of its vectors, however many keys there are.",
        (
            "Give your function one more key. Should the scores of the other keys change?",
            "How many products do you add up for one score? Compare with the number under your root.",
            "Divide by `math.sqrt(d_k)`, where `d_k` is `query.shape[1]`.",
        ),
        (SCALE, " / math.sqrt(num_keys)"),
        group="scale",
    ),
    mistake(
        "scaled_by_d_v",
        "You divide by the square root of the *values'* width. The scores are made of queries and keys, and know nothing of the values.",
        (
            "Which two arrays is a score made of?",
            "Look at where the number under your root comes from: `value.shape`, or `query.shape`?",
            "Divide by `math.sqrt(d_k)`, where `d_k` is `query.shape[1]`.",
        ),
        (SCALE, " / math.sqrt(d_v)"),
        group="scale",
    ),
    mistake(
        "multiplied_by_sqrt_d_k",
        "You multiply the scores by the square root of `d_k`. They grow when they should shrink, and almost all the weight goes to one key.",
        (
            "Should scaling bring the scores closer together, or drive them further apart?",
            "Look at the operation in front of your root.",
            "Divide by `math.sqrt(d_k)`.",
        ),
        (SCALE, " * math.sqrt(d_k)"),
        group="scale",
    ),
    mistake(
        "scaled_after_softmax",
        "You divide the weights after `softmax`. It is the scores that should be divided, before it; as it is, your weights sum to less than 1.",
        (
            "Add up the weights of one query. What do you get? Compare it with 1 / √d_k.",
            "Scaling and softmax are both there. In which order?",
            "Divide the scores by `math.sqrt(d_k)` first, then take `softmax` of them, and don't touch the weights after that.",
        ),
        (SCALE, ""),
        ("softmax(scores)", "softmax(scores) / math.sqrt(d_k)"),
        group="scale",
    ),
    mistake(
        "queries_and_keys_swapped",
        "You take row `j` of the queries and row `i` of the keys. With as many queries as keys that gives the scores of the wrong pairs; otherwise an index runs out of its array.",
        (
            "In your code, `i` counts one thing and `j` another. Which array has a row for each `i`?",
            "Look at the indices inside the dot product.",
            "Multiply `query[i, d]` by `key[j, d]`: `i` counts queries, `j` counts keys.",
        ),
        ("query[i, d] * key[j, d]", "query[j, d] * key[i, d]"),
        group="product",
    ),
    mistake(
        "dot_product_cut_short",
        "Your dot product stops after as many products as there are keys and ignores the rest of the two vectors.",
        (
            "On the smallest example, how many products make one score, and how many does your loop add?",
            "Look at the `range` of the innermost loop, the one over `d`.",
            "Let `d` run over `range(d_k)`, the whole width of a query.",
        ),
        ("for d in range(d_k)", "for d in range(num_keys)"),
        group="product",
    ),
    mistake(
        "total_never_reset",
        "You never set the total back to 0 between two keys, so each score also contains the scores of the keys before it.",
        (
            "Print the total just before you add its first product, for `j = 0` and for `j = 1`.",
            "Look at the line that sets the total to 0. How often does it run?",
            "Put `total = 0.0` inside the loop over `j`, right before the loop over `d`.",
        ),
        ("        scores = np.zeros(num_keys)  # (S,)\n", "        scores = np.zeros(num_keys)  # (S,)\n        total = 0.0\n"),
        (
            "scores[j] = sum(query[i, d] * key[j, d] for d in range(d_k))",
            "for d in range(d_k):\n                total += query[i, d] * key[j, d]\n            scores[j] = total",
        ),
        group="product",
    ),
    mistake(
        "other_words_only",
        "You leave out the key at the query's own position, so it gets no weight. Attention is often described as looking at “all the *other* words”, but the sum runs over every position, the word's own included.",
        (
            "What weight does query 0 give to key 0 in your answer?",
            "Look for the line where you compare `i` with `j`.",
            "Treat all keys alike: no condition on `i` and `j` anywhere.",
        ),
        ("scores[j] = ", "scores[j] = -np.inf if j == i else "),
        group="which",
    ),
    mistake(
        "own_score_left_zero",
        "You skip `j == i` when you score, and that score stays 0. A score of 0 is not a weight of 0: exp(0) is 1, so the key still gets weight, by a score you never computed.",
        (
            "What is the score of key 0 for query 0 in your code? And exp of it?",
            "Look at the `continue`, or the `if`, in the loop that fills in the scores.",
            "Score every key, including the one at the query's own position.",
        ),
        ("            scores[j] = ", "            if j == i:\n                continue\n            scores[j] = "),
        group="which",
    ),
    mistake(
        "earlier_keys_only",
        "Query `i` sees only keys 0 to `i` and gives no weight to those after it. Hiding what comes later is a decoder's job; here every query sees every key.",
        (
            "How many keys does your first query give weight to? How many keys are there?",
            "Look for a condition like `j > i`, or a `range` that ends at `i + 1`.",
            "Let `j` run over `range(num_keys)` for every query, without a condition.",
        ),
        ("scores[j] = ", "scores[j] = -np.inf if j > i else "),
        group="which",
    ),
    mistake(
        "no_softmax",
        "You use the scores themselves as weights. Some of them are negative, and nothing makes them sum to 1.",
        (
            "Add up your weights for one query. Is any of them below 0?",
            "You have scores for one query. What turns them into weights?",
            "Write `weights[i] = softmax(scores)`, and multiply the values by those.",
        ),
        ("softmax(scores)", "scores"),
        group="softmax",
    ),
    mistake(
        "no_exponential",
        "You divide the scores by their sum, without exp. A score below 0 then gives a weight below 0, and scores that cancel give weights without bound.",
        (
            "What weight does your code give to a score of −1 beside a score of 2?",
            "Look at the line that turns scores into weights. Which function makes every number positive?",
            "Write `weights[i] = softmax(scores)`: your own `softmax` takes exp before it divides.",
        ),
        ("softmax(scores)", "scores / scores.sum()"),
        group="softmax",
    ),
    mistake(
        "softmax_over_queries",
        "Your weights sum to 1 down the columns: the queries compete for each key. Each *query* must spread its weight over the keys.",
        (
            "Add up your weights along a row, then down a column. Which is 1?",
            "A row of scores belongs to one query. Along which axis does your `softmax` run?",
            "Take `softmax` of one query's scores at a time: `weights[i] = softmax(scores)`.",
        ),
        (SOFTMAX_LINE, "        weights[i] = scores\n    weights = softmax(weights, axis=0)\n    for i in range(num_queries):\n"),
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
        ("softmax(scores)", "softmax(softmax(scores))"),
        group="softmax",
    ),
    mistake(
        "hard_maximum",
        "Each of your queries takes only the value of its best key. Attention is softer: every key contributes in proportion to its weight.",
        (
            "What weight does the second best key get in your answer?",
            "Look for an `argmax` or a `max` between the scores and the weights.",
            "Write `weights[i] = softmax(scores)`, which gives some weight to every key.",
        ),
        ("weights[i] = softmax(scores)", "weights[i, scores.argmax()] = 1.0"),
        group="softmax",
    ),
    mistake(
        "scores_returned",
        "Your output is right. What you return beside it are the scores, as they were before `softmax`.",
        (
            "Add up a row of the second array you return. Is it 1?",
            "You have scores and weights. Which of the two is stored in the array you return?",
            "Store `softmax(scores)` in `weights[i]`, and return `output, weights`.",
        ),
        ("weights[i] = softmax(scores)", "shares = softmax(scores)\n        weights[i] = scores"),
        ("weights[i, j] * value[j]", "shares[j] * value[j]"),
        group="softmax",
    ),
    mistake(
        "value_of_the_query",
        "You add up `value[i]`, the same value every time. Its weights sum to 1, so query `i` gets back value `i` and nothing else. (Some slides print v_i here; v_j is meant.)",
        (
            "Compare your output with the first rows of `value`. What do you see?",
            "Look at the index of `value` in the weighted sum. Which of `i` and `j` changes inside that loop?",
            "Write `output[i] += weights[i, j] * value[j]`.",
        ),
        ("* value[j]", "* value[i]"),
        group="sum",
    ),
    mistake(
        "keys_in_place_of_values",
        "You add up `key[j]` where `value[j]` belongs. A key is not as wide as a value, so the sum does not fit into a row of `output`.",
        (
            "Which array do you compare a query with, and which one do you mix afterwards?",
            "Look at what the weights are multiplied by.",
            "Write `output[i] += weights[i, j] * value[j]`.",
        ),
        ("* value[j]", "* key[j]"),
        group="sum",
    ),
    mistake(
        "keys_mixed",
        "You mix the keys: your output is as wide as a key. Keys say where to look; the values are what is looked up.",
        (
            "How wide is your output, and how wide is a value?",
            "Look at what the weights are multiplied by, and at the shape you gave `output`.",
            "Make `output` of shape `(num_queries, d_v)`, and add up `weights[i, j] * value[j]`.",
        ),
        ("np.zeros((num_queries, d_v))", "np.zeros((num_queries, d_k))"),
        ("* value[j]", "* key[j]"),
        group="sum",
    ),
    mistake(
        "only_the_last_key",
        "Each turn of the loop overwrites the output, so only the last key's value is left in it.",
        (
            "After the loop over `j`, which keys have left a trace in `output[i]`?",
            "Look at the line that fills `output[i]`: `=` or `+=`?",
            "Write `output[i] += weights[i, j] * value[j]`, so that every key adds its part.",
        ),
        ("output[i] +=", "output[i] ="),
        group="sum",
    ),
    mistake(
        "values_unweighted",
        "You add up the values without their weights: every query gets the same output.",
        (
            "Compare two rows of your output. Why are they equal?",
            "The weights are computed. Are they used where the values are added up?",
            "Multiply each value by its weight: `output[i] += weights[i, j] * value[j]`.",
        ),
        ("weights[i, j] * value[j]", "value[j]"),
        group="sum",
    ),
    mistake(
        "values_overwritten",
        "You multiply the weights into `value` itself. Your first query comes out right, but every later one, and the code that called you, finds shrunken values.",
        (
            "Print `value` before and after your function.",
            "`value[j] *= …` changes the array you were given. Look for it in the loop that adds up the values.",
            "Write `output[i] += weights[i, j] * value[j]`, which leaves `value` as it is.",
        ),
        (ADD, "value[j] *= weights[i, j]\n            output[i] += value[j]"),
        group="sum",
    ),
    mistake(
        "weights_of_whole_numbers",
        "Your array of weights holds integers, so a weight of 0.7 becomes 0 when you store it, and the output becomes 0 with it.",
        (
            "What is the `dtype` of your array of weights?",
            "Look at the line that makes `weights`. `dtype=int` and `np.full(shape, 0)` both make integers.",
            "Make it with `np.zeros((num_queries, num_keys))`, which holds floating-point numbers.",
        ),
        ("np.zeros((num_queries, num_keys))", "np.full((num_queries, num_keys), 0)"),
        group="weights array",
    ),
    mistake(
        "output_of_whole_numbers",
        "Your weights are right, but your output array holds integers, so everything after the decimal point is cut off each time you add to it.",
        (
            "What is the `dtype` of your output?",
            "Look at the line that makes `output`. `dtype=int` and `np.full(shape, 0)` both make integers.",
            "Make it with `np.zeros((num_queries, d_v))`, which holds floating-point numbers.",
        ),
        ("np.zeros((num_queries, d_v))", "np.full((num_queries, d_v), 0)"),
        ("output[i] += ", "output[i] = output[i] + "),
        group="output array",
    ),
    mistake(
        "weights_first",
        "Both arrays are right, but in the other order: you return the weights first and the output second.",
        (
            "Print the shapes of the two arrays you return, and compare with the docstring.",
            "Look at your `return` line.",
            "Write `return output, weights`.",
        ),
        ("return output, weights", "return weights, output"),
        group="return",
    ),
    mistake(
        "output_alone",
        "You return only the output. The weights are needed too, because they show where each query looked.",
        (
            "How many arrays does the docstring promise, and how many do you return?",
            "Look at your `return` line.",
            "Write `return output, weights`.",
        ),
        ("return output, weights", "return output"),
        group="return",
    ),
    mistake(
        "root_cut_to_a_whole_number",
        "You round the square root of `d_k` down to an integer. Unless `d_k` is a perfect square, your scale is too small.",
        (
            "What do you divide by where `d_k` is 8? What is √8?",
            "`int(...)`, `//` and `math.isqrt` all drop what comes after the decimal point. Is one of them in your scale?",
            "Divide by `math.sqrt(d_k)`.",
        ),
        (SCALE, " / math.isqrt(d_k)"),
        group="scale",
    ),
    mistake(
        "one_output_for_all",
        "All rows of your output are one and the same array, to which every query has added its part.",
        (
            "Compare two rows of your output. Why are they equal?",
            "Appending an array to a list does not copy it. How often do you make a new one?",
            "Start each query with zeros of its own: make them inside the loop over `i`.",
        ),
        ("output[i] += ", "output += "),
        group="sum",
    ),
    mistake(
        "output_never_reset",
        "You never set the sum of the values back to 0 between two queries, so each output also contains the outputs before it.",
        (
            "Print the sum just before you add its first value, for `i = 0` and for `i = 1`.",
            "Look at the line that sets the sum to 0. How often does it run?",
            "Start each query with zeros: put that line inside the loop over `i`.",
        ),
        ("        weights[i] = softmax(scores)\n", "        weights[i] = softmax(scores)\n        output[i] = output[i - 1] if i else 0.0\n"),
        group="sum",
    ),
    mistake(
        "no_max_subtraction",
        "You write softmax out, and exponentiate the scores as they are: above about 709 exp is infinity, and ∞ / ∞ is nan.",
        (
            "What is `np.exp(1000)`? And what is that divided by itself?",
            "Your own `softmax` has solved this already. Where do you call it?",
            "Write `weights[i] = softmax(scores)`.",
        ),
        ("softmax(scores)", "np.exp(scores) / np.exp(scores).sum()"),
        group="softmax",
    ),
    mistake(
        "query_overwritten",
        "Your values are right, but you scale the array you were given: your caller's queries are smaller afterwards.",
        (
            "Print `query` before and after your function.",
            "`query /= …` changes an array where it lies.",
            "Divide each score by `math.sqrt(d_k)`, and leave `query` as it is.",
        ),
        ("    num_queries, d_k = query.shape\n", "    num_queries, d_k = query.shape\n    query /= math.sqrt(d_k)\n"),
        (SCALE, ""),
        group="scale",
    ),
    mistake(
        "output_averaged",
        "You divide the sum of the weighted values by the number of keys. The weights sum to 1 already: your output is too small by that factor.",
        (
            "Set all values to 1. What should your output be, and what is it?",
            "A weighted mean divides by the sum of the weights. What is that sum here?",
            "Write `output[i] += weights[i, j] * value[j]`, and divide by nothing.",
        ),
        (ADD, ADD + " / num_keys"),
        group="sum",
    ),
    mistake(
        "softmax_over_everything",
        "Your softmax runs over all scores at once: the weights of all queries together sum to 1, where each query's own should.",
        (
            "Add up all your weights. Then add up those of one query.",
            "Which scores do you hand to `softmax` at a time?",
            "Take `softmax` of one query's scores at a time: `weights[i] = softmax(scores)`.",
        ),
        (SOFTMAX_LINE, "        weights[i] = scores\n    weights = softmax(weights.ravel()).reshape(weights.shape)\n    for i in range(num_queries):\n"),
        group="softmax",
    ),
)  # fmt: skip


def every_number_by_itself(query, key, value):
    T, S, D = len(query), len(key), len(query[0])
    output = np.zeros((T, len(value[0])))
    weights = np.zeros((T, S))
    for i in range(T):
        scores = np.zeros(S)
        for j in range(S):
            total = 0.0
            for d in range(D):
                total = total + query[i][d] * key[j][d]
            scores[j] = total * D**-0.5
        row = softmax(scores, axis=0)
        for j in range(S):
            weights[i, j] = row[j]
            for d in range(len(value[0])):
                output[i, d] += row[j] * value[j, d]
    return output, weights


def lists_and_zip(query, key, value):
    output, weights = [], []
    for q in query.tolist():
        scores = [sum(a * b for a, b in zip(q, k, strict=True)) / math.sqrt(len(q)) for k in key.tolist()]
        row = softmax(np.array(scores)).tolist()
        weights.append(row)
        output.append([sum(w * v for w, v in zip(row, column, strict=True)) for column in value.T.tolist()])
    return np.array(output), np.array(weights)


def a_softmax_of_its_own(query, key, value):
    weights = []
    for q in query:
        scores = [float(q.dot(k)) / math.sqrt(q.size) for k in key]
        top = max(scores)
        powers = [math.exp(score - top) for score in scores]
        weights.append([power / sum(powers) for power in powers])
    output = [sum(w * v for w, v in zip(row, value, strict=True)) for row in weights]
    return np.array(output), np.array(weights)


def one_query_at_a_time(query, key, value):
    rows = [softmax(np.dot(key, q) / np.sqrt(len(q))) for q in query]
    return np.stack([np.dot(row, value) for row in rows]), np.stack(rows)


def one_key_at_a_time(query, key, value):
    scores = np.empty((query.shape[0], key.shape[0]))
    for j, k in enumerate(key):
        scores[:, j] = (query * k).sum(axis=1)
    weights = softmax(scores / query.shape[1] ** 0.5, axis=1)
    output = np.zeros((query.shape[0], value.shape[1]))
    for j, v in enumerate(value):
        output += np.outer(weights[:, j], v)
    return output, weights


def query_scaled_first(query, key, value):
    scaled = query / math.sqrt(query.shape[-1])
    weights = np.zeros((len(query), len(key)))
    for i, j in np.ndindex(*weights.shape):
        weights[i, j] = np.inner(scaled[i], key[j])
    for i in range(len(weights)):
        weights[i] = softmax(scores=weights[i], axis=-1)
    output = np.empty((len(query), value.shape[-1]))
    for i, d in np.ndindex(*output.shape):
        output[i, d] = weights[i] @ value[:, d]
    return output, weights


def running_totals(query, key, value):
    output, weights = np.zeros((len(query), value.shape[1])), np.zeros((len(query), len(key)))
    for i in range(len(query)):
        top, total = -np.inf, 0.0
        for j in range(len(key)):
            score = np.vdot(query[i], key[j]) / math.sqrt(query.shape[1])
            higher = max(top, score)
            shrink, power = math.exp(top - higher), math.exp(score - higher)
            total = total * shrink + power
            output[i] = output[i] * shrink + power * value[j]
            weights[i] *= shrink
            weights[i, j] = power
            top = higher
        output[i] /= total
        weights[i] /= total
    return output, weights


def along_an_axis(query, key, value):
    def attend(q):
        return softmax(np.einsum("d,sd->s", q, key) / np.sqrt(q.shape[0]))

    weights = np.apply_along_axis(attend, 1, query)
    return np.apply_along_axis(lambda row: (row[:, None] * value).sum(0), 1, weights), weights


def stub(query, key, value):
    raise NotImplementedError


def the_input_itself(query, key, value):
    return np.resize(value, (len(query), value.shape[1])), np.eye(len(query), len(key))


def zeros(query, key, value):
    return np.zeros((len(query), value.shape[1])), np.zeros((len(query), len(key)))


def uniform(query, key, value):
    return np.tile(value.mean(axis=0), (len(query), 1)), np.full((len(query), len(key)), 1 / len(key))


def noise(query, key, value):
    random = np.random.default_rng()
    return random.random((len(query), value.shape[1])), random.random((len(query), len(key)))


ATTENTION_LOOPS = define(
    id="attention_loops",
    lesson="03_self_attention",
    place=1,
    module="course_lib.components.attention_loops",
    symbol="attention_loops",
    minutes=8,
    laws=LAWS,
    hints=(
        "Three steps for one query: a score for each key, `softmax` of those scores, then the values added up by weight. Print what you have after each.",
        "Work out one query and three keys on paper: three scores, three weights, one output. Compare after each step.",
        "`scores[j]` is the dot product of `query[i]` and `key[j]` over `math.sqrt(d_k)`; `weights[i] = softmax(scores)`; `output[i] += weights[i, j] * value[j]` for every `j`.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(
        every_number_by_itself, lists_and_zip, a_softmax_of_its_own, one_query_at_a_time, one_key_at_a_time,
        query_scaled_first, running_totals, along_an_axis,
    ),
    lazy=(stub, the_input_itself, zeros, uniform, noise),
    builds_on=("softmax",),
    switches=("scale", "softmax", "return"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


@ATTENTION_LOOPS.second_version("unscaled")
def all_scores_at_once(query, key, value):
    weights = softmax(query @ key.T)
    return weights @ value, weights


@ATTENTION_LOOPS.second_version("scaled_after_softmax")
def weights_divided(query, key, value):
    weights = np.array([softmax(key @ q) for q in query])
    weights /= np.sqrt(query.shape[1])
    return np.einsum("ts,sd->td", weights, value), weights


@ATTENTION_LOOPS.second_version("softmax_over_queries")
def one_column_at_a_time(query, key, value):
    weights = np.zeros((len(query), len(key)))
    for j in range(len(key)):
        weights[:, j] = softmax(np.array([q @ key[j] for q in query]) / math.sqrt(len(key[j])))
    return weights.dot(value), weights


@ATTENTION_LOOPS.second_version("value_of_the_query")
def sum_of_one_value(query, key, value):
    weights = [softmax(np.dot(key, q) / len(q) ** 0.5) for q in query]
    return np.array([sum(w * value[i] for w in row) for i, row in enumerate(weights)]), np.array(weights)


@ATTENTION_LOOPS.second_version("other_words_only")
def list_of_others(query, key, value):
    output, weights = np.zeros((len(query), value.shape[1])), np.zeros((len(query), len(key)))
    for i, q in enumerate(query):
        others = [j for j in range(len(key)) if j != i]
        weights[i, others] = softmax(key[others] @ q / math.sqrt(len(q)))
        output[i] = weights[i] @ value
    return output, weights


@ATTENTION_LOOPS.second_version("earlier_keys_only")
def slice_up_to_here(query, key, value):
    output, weights = np.zeros((len(query), value.shape[1])), np.zeros((len(query), len(key)))
    for i, q in enumerate(query):
        weights[i, : i + 1] = softmax(key[: i + 1] @ q / math.sqrt(len(q)))
        output[i] = weights[i, : i + 1] @ value[: i + 1]
    return output, weights


@ATTENTION_LOOPS.second_version("total_never_reset")
def total_set_to_zero_once(query, key, value):
    scores = np.zeros((len(query), len(key)))
    total = 0.0
    for i in range(len(query)):
        for j in range(len(key)):
            for d in range(query.shape[1]):
                total += query[i, d] * key[j, d]
            scores[i, j] = total / np.sqrt(query.shape[1])
    weights = softmax(scores)
    return weights @ value, weights


@ATTENTION_LOOPS.second_version("weights_of_whole_numbers")
def typed_as_int(query, key, value):
    weights = np.zeros((len(query), len(key)), dtype=int)
    for i in range(len(query)):
        weights[i, :] = softmax((query[i] * key).sum(1) / math.sqrt(query.shape[1]))
    return weights @ value, weights


@ATTENTION_LOOPS.second_version("output_of_whole_numbers")
def entry_by_entry(query, key, value):
    weights = softmax(query @ key.T / math.sqrt(query.shape[1]))
    output = np.zeros((len(query), value.shape[1]), dtype=int)
    for i in range(len(query)):
        for d in range(value.shape[1]):
            for j in range(len(key)):
                output[i, d] += weights[i, j] * value[j, d]
    return output, weights


@ATTENTION_LOOPS.second_version("values_overwritten")
def new_values(query, key, value):
    weights = softmax(query @ key.T / math.sqrt(query.shape[1]))
    output = []
    for row in weights:
        for j, weight in enumerate(row):
            value[j] = weight * value[j]
        output.append(value.sum(axis=0))
    return np.array(output), weights


@ATTENTION_LOOPS.second_version("keys_mixed")
def keys_added_up(query, key, value):
    weights = softmax(query @ key.T / math.sqrt(query.shape[1]))
    return np.array([sum(w * k for w, k in zip(row, key, strict=True)) for row in weights]), weights


@ATTENTION_LOOPS.second_version("unscaled + weights_first")
def two_slips(query, key, value):
    weights = np.array([softmax(key.dot(q)) for q in query])
    return weights, weights.dot(value)


@ATTENTION_LOOPS.second_version("root_cut_to_a_whole_number")
def rounded_down(query, key, value):
    root = int(query.shape[1] ** 0.5)
    weights = np.array([softmax(np.array([float(q @ k) / root for k in key])) for q in query])
    return np.array([sum(w * v for w, v in zip(row, value, strict=True)) for row in weights]), weights


@ATTENTION_LOOPS.second_version("one_output_for_all")
def the_same_array_appended(query, key, value):
    mixed, output, weights = np.zeros(value.shape[1]), [], []
    for q in query:
        weights.append(softmax(np.array([q @ k for k in key]) / math.sqrt(len(q))))
        for w, v in zip(weights[-1], value, strict=True):
            mixed += w * v
        output.append(mixed)
    return np.array(output), np.array(weights)


@ATTENTION_LOOPS.second_version("output_never_reset")
def one_sum_copied(query, key, value):
    mixed, output, weights = np.zeros(value.shape[1]), [], []
    for q in query:
        weights.append(softmax(np.array([q @ k for k in key]) / math.sqrt(len(q))))
        for w, v in zip(weights[-1], value, strict=True):
            mixed = mixed + w * v
        output.append(mixed)
    return np.array(output), np.array(weights)


@ATTENTION_LOOPS.second_version("no_max_subtraction")
def exponentials_one_by_one(query, key, value):
    weights = np.zeros((len(query), len(key)))
    for i, q in enumerate(query):
        for j, k in enumerate(key):
            weights[i, j] = np.exp(q @ k / np.sqrt(len(q)))
        weights[i] = weights[i] / sum(weights[i])
    return np.array([(row[:, None] * value).sum(0) for row in weights]), weights


@ATTENTION_LOOPS.second_version("query_overwritten")
def rows_divided_in_place(query, key, value):
    for i in range(len(query)):
        query[i] = query[i] / math.sqrt(query.shape[1])
    weights = np.array([softmax(np.array([q @ k for k in key])) for q in query])
    return np.array([sum(w * v for w, v in zip(row, value, strict=True)) for row in weights]), weights


@ATTENTION_LOOPS.second_version("output_averaged")
def mean_of_the_weighted(query, key, value):
    weights = np.array([softmax(np.array([q @ k for k in key]) / math.sqrt(len(q))) for q in query])
    return np.array([np.mean([w * v for w, v in zip(row, value, strict=True)], axis=0) for row in weights]), weights


@ATTENTION_LOOPS.second_version("softmax_over_everything")
def one_softmax_for_all(query, key, value):
    scores = [float(q @ k) / math.sqrt(len(q)) for q in query for k in key]
    weights = np.reshape(softmax(np.array(scores)), (len(query), len(key)))
    return np.array([sum(w * v for w, v in zip(row, value, strict=True)) for row in weights]), weights
