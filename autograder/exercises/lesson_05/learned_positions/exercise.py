"""Exercise `learned_positions`: a trainable table of positions, including the constructor."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from autograder.exercises.definition import Outline
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Module, ModuleRefusal, Question
from course_lib.checking.rules import equals_reference, refuses
from course_lib.checking.values import Value


def _built(table: Tensor) -> tuple[dict[str, int], dict[str, Tensor]]:
    """Return the constructor's arguments, and the weights that the module has learned."""
    max_length, d_model = table.shape
    return {"max_length": max_length, "d_model": d_model}, {"weight": table}


def _question(name: str, table: Tensor, length: int, **more: Value) -> Module:
    return Module(name, *_built(table), [{"length": length}], returns=["positions"], **more)


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about a table whose tens count the rows, distinct sizes, one position, all positions, and one too many."""
    table = torch.tensor([[0.0], [10.0], [20.0], [30.0]]) + torch.arange(1.0, 4.0)
    table = (table + sampler.tensor(4, 1, scale=0.2).round(decimals=1)).double()
    yield _question("by_hand", table, 2)
    (few, length), (d_model,) = sorted(sampler.sizes(2)), sampler.widths(1)
    table = sampler.tensor(sampler.shuffled((7, 9))[0], d_model)
    yield _question("plain", table, length)
    yield _question("one_position", table, 1)
    yield _question("all_positions", table, len(table))
    yield ModuleRefusal("too_long", *_built(table), {"length": len(table) + few})
    upstream = {"positions": sampler.tensor(length, 4)}
    yield _question("gradients", sampler.tensor(length + few, 4), length, upstream=upstream)


CHECKS = (
    Check("parameter", equals_reference, "plain", "the parameters are right: only `weight`, of shape (max_length, d_model)", 0.15,
        {"fields": ["shapes"]}),
    Check("equals_by_hand", equals_reference, "by_hand", "the first two rows of a table of four come out right", 0.25,
        {"fields": ["calls/0/positions"]}),
    Check("equals_plain", equals_reference, "plain", "more positions come out right", 0.25,
        {"fields": ["calls/0/positions"]}),
    Check("one_position", equals_reference, "one_position", "a single position comes out right, as (1, d_model)", 0.05,
        {"fields": ["calls/0/positions"]}),
    Check("all_positions", equals_reference, "all_positions", "`max_length` positions come out right", 0.05,
        {"fields": ["calls/0/positions"]}),
    Check("refuses", refuses, "too_long", "more than `max_length` positions raise a `ValueError`", 0.15,
        needs="equals_plain"),
    Check("gradients", equals_reference, "gradients", "the gradient is right: only the rows that are used receive one", 0.1,
        {"fields": ["gradients/weight"]}),
)  # fmt: skip


EXERCISE = Outline(
    minutes=8,
    checks=CHECKS,
    hints=(
        "Two things: a table that the module owns and trains, and the first rows of it.",
        "In `__init__`: `super().__init__()`, then one `nn.Parameter` called `weight`. In `forward`: refuse what is too long, then slice. Print both shapes.",
        "`self.weight = nn.Parameter(torch.randn(max_length, d_model))`; a `ValueError` where `length` is greater than `self.weight.size(0)`; `self.weight[:length]`.",
    ),
    ask=ask,
    write=("__init__", "forward"),
)
