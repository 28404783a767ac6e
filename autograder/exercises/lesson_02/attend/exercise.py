"""Exercise `attend`: turn scores into weights, and weights into a mean of the values."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from autograder.exercises.definition import Outline
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Calls, Question, calling
from course_lib.checking.rules import (
    equals_reference,
    finite,
    inputs_unchanged,
    keeps_dtype,
    sums_to_one,
    zero_where_blocked,
)


def _inputs(sampler: Sampler, b: int, s: int, d_value: int) -> tuple[Tensor, Tensor]:
    """Return scores (B, S) and values (B, S, Dv)."""
    return sampler.tensor(b, s), sampler.tensor(b, s, d_value)


_question = calling("scores", "values", "mask", returns=["context", "weights"])


def _on_paper(sampler: Sampler) -> tuple[Tensor, Tensor]:
    """Return two sentences of three keys with values of one number, so that a context is a mean of three numbers."""
    scores = torch.tensor([[2.0, 0.0, 1.0], [0.0, 1.0, -1.0]]) + sampler.tensor(2, 3, scale=0.3).round(decimals=1)
    values = torch.tensor([[10.0, 20.0, 40.0], [60.0, 30.0, 50.0]]) + sampler.tensor(2, 3, scale=3).round()
    return scores, values.unsqueeze(-1)


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about small numbers, distinct sizes, masks, an empty row, large scores, one key, and equal sizes.

    In the first sentence of `large`, visible keys score far below −1,000 and the masked one far above, so that a mask
    constant that is not low enough fails. The second sentence is the opposite, so that exp overflows. In the third,
    only the masked key scores far above. The weights there are 0 or 1, regardless of rounding.
    """
    b, s = sorted(sampler.sizes(2))
    d, wide = sampler.widths(2)
    scores, values = _on_paper(sampler)
    yield _question("by_hand", scores, values)
    two_left = torch.tensor([True, True, False])[sampler.order(3)]
    mask = torch.stack([two_left, torch.zeros(3, dtype=torch.bool)])
    yield _question("fully_masked", scores, values, mask, upstream=sampler.tensor(2, 1))
    scores, values = (given[[0, 1, 0]] for given in _on_paper(sampler))
    far = torch.tensor([[-2400.0, -2700.0, 2400.0], [2400.0, 2700.0, -2400.0], [0.0, -300.0, 2400.0]])
    allowed, order = torch.tensor([[True, True, False]]).expand(3, 3), sampler.order(3)
    yield _question("large", (scores + far)[:, order], values, allowed[:, order])
    yield _question("plain", *_inputs(sampler, b, s, d))
    mask = sampler.mask(b, s)
    mask[0] = torch.arange(s) != sampler.order(s)[0]
    yield _question("masked", *_inputs(sampler, b, s, wide), mask)
    one, other = _inputs(sampler, 1, s, d), _inputs(sampler, b, 1, d)
    calls = [{"scores": scores, "values": values} for scores, values in (one, other)]
    yield Calls("one_of_each", calls, returns=["context", "weights"])
    yield _question("gradients", *_inputs(sampler, s, b, wide), upstream=sampler.tensor(s, wide))
    yield _question("cube", sampler.tensor(3, 3), sampler.tensor(3, 3, 3))


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "two sentences of three keys come out right", 0.65,
        {"fields": ["context", "weights"]}),
    Check("weights_plain", equals_reference, "plain", "in a batch, the weights come out right", 0.35,
        {"fields": ["weights"]}),
    Check("context_plain", equals_reference, "plain", "in a batch, the context comes out right", 0.35,
        {"fields": ["context"]}),
    Check("equals_masked", equals_reference, "masked", "a mask (B, S) comes out right", 0.65,
        {"fields": ["context", "weights"]}),
    Check("masked_keys_weigh_nothing", zero_where_blocked, "masked", "masked keys get no weight", 0.2,
        {"field": "weights"}, needs="weights_plain"),
    Check("rows_sum_to_one", sums_to_one, "masked", "each sentence's weights sum to 1, with a mask too", 0.2,
        {"field": "weights"}, needs="weights_plain"),
    Check("fully_masked", equals_reference, "fully_masked", "two sentences, one of them with all keys masked, come out right: zeros for that one", 0.35,
        {"fields": ["context", "weights"]}),
    Check("finite_gradients", finite, "fully_masked", "such a sentence leaves no nan in the gradients", 0.2,
        {"fields": ["gradients/scores", "gradients/values"]}, needs="fully_masked"),
    Check("large_scores", equals_reference, "large", "scores of several thousand come out right, and a masked key still gets no weight", 0.25,
        {"fields": ["context", "weights"]}),
    Check("one_of_each", equals_reference, "one_of_each", "one sentence, (1, Dv) and (1, S), comes out right, and so does a single key, which takes all the weight", 0.15,
        {"fields": [f"calls/{call}/{field}" for call in (0, 1) for field in ("context", "weights")]}),
    Check("gradients", equals_reference, "gradients", "the gradients of scores and values are right", 0.4,
        {"fields": ["gradients/scores", "gradients/values"]}),
    Check("inputs_unchanged", inputs_unchanged, "masked", "your inputs are left as they were, the mask too", 0.1,
        needs="equals_masked"),
    Check("keeps_dtype", keeps_dtype, "cube", "float64 in, float64 out", 0.15,
        {"fields": ["context", "weights"]}, needs="weights_plain"),
)  # fmt: skip


EXERCISE = Outline(
    minutes=15,
    checks=CHECKS,
    hints=(
        "Write down the shape of every line, for two sentences of three keys. Where do the sizes B, S and Dv go?",
        "Three steps: mask, softmax, weighted sum. Compare each with a small example, on paper, until one differs.",
        "Masked scores become the lowest number; softmax along the last axis; masked weights become 0; "
        "the weights as a row, (B, 1, S), times the values, (B, S, Dv). Return context and weights.",
    ),
    ask=ask,
)
