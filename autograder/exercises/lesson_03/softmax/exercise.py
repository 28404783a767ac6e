"""Exercise `softmax`, the lesson's first, in NumPy."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.exercises.definition import Outline
from autograder.exercises.finished_functions import WRITTEN_BY_HAND, watched
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Question, calling
from course_lib.checking.rules import equals_reference, inputs_unchanged, keeps_dtype, sums_to_one

_question = calling("scores", "axis", returns=["weights"])


def _on_paper(sampler: Sampler) -> np.ndarray:
    """Return two rows of three scores."""
    return np.array([[0.0, 1.0, 2.0], [3.0, 1.0, 1.0]]) + np.round(sampler.array(1, 3, scale=0.2), 1)


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about plain rows, another axis, numbers too large for ``exp``, masks, and squares to name what crashes."""
    a, b, c = sampler.sizes(3)
    (d,) = sampler.widths(1)
    by_hand = _question("by_hand", _on_paper(sampler))
    yield by_hand
    own = _question("by_hand", _on_paper(sampler.apart("watched")))
    yield watched(
        by_hand, own, *(place + name for place in ("", "nn.functional.") for name in ("softmax", "log_softmax"))
    )
    yield _question("plain", sampler.array(a, b, c))
    yield _question("other_axis", sampler.array(d, b, c), 1)
    far = np.where(np.arange(a)[:, None] % 2 == 0, 10_000.0, -10_000.0)
    yield _question("huge", sampler.array(a, b) + far)
    blocked = sampler.array(b, d)
    blocked[:, 1] = blocked[0, 2] = -np.inf
    yield _question("minus_infinity", blocked)
    wide = sampler.array(2, 3)  # in each row, one score far above the others, by less than exp can take or by more
    wide[0, 0], wide[1, 0] = 950.0, 10_000.0
    yield _question("wide", wide)
    low = sampler.array(b, d) - 3e9
    low[:, 2] = low[0, 1] = -np.inf
    yield _question("low", low)
    yield _question("square", sampler.array(d, d))
    yield _question("row", sampler.array(c))


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "two rows of three scores come out right", 0.5,
        {"fields": ["weights"]}),
    Check("equals_plain", equals_reference, "plain", "arrays of one, two and three dimensions come out right", 0.5,
        {"fields": ["weights"]}, also=("square", "row")),
    Check("rows_sum_to_one", sums_to_one, "plain", "the weights of each row sum to 1", 0.25,
        {"field": "weights"}, needs="equals_plain"),
    Check("other_axis", equals_reference, "other_axis", "`axis=1` comes out right", 0.5, {"fields": ["weights"]}),
    Check("stable", equals_reference, "huge", "scores of ±10,000 give the right weights, not nan", 0.75,
        {"fields": ["weights"]}, also=("wide",)),
    Check("minus_infinity", equals_reference, "minus_infinity", "rows with a score of −∞ come out right: its weight is 0, however low the others are", 0.25,
        {"fields": ["weights"]}, also=("low",)),
    Check("inputs_unchanged", inputs_unchanged, "plain", "your input is left as it was", 0.15, needs="equals_plain"),
    Check("keeps_dtype", keeps_dtype, "plain", "float64 in, float64 out", 0.1, {"fields": ["weights"]}, needs="equals_plain"),
    WRITTEN_BY_HAND,
)  # fmt: skip


EXERCISE = Outline(
    minutes=5,
    checks=CHECKS,
    hints=(
        "Three steps: shift, exponentiate, divide. Print the shape after each.",
        "Work out one row of three scores on paper, and compare after each step.",
        "Subtract the maximum along `axis`, take `np.exp`, divide by the sum along `axis`; `keepdims=True` both times.",
    ),
    ask=ask,
)
