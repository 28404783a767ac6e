"""Exercise `lstm_step`: gates decide what the cell state keeps, takes in and outputs."""

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
    """Return inputs (B, E), hidden and cell states (B, D), and weights so small that no gate is closed."""
    return {
        "x": sampler.tensor(b, e),
        "h": sampler.tensor(b, d, scale=0.5),
        "c": sampler.tensor(b, d),
        "weight_ih": sampler.tensor(4 * d, e, scale=0.3),
        "weight_hh": sampler.tensor(4 * d, d, scale=0.3),
        "bias": sampler.tensor(4 * d, scale=0.5),
    }


def _on_paper(sampler: Sampler) -> dict[str, Tensor]:
    """Return a cell state and an input of one number each. The four rows are i, f, g, o."""
    return {
        "x": torch.tensor([[1.0]]) + sampler.tensor(1, 1, scale=0.2).round(decimals=1),
        "h": torch.tensor([[0.5]]) + sampler.tensor(1, 1, scale=0.2).round(decimals=1),
        "c": torch.tensor([[2.0]]) + sampler.tensor(1, 1, scale=0.3).round(decimals=1),
        "weight_ih": torch.tensor([[1.0], [0.0], [-1.0], [2.0]]),
        "weight_hh": torch.tensor([[0.0], [2.0], [1.0], [-1.0]]),
        "bias": torch.tensor([0.0, 1.0, 0.5, 0.0]),
    }


def _told_by_the_gates(sampler: Sampler, d: int) -> dict[str, Tensor]:
    """Return biases that open or close gates completely, so that two cell states are kept and two are overwritten."""
    keep, write = torch.tensor([1.0, 1.0, -1.0, -1.0]), torch.tensor([-1.0, -1.0, 1.0, 1.0])
    candidate, show = sampler.tensor(d, scale=0.7), torch.tensor([1.0, -1.0, 1.0, -1.0])
    return {
        "x": sampler.tensor(2, 3),
        "h": sampler.tensor(2, d, scale=0.5),
        "c": sampler.tensor(2, d),
        "weight_ih": torch.zeros(4 * d, 3),
        "weight_hh": torch.zeros(4 * d, d),
        "bias": torch.cat([30 * write, 30 * keep, candidate, 30 * show]),
    }


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about one cell by hand, distinct sizes, another second sentence, open and closed gates, gradients, dtypes."""
    returns = ["h", "c"]
    numbers, again = (
        Call("by_hand", _on_paper(source), returns=returns) for source in (sampler, sampler.apart("watched"))
    )
    yield numbers
    yield watched(numbers, again, "lstm_cell", "lstm", "nn.LSTMCell", "nn.LSTM")
    (b,), (e, d) = sampler.sizes(1), sampler.widths(2)
    first, other = _inputs(sampler, b, e, d), _inputs(sampler, b, e, d)
    other = first | {name: torch.cat([first[name][:1], other[name][1:]]) for name in ("x", "h", "c")}
    yield Calls("plain", [first, other], returns=returns)
    yield Call("gates", _told_by_the_gates(sampler, 4), returns=returns)
    b, e, d = sampler.sizes(3)
    upstream = {"h": sampler.tensor(b, d), "c": sampler.tensor(b, d)}
    yield Call("gradients", _inputs(sampler, b, e, d), returns=returns, upstream=upstream)
    yield Call("double", _inputs(sampler, 2, 3, 5), returns=returns)


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "a cell state of one number comes out right, and its state", 0.75,
        {"fields": ["c", "h"]}),
    Check("memory", equals_reference, "plain", "the cell states of a batch come out right", 0.75,
        {"fields": ["calls/0/c"]}),
    Check("state", equals_reference, "plain", "the states of a batch come out right", 0.75,
        {"fields": ["calls/0/h"]}),
    Check("gates", equals_reference, "gates", "open gates and shut gates come out right: they let everything through, or nothing", 0.5,
        {"fields": ["c", "h"]}),
    Check("gradients", equals_reference, "gradients", "the gradients of input, state, cell state, weights and bias are right", 0.75,
        {"fields": [f"gradients/{name}" for name in ("x", "h", "c", "weight_ih", "weight_hh", "bias")]}),
    Check("sentences_apart", unmoved, "plain", "other sentences in the batch leave the first one's cell state as it is", 0.2,
        {"before": "calls/0/c", "after": "calls/1/c", "index": [0]}, needs="memory"),
    Check("inputs_unchanged", inputs_unchanged, "by_hand", "the state and cell state you were given are left as they were", 0.2,
        needs="equals_by_hand"),
    Check("keeps_dtype", keeps_dtype, "double", "float64 in, float64 out", 0.1,
        {"fields": ["h", "c"]}, needs="memory"),
    WRITTEN_BY_HAND,
)  # fmt: skip


CHUNK = "gates.chunk(4, dim=-1)"


FORGET, INPUT, OUTPUT = "torch.sigmoid(f)", "torch.sigmoid(i)", "torch.sigmoid(o)"


CANDIDATE, SHOWN = "torch.tanh(g)", "torch.tanh(memory)"


MEMORY = f"{FORGET} * c + {INPUT} * {CANDIDATE}"


EXERCISE = Outline(
    minutes=15,
    checks=CHECKS,
    hints=(
        "Work out a small example on paper: four sums, three sigmoids and a tanh, then the cell state, then the state.",
        "Print the shapes: the sum is (B, 4D), and each quarter of it (B, D). In which order do the quarters come?",
        f"`i, f, g, o = {CHUNK}`; c' is `{MEMORY}`; h' is the sigmoid of o times the tanh of c'.",
    ),
    ask=ask,
)
