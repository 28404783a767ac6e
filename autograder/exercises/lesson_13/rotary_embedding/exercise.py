"""Exercise `rotary_embedding`: pairs of features, rotated by an angle that depends on the position."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from autograder.exercises.definition import Outline
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Question, calling
from course_lib.checking.rules import equally_alike_at_equal_gaps, equals_reference, inputs_unchanged, keeps_dtype

_question = calling("x", "positions", returns=["turned"])


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about one and two pairs, heads, unordered and large positions, one vector, a transposed view, and float32."""
    pairs = torch.tensor([[2.0, 0.0], [1.0, 1.0]]) + sampler.tensor(2, 2, scale=0.3).round(decimals=1)
    yield _question("one_pair", pairs, torch.tensor(sampler.shuffled(range(1, 7))[:2]))
    yield _question("by_hand", sampler.tensor(3, 4).round(decimals=1), torch.arange(3))
    b, h, t = sampler.sizes(3)
    width, other = sampler.shuffled((8, 10, 12))[:2]
    yield _question("at_the_start", sampler.tensor(b, width), torch.zeros(b, dtype=torch.long))
    yield _question("sentence", sampler.tensor(b, t, width), torch.arange(t))
    yield _question("heads", sampler.tensor(b, h, t, other), torch.arange(t))
    yield _question("anywhere", sampler.tensor(b, t, width), torch.tensor(sampler.shuffled(range(1, 60))[:t]))
    yield _question("far", sampler.tensor(h, width), 100 + torch.tensor(sampler.shuffled(range(100))[:h]))
    yield _question("one_vector", sampler.tensor(b, h, 1, other), torch.tensor([sampler.shuffled(range(3, 20))[0]]))
    yield _question("transposed", sampler.tensor(b, t, h, width).transpose(1, 2), torch.arange(t))
    yield _question("same_vector", sampler.tensor(1, width).expand(9, width).contiguous(), torch.arange(9))
    yield _question("gradients", sampler.tensor(t, other), torch.arange(t), upstream=sampler.tensor(t, other))
    yield _question("single", sampler.tensor(b, t, width).float(), torch.arange(t))
    yield _question("double", sampler.tensor(2, 6), torch.arange(2))


TURNED = {"fields": ["turned"]}


CHECKS = (
    Check("one_pair", equals_reference, "one_pair", "two vectors of a single pair come out right", 0.5, TURNED),
    Check("equals_by_hand", equals_reference, "by_hand", "three vectors of two pairs come out right", 0.5, TURNED),
    Check("at_the_start", equals_reference, "at_the_start", "vectors at position 0 come out right: nothing turns", 0.25, TURNED),
    Check("sentence", equals_reference, "sentence", "a batch of sentences comes out right", 0.5, TURNED),
    Check("heads", equals_reference, "heads", "a batch of heads (B, H, T, D) comes out right", 0.25, TURNED, also=("transposed", "one_vector")),
    Check("anywhere", equals_reference, "anywhere", "positions that start anywhere and come in any order come out right", 0.5, TURNED),
    Check("far", equals_reference, "far", "positions from 100 to 200 come out right", 0.25, TURNED),
    Check("equal_distances", equally_alike_at_equal_gaps, "same_vector", "one vector at many positions: equal distances, equal dot products", 0.25,
        {"field": "turned"}, needs="sentence"),
    Check("gradients", equals_reference, "gradients", "the gradient of `x` is right", 0.5, {"fields": ["gradients/x"]}),
    Check("inputs_unchanged", inputs_unchanged, "sentence", "`x` and the positions are left as they were", 0.25, needs="sentence"),
    Check("keeps_dtype", keeps_dtype, "single", "float32 in, float32 out; float64 in, float64 out", 0.25, TURNED, needs="sentence", also=("double",)),
)  # fmt: skip


def _allows(question: Question) -> bool:
    """Return whether the features come in pairs."""
    return bool(question.inputs[-1]["x"].shape[-1] % 2 == 0)


EXERCISE = Outline(
    minutes=20,
    checks=CHECKS,
    hints=(
        "Begin with a width of 2: one pair, turned by t radians. Does the table of section 4 come out?",
        "Four steps: a frequency for each pair (D/2,), angles (T, D/2), the first and the second numbers of all pairs (..., T, D/2), and the turned ones put back so that they alternate.",
        "`a, b = x[..., 0::2], x[..., 1::2]`, and with the angles `positions.unsqueeze(-1) * 10_000.0 ** (-torch.arange(0, D, 2, dtype=x.dtype) / D)`: "
        "`torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)`.",
    ),
    ask=ask,
    allows=_allows,
)
