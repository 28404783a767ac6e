"""Exercise `attention_numpy`: attention as three matrix operations, with any leading dimensions."""

from __future__ import annotations

from collections.abc import Iterator

from autograder.exercises.definition import Outline
from autograder.exercises.lesson_03.attention_loops.exercise import by_hand, large, question
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Question
from course_lib.checking.rules import equals_reference, inputs_unchanged, sums_to_one


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about small numbers, two to four dimensions, large scores, and equal sizes to name what crashes."""
    t, s, b, h = sampler.sizes(4)
    d_k, d_v = sampler.widths(2)
    (n,) = sampler.sizes(1)
    yield by_hand(sampler)
    # values of width 1 are enough in four dimensions, because every registered mistake still shows
    for name, leading, width in (("matrices", (), d_v), ("batch", (b,), d_v), ("heads", (b, h), 1)):
        yield question(
            name, sampler.array(*leading, t, d_k), sampler.array(*leading, s, d_k), sampler.array(*leading, s, width)
        )
    yield large(sampler, t, s, d_k, d_v)
    yield question("square", sampler.array(n, n, n), sampler.array(n, n, n), sampler.array(n, n, n))


BOTH = {"fields": ["weights", "output"]}


CHECKS = (
    Check("weights_by_hand", equals_reference, "by_hand", "two queries and three keys: the weights come out right", 0.1,
        {"fields": ["weights"]}),
    Check("output_by_hand", equals_reference, "by_hand", "two queries and three keys: the output comes out right", 0.1,
        {"fields": ["output"]}),
    Check("matrices", equals_reference, "matrices", "matrices of other sizes, and a batch of square ones, come out right", 0.2, BOTH, also=("square",)),
    Check("batch", equals_reference, "batch", "a batch, three dimensions, comes out right", 0.2, BOTH),
    Check("heads", equals_reference, "heads", "four dimensions come out right", 0.1, BOTH),
    Check("large_scores", equals_reference, "large", "scores of several thousand give the right weights, not nan", 0.1, BOTH),
    Check("rows_sum_to_one", sums_to_one, "batch", "each query's weights sum to 1", 0.1, {"field": "weights"}, needs="batch"),
    Check("inputs_unchanged", inputs_unchanged, "batch", "your inputs are left as they were", 0.1, needs="batch"),
)  # fmt: skip


EXERCISE = Outline(
    minutes=5,
    checks=CHECKS,
    hints=(
        "Three lines: scores, weights, output. Print the shape after each, for a matrix and for a batch.",
        "Compare each line with your `attention_loops`: which loop has become which axis? Count axes from the end, so that a batch in front changes nothing.",
        "`query @ np.swapaxes(key, -2, -1)` over `math.sqrt(query.shape[-1])`; `softmax` along `axis=-1`; then `weights @ value`.",
    ),
    ask=ask,
    builds_on=("softmax",),
)
