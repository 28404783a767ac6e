"""Exercise `online_softmax`: add a chunk of scores and values to a maximum and two sums."""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch
from torch import Tensor

from autograder.exercises.definition import Outline
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Question, calling
from course_lib.checking.rules import equals_reference, finite, inputs_unchanged

NAMES = ("maximum", "total", "mixture", "scores", "value")


STATE = NAMES[:3]


_question = calling(*NAMES, returns=STATE)


def _nothing_yet(*lead: int, d_v: int) -> tuple[Tensor, Tensor, Tensor]:
    return torch.full(lead, -math.inf), torch.zeros(lead), torch.zeros(*lead, d_v)


def _carried(sampler: Sampler, *lead: int, d_v: int, level: float = 0.0) -> tuple[Tensor, Tensor, Tensor]:
    """Return a maximum close to ``level``, and sums that are possible after some chunks."""
    total = 1 + sampler.tensor(*lead).abs()
    return sampler.tensor(*lead) + level, total, total.unsqueeze(-1) * sampler.tensor(*lead, d_v)


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about two chunks by hand, first chunks, later ones with larger or smaller scores, masks, heads, extremes."""
    logs = torch.tensor([2.0, 4.0, 8.0, 1.0]).log()
    value = torch.tensor([[6.0], [3.0], [9.0], [12.0]]) + sampler.tensor(4, 1).round()
    yield _question("first_on_paper", *_nothing_yet(1, d_v=1), logs[None, :2], value[:2])
    after = torch.tensor([4.0]).log(), torch.tensor([1.5]), torch.tensor([[6.0]])
    yield _question("second_on_paper", *after, logs[None, 2:], value[2:])
    few, t, c = sorted(sampler.sizes(3))
    d_v, d_w = sampler.widths(2)
    yield _question("first", *_nothing_yet(few, t, d_v=d_v), sampler.tensor(few, t, c), sampler.tensor(few, c, d_v))
    yield _question(
        "larger", *_carried(sampler, few, t, d_v=d_v), sampler.tensor(few, t, c) + 5, sampler.tensor(few, c, d_v)
    )
    yield _question(
        "smaller", *_carried(sampler, few, c, d_v=d_w), sampler.tensor(few, c, t) - 5, sampler.tensor(few, t, d_w)
    )
    yield _question("one_sentence", *_carried(sampler, t, d_v=d_w), 2 * sampler.tensor(t, c), sampler.tensor(c, d_w))
    heads = sampler.tensor(few, 1, t, c).transpose(-2, -1).contiguous().transpose(-2, -1)
    yield _question("heads", *_carried(sampler, few, 1, t, d_v=d_v), heads, sampler.tensor(few, 1, c, d_v))
    hidden = sampler.tensor(few, t, c).masked_fill(~sampler.mask(few, t, c), -math.inf)
    hidden[:, 0] = -math.inf
    yield _question("masked", *_carried(sampler, few, t, d_v=d_v), hidden, sampler.tensor(few, c, d_v))
    hidden = sampler.tensor(few, t, c).masked_fill(~sampler.mask(few, t, c), -math.inf)
    hidden[:, -1] = -math.inf
    yield _question("nothing_yet_masked", *_nothing_yet(few, t, d_v=d_v), hidden, sampler.tensor(few, c, d_v))
    high = _carried(sampler, few, t, d_v=d_v, level=900)
    yield _question("high", *high, 3 * sampler.tensor(few, t, c) + 900, sampler.tensor(few, c, d_v))
    low = _nothing_yet(few, t, d_v=d_v)
    yield _question("low", *low, 3 * sampler.tensor(few, t, c) - 900, sampler.tensor(few, c, d_v))
    upstream = {"total": sampler.tensor(few, t), "mixture": sampler.tensor(few, t, d_v)}
    given = *_carried(sampler, few, t, d_v=d_v), 2 * sampler.tensor(few, t, c), sampler.tensor(few, c, d_v)
    yield _question("gradients", *given, upstream=upstream)


ALL = {"fields": list(STATE)}


CHECKS = (
    Check("first_on_paper", equals_reference, "first_on_paper", "the first chunk on paper comes out right", 0.25, ALL),
    Check("second_on_paper", equals_reference, "second_on_paper", "the second chunk on paper comes out right", 0.25, ALL),
    Check("maximum", equals_reference, "larger", "the maximum is right: that of all scores so far", 0.25, {"fields": ["maximum"]},
        also=("smaller",)),
    Check("total", equals_reference, "larger", "the total is right where scores are larger than before", 0.25,
        {"fields": ["total"]}),
    Check("mixture", equals_reference, "larger", "the mixture is right where scores are larger than before", 0.25, {"fields": ["mixture"]}),
    Check("smaller", equals_reference, "smaller", "a chunk of smaller scores comes out right", 0.25, ALL),
    Check("first", equals_reference, "first", "the first chunk of a batch comes out right", 0.25, ALL),
    Check("other_shapes", equals_reference, "one_sentence", "one sentence without a batch, and heads, come out right", 0.25, ALL,
        also=("heads",)),
    Check("masked", equals_reference, "masked", "masked keys come out right, and a chunk masked throughout", 0.25, ALL),
    Check("nothing_yet_masked", equals_reference, "nothing_yet_masked", "a query that has seen no key comes out right: its sums stay 0", 0.25, ALL),
    Check("extremes", equals_reference, "high", "scores around 900 and −900 come out right", 0.25, ALL, also=("low",)),
    Check("no_overflow", finite, "high", "scores around 900 bring no infinite number", 0.0, ALL, needs="total"),
    Check("inputs_unchanged", inputs_unchanged, "larger", "the sums that you are given are left as they were", 0.25, needs="total"),
    Check("gradients", equals_reference, "gradients", "the gradients are right", 0.0,
        {"fields": [f"gradients/{name}" for name in ("total", "mixture", "scores", "value")]}),
)  # fmt: skip


def _allows(question: Question) -> bool:
    """Return whether the sums that were carried over are for the queries of the scores."""
    given = question.inputs[-1]
    queries = given["scores"].shape[:-1]
    return bool(given["maximum"].shape == given["total"].shape == given["mixture"].shape[:-1] == queries)


EXERCISE = Outline(
    minutes=20,
    checks=CHECKS,
    hints=(
        "Do the second chunk of the table on paper. Which number do you need before you can do anything else?",
        "First the new maximum, `torch.maximum(maximum, scores.amax(dim=-1))`. Then the factor for the old sums, e^(old − new). Then the exponentials of the chunk, relative to the new maximum.",
        "With `shift = new.masked_fill(new == -torch.inf, 0.0)`: `shrink = torch.exp(maximum - shift)`, `weights = torch.exp(scores - shift.unsqueeze(-1))`, `total * shrink + weights.sum(dim=-1)`, `mixture * shrink.unsqueeze(-1) + weights @ value`.",
    ),
    ask=ask,
    allows=_allows,
)
