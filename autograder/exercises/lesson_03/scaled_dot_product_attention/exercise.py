"""Exercise `scaled_dot_product_attention`: the operation on which every later lesson builds, in PyTorch."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from autograder.exercises.definition import Outline
from autograder.exercises.finished_functions import WRITTEN_BY_HAND, watched
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import DistinctRows, Question, calling
from course_lib.checking.rules import equals_reference, inputs_unchanged, keeps_dtype, sums_to_one, zero_where_blocked

_question = calling("query", "key", "value", "mask", returns=["output", "weights"])


def _inputs(sampler: Sampler, *lengths: int, d_k: int, d_v: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return query, key and value for lengths ``(..., T, S)``."""
    *lead, t, s = lengths
    return sampler.tensor(*lead, t, d_k), sampler.tensor(*lead, s, d_k), sampler.tensor(*lead, s, d_v)


def masked_here_and_there(sampler: Sampler, *shape: int) -> Tensor:
    """Return a mask whose first query sees all keys but one, because with a single key, the scale doesn't matter."""
    mask = sampler.mask(*shape)
    mask.view(-1, shape[-1])[0] = torch.arange(shape[-1]) != sampler.order(shape[-1])[0]
    return mask


def _on_paper(sampler: Sampler) -> tuple[Tensor, Tensor, Tensor]:
    """Return two queries and three keys of width 4. A query of 0s and 2s only selects and adds."""
    query = torch.tensor([[2.0, 0.0, 0.0, 2.0], [0.0, 2.0, 0.0, 0.0]])
    key = torch.tensor([[1.0, 0.0, 2.0, 0.0], [0.0, 1.0, 1.0, 0.0], [0.0, 3.0, 0.0, 1.0]])
    value = torch.tensor([[10.0], [20.0], [40.0]])
    key = key + sampler.tensor(3, 4, scale=0.3).round(decimals=1)
    return query, key, value + sampler.tensor(3, 1, scale=3).round()


def _dropped(sampler: Sampler) -> Question:
    """Ask one query 200 times, with dropout. Of two weights, each may be dropped, so four different outputs occur."""
    d_k, _ = sampler.widths(2)
    query, key, value = sampler.tensor(1, d_k), sampler.tensor(2, d_k, scale=0.7), sampler.tensor(2, 2)
    arguments = {"query": query.repeat(200, 1), "key": key, "value": value, "mask": None, "dropout": 0.4}
    return DistinctRows("dropped", arguments, returns=["output", "weights"])


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about small numbers, sizes, masks, an empty row, large scores, dropout, and equal sizes to name what crashes.

    In `large`, the first query's visible keys score far below −1,000 and the masked one far above, so that a mask
    constant that is not low enough fails. The second query is the opposite, so that exp overflows. The weights there
    are 0 or 1, regardless of rounding.
    """
    few, *lengths = sorted(sampler.sizes(4))
    t, s, more = (lengths[int(i)] for i in sampler.order(3))
    d_k, d_v = sampler.widths(2)
    query, key, value = _on_paper(sampler)
    numbers = _question("by_hand", query, key, value)
    yield numbers
    yield watched(
        numbers,
        _question("by_hand", *_on_paper(sampler.apart("watched"))),
        "nn.functional.scaled_dot_product_attention",
        "nn.functional.multi_head_attention_forward",
        "nn.MultiheadAttention",
        "nn.attention.flex_attention.flex_attention",
    )
    some, all_masked = masked_here_and_there(sampler, 1, 3), torch.zeros(1, 3, dtype=torch.bool)
    # in float32, subtracting a billion loses the score, so a row that is masked in this way becomes uniform
    paper = (query.float(), key.float(), value.float())
    yield _question("fully_masked", *paper, torch.cat([some, all_masked]))
    upstream = {"output": sampler.tensor(2, 1), "weights": sampler.tensor(2, 3)}
    yield _question("masked_gradients", query, key, value, torch.cat([some, all_masked]), upstream=upstream)
    query, key, value = _on_paper(sampler)
    query[:, 0], key[:, 0] = torch.tensor([80.0, -80.0]), torch.tensor([-60.0, -70.0, 60.0])
    order = sampler.order(3)
    allowed = torch.tensor([[True, True, False]]).expand(2, 3)
    yield _question("large", query, key[order], value, allowed[:, order])
    yield _question("plain", *_inputs(sampler, few, t, s, d_k=d_k, d_v=d_v))
    yield _question("masked", *_inputs(sampler, few, t, s, d_k=d_v, d_v=d_k), masked_here_and_there(sampler, t, s))
    yield _question(
        "padding", *_inputs(sampler, few, s, t, d_k=d_k, d_v=d_v), masked_here_and_there(sampler, few, 1, t)
    )
    yield _question(
        "heads", *_inputs(sampler, few, more, s, t, d_k=d_k, d_v=d_v), masked_here_and_there(sampler, few, 1, 1, t)
    )
    yield _question("gradients", *_inputs(sampler, s, t, d_k=d_v, d_v=d_k), upstream=sampler.tensor(s, d_k))
    yield _dropped(sampler.apart("dropped"))
    yield _question("cube", *(sampler.tensor(2, 2, 2, 2) for _ in range(3)))


GRADIENTS = {"fields": ["gradients/query", "gradients/key", "gradients/value"]}


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "two queries and three keys come out right", 0.5,
        {"fields": ["output", "weights"]}),
    Check("weights_plain", equals_reference, "plain", "in a batch, the weights come out right", 0.25,
        {"fields": ["weights"]}),
    Check("output_plain", equals_reference, "plain", "in a batch, the output comes out right", 0.25,
        {"fields": ["output"]}),
    Check("equals_masked", equals_reference, "masked", "a mask (T, S) comes out right", 0.5,
        {"fields": ["output", "weights"]}),
    Check("masked_keys_weigh_nothing", zero_where_blocked, "masked", "masked keys get no weight", 0.25,
        {"field": "weights"}, needs="weights_plain"),
    Check("rows_sum_to_one", sums_to_one, "masked", "each query's weights sum to 1, with a mask too", 0.0,
        {"field": "weights"}),
    Check("padding_mask", equals_reference, "padding", "a mask (B, 1, S), one row for all queries of a sentence, comes out right", 0.25,
        {"fields": ["output", "weights"]}),
    Check("heads", equals_reference, "heads", "a batch of heads (B, H, T, Dk) with a mask (B, 1, 1, S) comes out right", 0.25,
        {"fields": ["output", "weights"]}),
    Check("fully_masked", equals_reference, "fully_masked", "a query whose keys are all masked comes out right: zeros", 0.25,
        {"fields": ["output", "weights"]}),
    Check("large_scores", equals_reference, "large", "scores of several thousand come out right, and a masked key still gets no weight", 0.25,
        {"fields": ["output", "weights"]}),
    Check("gradients", equals_reference, "gradients", "the gradients of query, key and value are right", 0.25, GRADIENTS),
    Check("masked_gradients", equals_reference, "masked_gradients", "the gradients are right through the weights, too, and with a mask that leaves a query nothing to see", 0.25,
        GRADIENTS),
    Check("dropout", equals_reference, "dropped", "with `dropout`, output and weights are right: weights are dropped, and returned as they were before", 0.25,
        {"fields": ["output", "weights"]}),
    Check("inputs_unchanged", inputs_unchanged, "masked", "your inputs are left as they were, the mask too", 0.25,
        needs="equals_masked"),
    Check("keeps_dtype", keeps_dtype, "cube", "float64 in, float64 out", 0.25,
        {"fields": ["output", "weights"]}, needs="weights_plain"),
    WRITTEN_BY_HAND,
)  # fmt: skip


EXERCISE = Outline(
    minutes=15,
    checks=CHECKS,
    hints=(
        "Write down the shape of every line, for two queries and three keys. Where do the sizes T, S, d_k and d_v go?",
        "Five steps: scores, mask, softmax, dropout, weighted sum. Work out two queries and three keys on paper, and compare after each step.",
        "Scores are `query @ key.transpose(-2, -1)` over √d_k; masked ones become the lowest number; "
        "softmax along the last axis; masked weights become 0; output is `F.dropout(weights, dropout) @ value`. Return output and weights.",
    ),
    ask=ask,
)
