"""Exercise `gate_heads`: multiply each head's contribution by its gate."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from autograder.exercises.definition import Outline
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Question, calling
from course_lib.checking.rules import equals_reference, inputs_unchanged

_question = calling("merged", "gates", returns=["gated"])


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about small numbers, gates of 0, 1 and between, one word, one head, and as many heads as features."""
    paper = (
        torch.tensor([[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [10.0, 20.0, 30.0, 40.0, 50.0, 60.0]])
        + sampler.tensor(1, 1).round()
    )
    yield _question("by_hand", paper.double(), torch.tensor([1.0, 0.0, 0.5])[sampler.order(3)].double())
    few, t = sampler.sizes(2)
    yield _question("shut", sampler.tensor(few, t, 12), torch.tensor(sampler.shuffled([1.0, 1.0, 0.0, 0.0])).double())
    yield _question("plain", sampler.tensor(few, t, 20), sampler.tensor(4))
    yield _question("wide", sampler.tensor(few, t, 6), sampler.tensor(2))
    views = sampler.tensor(few, 15, t).transpose(-2, -1)
    yield _question("views", views, sampler.tensor(3))
    yield _question("one_word", sampler.tensor(10), sampler.tensor(5))
    yield _question("one_head", sampler.tensor(t, 8), sampler.tensor(1))
    yield _question("one_feature_each", sampler.tensor(1, few, 4), sampler.tensor(4))
    yield _question("gradients", sampler.tensor(few, t, 12), sampler.tensor(3), upstream=sampler.tensor(few, t, 12))


GATED = {"fields": ["gated"]}


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "two words with three heads on paper come out right", 0.25, GATED),
    Check("equals_plain", equals_reference, "plain", "gates of any size come out right", 0.25, GATED, also=("shut", "wide", "views")),
    Check("edges", equals_reference, "one_word", "one word, one head, and heads of one feature come out right", 0.25, GATED,
        also=("one_head", "one_feature_each")),
    Check("gradients", equals_reference, "gradients", "the gradients are right, those of the gates too", 0.25,
        {"fields": ["gradients/merged", "gradients/gates"]}),
    Check("inputs_unchanged", inputs_unchanged, "shut", "your inputs are left as they were", 0.0, needs="equals_plain"),
)  # fmt: skip


EXERCISE = Outline(
    minutes=5,
    checks=CHECKS,
    hints=(
        "With D = 6 and three heads: which features belong to head 0, which to head 1?",
        "Give the heads an axis of their own, as `split_heads` does, multiply, and lay them side by side again. Or repeat each gate for every feature of its head.",
        "`merged * gates.repeat_interleave(merged.size(-1) // len(gates))`.",
    ),
    ask=ask,
)
