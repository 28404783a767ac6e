"""Exercise `attention_loops`: attention one number at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.exercises.definition import Outline
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Question, calling
from course_lib.checking.rules import equals_reference, inputs_unchanged, sums_to_one

question = calling("query", "key", "value", returns=["output", "weights"])


def by_hand(sampler: Sampler) -> Question:
    """Return a question with two queries and three keys of width 4. A query of 0s and 2s only selects and adds."""
    query = np.array([[2.0, 0.0, 0.0, 2.0], [0.0, 2.0, 2.0, 0.0]])
    key = np.array([[0.0, 1.0, 1.0, 0.0], [1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 1.0, 1.0]])
    value = np.array([[1.0], [2.0], [4.0]])
    return question(
        "by_hand", query, key + np.round(sampler.array(3, 4, scale=0.1), 1), value + np.round(sampler.array(3, 1), 1)
    )


def large(sampler: Sampler, num_queries: int, num_keys: int, d_k: int, d_v: int) -> Question:
    """Return a question with scores in the thousands. Rows are high or low, and each has some much higher keys."""
    query, key = sampler.array(num_queries, d_k), sampler.array(num_keys, d_k)
    query[:, 0] = np.where(np.arange(num_queries) % 2 == 0, 80.0, -80.0)
    query[:, 1] = 40.0
    key[:, 0] = 100.0
    key[:, 1] = np.where(np.arange(num_keys) % 2 == 0, 100.0, -100.0)
    return question("large", query, key, sampler.array(num_keys, d_v))


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about small numbers, distinct sizes, scores too large for ``exp``, and equal sizes to name what crashes."""
    t, s, n = sampler.sizes(3)
    d_k, d_v = sampler.widths(2)
    yield by_hand(sampler)
    yield question("plain", sampler.array(t, d_k), sampler.array(s, d_k), sampler.array(s, d_v))
    yield large(sampler, t, s, d_k, d_v)
    yield question("square", sampler.array(n, n), sampler.array(n, n), sampler.array(n, n))


CHECKS = (
    Check("weights_by_hand", equals_reference, "by_hand", "two queries and three keys: the weights come out right", 0.3,
        {"fields": ["weights"]}),
    Check("output_by_hand", equals_reference, "by_hand", "two queries and three keys: the output comes out right", 0.3,
        {"fields": ["output"]}),
    Check("weights_plain", equals_reference, "plain", "with other lengths and widths, the weights come out right", 0.4,
        {"fields": ["weights"]}, also=("square",)),
    Check("output_plain", equals_reference, "plain", "with other lengths and widths, the output comes out right", 0.4,
        {"fields": ["output"]}, also=("square",)),
    Check("rows_sum_to_one", sums_to_one, "plain", "each query's weights sum to 1", 0.2,
        {"field": "weights"}, needs="weights_plain"),
    Check("large_scores", equals_reference, "large", "scores of several thousand give the right weights, not nan", 0.2,
        {"fields": ["weights", "output"]}),
    Check("inputs_unchanged", inputs_unchanged, "plain", "your inputs are left as they were", 0.2, needs="output_plain"),
)  # fmt: skip


EXERCISE = Outline(
    minutes=12,
    checks=CHECKS,
    hints=(
        "Three steps for one query: a score for each key, `softmax` of those scores, then the values added up by weight. Print what you have after each.",
        "Work out one query and three keys on paper: three scores, three weights, one output. Compare after each step.",
        "`scores[j]` is the dot product of `query[i]` and `key[j]` over `math.sqrt(d_k)`; `weights[i] = softmax(scores)`; `output[i] += weights[i, j] * value[j]` for every `j`.",
    ),
    ask=ask,
    builds_on=("softmax",),
)
