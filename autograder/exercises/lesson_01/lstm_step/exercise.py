"""Exercise `lstm_step`: gates decide what the cell state keeps, takes in and outputs."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from autograder.exercises.definition import Outline
from autograder.exercises.draw import Draw
from autograder.exercises.finished_functions import WRITTEN_BY_HAND, watched
from course_lib.checking.exercise import Law
from course_lib.checking.laws import equals_reference, inputs_unchanged, keeps_dtype, unmoved
from course_lib.checking.questions import Call, Calls, Question


def _inputs(draw: Draw, b: int, e: int, d: int) -> dict[str, Tensor]:
    """Return inputs (B, E), hidden and cell states (B, D), and weights so small that no gate is closed."""
    return {
        "x": draw.tensor(b, e),
        "h": draw.tensor(b, d, scale=0.5),
        "c": draw.tensor(b, d),
        "weight_ih": draw.tensor(4 * d, e, scale=0.3),
        "weight_hh": draw.tensor(4 * d, d, scale=0.3),
        "bias": draw.tensor(4 * d, scale=0.5),
    }


def _on_paper(draw: Draw) -> dict[str, Tensor]:
    """Return a cell state and an input of one number each. The four rows are i, f, g, o."""
    return {
        "x": torch.tensor([[1.0]]) + draw.tensor(1, 1, scale=0.2).round(decimals=1),
        "h": torch.tensor([[0.5]]) + draw.tensor(1, 1, scale=0.2).round(decimals=1),
        "c": torch.tensor([[2.0]]) + draw.tensor(1, 1, scale=0.3).round(decimals=1),
        "weight_ih": torch.tensor([[1.0], [0.0], [-1.0], [2.0]]),
        "weight_hh": torch.tensor([[0.0], [2.0], [1.0], [-1.0]]),
        "bias": torch.tensor([0.0, 1.0, 0.5, 0.0]),
    }


def _told_by_the_gates(draw: Draw, d: int) -> dict[str, Tensor]:
    """Return biases that open or close gates completely, so that two cell states are kept and two are overwritten."""
    keep, write = torch.tensor([1.0, 1.0, -1.0, -1.0]), torch.tensor([-1.0, -1.0, 1.0, 1.0])
    candidate, show = draw.tensor(d, scale=0.7), torch.tensor([1.0, -1.0, 1.0, -1.0])
    return {
        "x": draw.tensor(2, 3),
        "h": draw.tensor(2, d, scale=0.5),
        "c": draw.tensor(2, d),
        "weight_ih": torch.zeros(4 * d, 3),
        "weight_hh": torch.zeros(4 * d, d),
        "bias": torch.cat([30 * write, 30 * keep, candidate, 30 * show]),
    }


def ask(draw: Draw) -> Iterator[Question]:
    """Ask about one cell by hand, distinct sizes, another second sentence, open and closed gates, gradients, dtypes."""
    returns = ["h", "c"]
    numbers, again = (Call("by_hand", _on_paper(source), returns=returns) for source in (draw, draw.apart("watched")))
    yield numbers
    yield watched(numbers, again, "lstm_cell", "lstm", "nn.LSTMCell", "nn.LSTM")
    (b,), (e, d) = draw.sizes(1), draw.widths(2)
    first, other = _inputs(draw, b, e, d), _inputs(draw, b, e, d)
    other = first | {name: torch.cat([first[name][:1], other[name][1:]]) for name in ("x", "h", "c")}
    yield Calls("plain", [first, other], returns=returns)
    yield Call("gates", _told_by_the_gates(draw, 4), returns=returns)
    b, e, d = draw.sizes(3)
    upstream = {"h": draw.tensor(b, d), "c": draw.tensor(b, d)}
    yield Call("gradients", _inputs(draw, b, e, d), returns=returns, upstream=upstream)
    yield Call("double", _inputs(draw, 2, 3, 5), returns=returns)


LAWS = (
    Law("equals_by_hand", equals_reference, "by_hand", "a cell state of one number comes out right, and its state", 0.75,
        {"fields": ["c", "h"]}),
    Law("memory", equals_reference, "plain", "the cell states of a batch come out right", 0.75,
        {"fields": ["calls/0/c"]}),
    Law("state", equals_reference, "plain", "the states of a batch come out right", 0.75,
        {"fields": ["calls/0/h"]}),
    Law("gates", equals_reference, "gates", "open gates let everything through, shut gates let nothing through", 0.5,
        {"fields": ["c", "h"]}),
    Law("gradients", equals_reference, "gradients", "the gradients of input, state, cell state, weights and bias are right", 0.75,
        {"fields": [f"gradients/{name}" for name in ("x", "h", "c", "weight_ih", "weight_hh", "bias")]}),
    Law("sentences_apart", unmoved, "plain", "other sentences beside it leave the first one's cell state as it is", 0.2,
        {"before": "calls/0/c", "after": "calls/1/c", "index": [0]}, needs="memory"),
    Law("inputs_unchanged", inputs_unchanged, "by_hand", "the state and cell state you were given are left as they were", 0.2,
        needs="equals_by_hand"),
    Law("keeps_dtype", keeps_dtype, "double", "float64 in, float64 out", 0.1,
        {"fields": ["h", "c"]}, needs="memory"),
    WRITTEN_BY_HAND,
)  # fmt: skip


CHUNK = "gates.chunk(4, dim=-1)"


FORGET, INPUT, OUTPUT = "torch.sigmoid(f)", "torch.sigmoid(i)", "torch.sigmoid(o)"


CANDIDATE, SHOWN = "torch.tanh(g)", "torch.tanh(memory)"


MEMORY = f"{FORGET} * c + {INPUT} * {CANDIDATE}"


EXERCISE = Outline(
    minutes=15,
    laws=LAWS,
    hints=(
        "Work out the smallest example on paper: four sums, three sigmoids and a tanh, then the cell state, then the state.",
        "Print the shapes: the sum is (B, 4D), and each quarter of it (B, D). In which order do the quarters come?",
        f"`i, f, g, o = {CHUNK}`; c' is `{MEMORY}`; h' is the sigmoid of o times the tanh of c'.",
    ),
    ask=ask,
)
