"""Exercise `attentional_state`: combine the decoder's state and its context into one vector."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from autograder.exercises.definition import Outline
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Module, Question
from course_lib.checking.rules import equals_reference, every_gradient_flows, inputs_unchanged, unmoved
from course_lib.checking.values import Value


def _inputs(sampler: Sampler, b: int, s: int, d_state: int, d_value: int) -> dict[str, Value]:
    """Return a state (B, D), keys (B, S, D) that share the weight, and values (B, S, Dv)."""
    return {
        "state": sampler.tensor(b, d_state, scale=0.6),
        "keys": sampler.tensor(b, s, d_state, scale=0.6),
        "values": sampler.tensor(b, s, d_value),
    }


def _weight(sampler: Sampler, d_state: int, d_value: int) -> Tensor:
    """Return a weight so small that no tanh saturates."""
    return sampler.tensor(d_state, d_value + d_state, scale=0.2)


def _question(
    name: str, weight: Tensor, *calls: dict[str, Value], returns: tuple[str, ...] = ("output",), **more: Value
) -> Question:
    d_state, both = weight.shape
    build = {"d_state": d_state, "d_value": both - d_state}
    return Module(name, build, {"w.weight": weight}, calls, returns=returns, **more)


def _on_paper(sampler: Sampler) -> tuple[Tensor, dict[str, Value]]:
    """Return four keys, a state of width 2 and values of width 3. Each output adds one entry of state and context."""
    weight = torch.tensor([[1.0, 0.0, 0.0, 0.5, 0.0], [0.0, 1.0, -1.0, 0.0, 0.5]])
    keys = torch.tensor([[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [-1.0, 0.0]]])
    values = torch.tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0]]])
    state = torch.tensor([[1.0, -1.0]]) + sampler.tensor(1, 2, scale=0.4).round(decimals=1)
    return weight, {"state": state, "keys": keys, "values": values}


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about small numbers, distinct sizes, weights, a mask, and values as wide as states to name what crashes."""
    b, s = sorted(sampler.sizes(2))
    d_state, d_value = sampler.widths(2)
    weight, given = _on_paper(sampler)
    yield _question("by_hand", weight, given)
    yield _question("with_weights", weight, {**given, "need_weights": True}, returns=("output", "weights"))
    weight, first, other = (
        _weight(sampler, d_state, d_value),
        *(_inputs(sampler, b, s, d_state, d_value) for _ in range(2)),
    )
    other = {name: torch.cat([first[name][:1], other[name][1:]]) for name in first}
    yield _question("plain", weight, first, other)
    yield _question("masked", weight, {**_inputs(sampler, b, s, d_state, d_value), "mask": sampler.mask(b, s)})
    mask, nothing = sampler.mask(b, s), _inputs(sampler, b, s, d_state, d_value)
    mask[sampler.order(b)[0]] = False
    nothing |= {"mask": mask, "need_weights": True}
    yield _question("nothing_to_see", weight, nothing, returns=("output", "weights"))
    b, s, d_state, d_value = sampler.sizes(4)  # small, because an answer contains a gradient for each input
    weight, given = _weight(sampler, d_state, d_value), _inputs(sampler, b, s, d_state, d_value)
    yield _question("gradients", weight, given, upstream={"output": sampler.tensor(b, d_state)})
    yield _question("square", _weight(sampler, 4, 4), _inputs(sampler, 2, 3, 4, 4))


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "a sentence of four keys comes out right", 0.5,
        {"fields": ["calls/0/output"]}),
    Check("equals_plain", equals_reference, "plain", "batches of other sizes come out right", 0.75,
        {"fields": ["calls/0/output"]}, also=("square",)),
    Check("returns_weights", equals_reference, "with_weights", "`need_weights=True` returns the right output and weights", 0.4,
        {"fields": ["calls/0/output", "calls/0/weights"]}),
    Check("masked", equals_reference, "masked", "a mask (B, S) comes out right", 0.4,
        {"fields": ["calls/0/output"]}),
    Check("nothing_to_see", equals_reference, "nothing_to_see", "a sentence whose keys are all masked comes out right: weights and context are 0", 0.1,
        {"fields": ["calls/0/output", "calls/0/weights"]}),
    Check("gradients", equals_reference, "gradients", "the gradients of state, keys, values and W are right", 0.4,
        {"fields": [f"gradients/{name}" for name in ("state", "keys", "values", "w.weight")]}),
    Check("sentences_apart", unmoved, "plain", "other sentences in the batch leave the first one's output as it is", 0.2,
        {"before": "calls/0/output", "after": "calls/1/output", "index": [0]}, needs="equals_plain"),
    Check("everything_learns", every_gradient_flows, "gradients", "W, state, keys and values each receive a gradient", 0.15,
        needs="equals_plain"),
    Check("inputs_unchanged", inputs_unchanged, "masked", "your inputs are left as they were, the mask too", 0.1, needs="masked"),
)  # fmt: skip


EXERCISE = Outline(
    minutes=12,
    checks=CHECKS,
    hints=(
        "You have written two of the four steps already. Which two?",
        "Score, attend, concatenate, `tanh` of the layer. Print the shape after each: (B, S), (B, Dv), (B, Dv + D), (B, D).",
        "`dot_scores(state, keys)` goes into `attend` with values and mask; its context, then the state, side by side, go through `self.w` and `torch.tanh`. "
        "Return the weights too where `need_weights` is true.",
    ),
    ask=ask,
    write=("forward",),
    builds_on=("dot_scores", "attend"),
)
