"""Exercise `rnn_step`: compute the next state from a state and an input vector."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from autograder.exercises.definition import Outline
from autograder.exercises.finished_functions import WRITTEN_BY_HAND, watched
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Call, Calls, Question
from course_lib.checking.rules import equals_reference, inputs_unchanged, keeps_dtype, unmoved


def _inputs(sampler: Sampler, b: int, e: int, d: int) -> dict[str, Tensor]:
    """Return inputs (B, E), states (B, D) and weights so small that no tanh saturates."""
    return {
        "x": sampler.tensor(b, e),
        "h": sampler.tensor(b, d, scale=0.5),
        "weight_ih": sampler.tensor(d, e, scale=0.3),
        "weight_hh": sampler.tensor(d, d, scale=0.3),
        "bias": sampler.tensor(d, scale=0.5),
    }


def _on_paper(sampler: Sampler) -> dict[str, Tensor]:
    """Return one sentence with two inputs and a state of three numbers, for sums that can be done by hand."""
    return {
        "x": torch.tensor([[1.0, -1.0]]) + sampler.tensor(1, 2, scale=0.3).round(decimals=1),
        "h": torch.tensor([[0.5, 0.0, -0.5]]) + sampler.tensor(1, 3, scale=0.2).round(decimals=1),
        "weight_ih": torch.tensor([[1.0, 0.0], [0.0, 0.5], [1.0, 1.0]]),
        "weight_hh": torch.tensor([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.5, 0.0, 0.0]]),
        "bias": torch.tensor([0.1, 0.0, -0.2]),
    }


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about small numbers, distinct sizes, another sentence, gradients, and equal sizes to name what crashes."""
    returns = ["state"]
    numbers, again = (
        Call("by_hand", _on_paper(source), returns=returns) for source in (sampler, sampler.apart("watched"))
    )
    yield numbers
    yield watched(numbers, again, "rnn_tanh_cell", "rnn_tanh", "nn.RNNCell", "nn.RNN")
    (b,), (e, d) = sampler.sizes(1), sampler.widths(2)
    first, other = _inputs(sampler, b, e, d), _inputs(sampler, b, e, d)
    other = first | {name: torch.cat([first[name][:1], other[name][1:]]) for name in ("x", "h")}
    yield Calls("plain", [first, other], returns=returns)
    b, e, d = sampler.sizes(3)
    upstream = {"state": sampler.tensor(b, d)}
    yield Call("gradients", _inputs(sampler, b, e, d), returns=returns, upstream=upstream)
    yield Call("cube", _inputs(sampler, 4, 4, 4), returns=returns)


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "a state of three numbers comes out right", 0.25,
        {"fields": ["state"]}),
    Check("equals_plain", equals_reference, "plain", "a batch of wider states comes out right", 0.3,
        {"fields": ["calls/0/state"]}),
    Check("gradients", equals_reference, "gradients", "the gradients of input, state, weights and bias are right", 0.25,
        {"fields": [f"gradients/{name}" for name in ("x", "h", "weight_ih", "weight_hh", "bias")]}),
    Check("sentences_apart", unmoved, "plain", "other sentences in the batch leave the first one's state as it is", 0.08,
        {"before": "calls/0/state", "after": "calls/1/state", "index": [0]}, needs="equals_plain"),
    Check("inputs_unchanged", inputs_unchanged, "by_hand", "the state so far is left as it was", 0.07,
        needs="equals_by_hand"),
    Check("keeps_dtype", keeps_dtype, "cube", "float64 in, float64 out", 0.05,
        {"fields": ["state"]}, needs="equals_plain"),
    WRITTEN_BY_HAND,
)  # fmt: skip


READ = "x @ weight_ih.T"


KEPT = "h @ weight_hh.T"


BIAS = " + bias"


ALL = f"{READ} + {KEPT}{BIAS}"


EXERCISE = Outline(
    minutes=5,
    checks=CHECKS,
    hints=(
        "Three terms are added, with one function around their sum. Which three?",
        "Shapes: (B, E) times what is (B, D), and (B, D) times what is (B, D)? Weights lie as in PyTorch, a row for each output.",
        f"`return torch.tanh({ALL})`.",
    ),
    ask=ask,
)
