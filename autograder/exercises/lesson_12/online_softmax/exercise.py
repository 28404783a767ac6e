"""Exercise `online_softmax`: add a chunk of scores and values to a maximum and two sums."""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch
from torch import Tensor

from autograder.exercises.definition import Outline
from autograder.exercises.draw import Draw
from course_lib.checking.exercise import Law
from course_lib.checking.laws import equals_reference, finite, inputs_unchanged
from course_lib.checking.questions import Question, calling

NAMES = ("maximum", "total", "mixture", "scores", "value")


STATE = NAMES[:3]


_question = calling(*NAMES, returns=STATE)


def _nothing_yet(*lead: int, d_v: int) -> tuple[Tensor, Tensor, Tensor]:
    return torch.full(lead, -math.inf), torch.zeros(lead), torch.zeros(*lead, d_v)


def _carried(draw: Draw, *lead: int, d_v: int, level: float = 0.0) -> tuple[Tensor, Tensor, Tensor]:
    """Return a maximum close to ``level``, and sums that are possible after some chunks."""
    total = 1 + draw.tensor(*lead).abs()
    return draw.tensor(*lead) + level, total, total.unsqueeze(-1) * draw.tensor(*lead, d_v)


def ask(draw: Draw) -> Iterator[Question]:
    """Ask about two chunks by hand, first chunks, later ones with larger or smaller scores, masks, heads, extremes."""
    logs = torch.tensor([2.0, 4.0, 8.0, 1.0]).log()
    value = torch.tensor([[6.0], [3.0], [9.0], [12.0]]) + draw.tensor(4, 1).round()
    yield _question("first_on_paper", *_nothing_yet(1, d_v=1), logs[None, :2], value[:2])
    after = torch.tensor([4.0]).log(), torch.tensor([1.5]), torch.tensor([[6.0]])
    yield _question("second_on_paper", *after, logs[None, 2:], value[2:])
    few, t, c = sorted(draw.sizes(3))
    d_v, d_w = draw.widths(2)
    yield _question("first", *_nothing_yet(few, t, d_v=d_v), draw.tensor(few, t, c), draw.tensor(few, c, d_v))
    yield _question("larger", *_carried(draw, few, t, d_v=d_v), draw.tensor(few, t, c) + 5, draw.tensor(few, c, d_v))
    yield _question("smaller", *_carried(draw, few, c, d_v=d_w), draw.tensor(few, c, t) - 5, draw.tensor(few, t, d_w))
    yield _question("one_sentence", *_carried(draw, t, d_v=d_w), 2 * draw.tensor(t, c), draw.tensor(c, d_w))
    heads = draw.tensor(few, 1, t, c).transpose(-2, -1).contiguous().transpose(-2, -1)
    yield _question("heads", *_carried(draw, few, 1, t, d_v=d_v), heads, draw.tensor(few, 1, c, d_v))
    hidden = draw.tensor(few, t, c).masked_fill(~draw.mask(few, t, c), -math.inf)
    hidden[:, 0] = -math.inf
    yield _question("masked", *_carried(draw, few, t, d_v=d_v), hidden, draw.tensor(few, c, d_v))
    hidden = draw.tensor(few, t, c).masked_fill(~draw.mask(few, t, c), -math.inf)
    hidden[:, -1] = -math.inf
    yield _question("nothing_yet_masked", *_nothing_yet(few, t, d_v=d_v), hidden, draw.tensor(few, c, d_v))
    high = _carried(draw, few, t, d_v=d_v, level=900)
    yield _question("high", *high, 3 * draw.tensor(few, t, c) + 900, draw.tensor(few, c, d_v))
    low = _nothing_yet(few, t, d_v=d_v)
    yield _question("low", *low, 3 * draw.tensor(few, t, c) - 900, draw.tensor(few, c, d_v))
    upstream = {"total": draw.tensor(few, t), "mixture": draw.tensor(few, t, d_v)}
    given = *_carried(draw, few, t, d_v=d_v), 2 * draw.tensor(few, t, c), draw.tensor(few, c, d_v)
    yield _question("gradients", *given, upstream=upstream)


ALL = {"fields": list(STATE)}


LAWS = (
    Law("first_on_paper", equals_reference, "first_on_paper", "the first chunk on paper comes out right", 0.25, ALL),
    Law("second_on_paper", equals_reference, "second_on_paper", "the second chunk on paper comes out right", 0.25, ALL),
    Law("maximum", equals_reference, "larger", "the maximum is that of all scores so far", 0.25, {"fields": ["maximum"]},
        also=("smaller",)),
    Law("total", equals_reference, "larger", "the total is right where scores are larger than before", 0.25,
        {"fields": ["total"]}),
    Law("mixture", equals_reference, "larger", "the mixture is right where scores are larger than before", 0.25, {"fields": ["mixture"]}),
    Law("smaller", equals_reference, "smaller", "a chunk of smaller scores comes out right", 0.25, ALL),
    Law("first", equals_reference, "first", "the first chunk of a batch comes out right", 0.25, ALL),
    Law("other_shapes", equals_reference, "one_sentence", "one sentence without a batch, and heads, come out right", 0.25, ALL,
        also=("heads",)),
    Law("masked", equals_reference, "masked", "masked keys come out right, and a chunk masked throughout", 0.25, ALL),
    Law("nothing_yet_masked", equals_reference, "nothing_yet_masked", "a query that has seen no key keeps sums of 0", 0.25, ALL),
    Law("extremes", equals_reference, "high", "scores around 900 and −900 come out right", 0.25, ALL, also=("low",)),
    Law("no_overflow", finite, "high", "scores around 900 bring no infinite number", 0.0, ALL, needs="total"),
    Law("inputs_unchanged", inputs_unchanged, "larger", "what was carried is left as it was", 0.25, needs="total"),
    Law("gradients", equals_reference, "gradients", "the gradients are right", 0.0,
        {"fields": [f"gradients/{name}" for name in ("total", "mixture", "scores", "value")]}),
)  # fmt: skip


EXERCISE = Outline(
    minutes=20,
    laws=LAWS,
    hints=(
        "Do the second chunk of the table on paper. Which number do you need before you can do anything else?",
        "First the new maximum, `torch.maximum(maximum, scores.amax(dim=-1))`. Then the factor for the old sums, e^(old − new). Then the exponentials of the chunk, relative to the new maximum.",
        "With `shift = new.masked_fill(new == -torch.inf, 0.0)`: `shrink = torch.exp(maximum - shift)`, `weights = torch.exp(scores - shift.unsqueeze(-1))`, `total * shrink + weights.sum(dim=-1)`, `mixture * shrink.unsqueeze(-1) + weights @ value`.",
    ),
    ask=ask,
)
