"""Exercise `rnn_step`: a state and the next vector become a new state."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from autograder.exercises.finished_functions import WRITTEN_BY_HAND, finished_function, watched
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, inputs_unchanged, keeps_dtype, unmoved
from course_lib.checking.recognisers.any_lesson import writes_into_h


def _inputs(draw: Draw, b: int, e: int, d: int) -> dict[str, Tensor]:
    """Inputs (B, E), states (B, D) and weights so small that no tanh is flat."""
    return {
        "x": draw.tensor(b, e),
        "h": draw.tensor(b, d, scale=0.5),
        "weight_ih": draw.tensor(d, e, scale=0.3),
        "weight_hh": draw.tensor(d, d, scale=0.3),
        "bias": draw.tensor(d, scale=0.5),
    }


def _on_paper(draw: Draw) -> dict[str, Tensor]:
    """One sentence, two numbers in, a state of three: sums to be done in one's head."""
    return {
        "x": torch.tensor([[1.0, -1.0]]) + draw.tensor(1, 2, scale=0.3).round(decimals=1),
        "h": torch.tensor([[0.5, 0.0, -0.5]]) + draw.tensor(1, 3, scale=0.2).round(decimals=1),
        "weight_ih": torch.tensor([[1.0, 0.0], [0.0, 0.5], [1.0, 1.0]]),
        "weight_hh": torch.tensor([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.5, 0.0, 0.0]]),
        "bias": torch.tensor([0.1, 0.0, -0.2]),
    }


def ask(draw: Draw) -> Iterator[Question]:
    """Numbers for paper, distinct sizes, another second sentence, gradients; and a cube, to name what crashes."""
    returns = ["state"]
    numbers, again = (
        Question("by_hand", probes.call, {"arguments": _on_paper(source), "returns": returns})
        for source in (draw, draw.apart("watched"))
    )
    yield numbers
    yield watched(numbers, again, "rnn_tanh_cell", "rnn_tanh", "nn.RNNCell", "nn.RNN")
    (b,), (e, d) = draw.sizes(1), draw.widths(2)
    first, other = _inputs(draw, b, e, d), _inputs(draw, b, e, d)
    other = first | {name: torch.cat([first[name][:1], other[name][1:]]) for name in ("x", "h")}
    yield Question("plain", probes.call_each, {"calls": [first, other], "returns": returns})
    b, e, d = draw.sizes(3)
    upstream = {"state": draw.tensor(b, d)}
    yield Question(
        "gradients", probes.call, {"arguments": _inputs(draw, b, e, d), "returns": returns, "upstream": upstream}
    )
    yield Question("cube", probes.call, {"arguments": _inputs(draw, 4, 4, 4), "returns": returns})


LAWS = (
    Law("equals_by_hand", equals_reference, "by_hand", "a state of three numbers comes out right", 0.5,
        {"fields": ["state"]}),
    Law("equals_plain", equals_reference, "plain", "a batch of wider states comes out right", 0.6,
        {"fields": ["calls/0/state"]}),
    Law("gradients", equals_reference, "gradients", "the gradients of input, state, weights and bias are right", 0.5,
        {"fields": [f"gradients/{name}" for name in ("x", "h", "weight_ih", "weight_hh", "bias")]}),
    Law("sentences_apart", unmoved, "plain", "other sentences beside it leave the first one's state as it is", 0.15,
        {"before": "calls/0/state", "after": "calls/1/state", "index": [0]}, needs="equals_plain"),
    Law("inputs_unchanged", inputs_unchanged, "by_hand", "the state so far is left as it was", 0.15,
        needs="equals_by_hand"),
    Law("keeps_dtype", keeps_dtype, "cube", "float64 in, float64 out", 0.1,
        {"fields": ["state"]}, needs="equals_plain"),
    WRITTEN_BY_HAND,
)  # fmt: skip

TANH = "torch.tanh("
READ = "x @ weight_ih.T"
KEPT = "h @ weight_hh.T"
BIAS = " + bias"
ALL = f"{READ} + {KEPT}{BIAS}"

MISTAKES = (
    # what goes around the sum
    mistake(
        "no_tanh",
        "You return the sum without a tanh around it, so the state can grow from step to step without bound.",
        (
            "How large can an entry of your state be?",
            "Compare your last line with the formula. Which function is missing?",
            f"`return torch.tanh({ALL})`.",
        ),
        (TANH, "("),
        group="squash",
    ),
    mistake(
        "sigmoid",
        "You use a sigmoid where the formula has a tanh, so no entry of your state can be negative.",
        (
            "What is the smallest entry of your state?",
            "Which function stands in the formula, and which in your code?",
            f"`return torch.tanh({ALL})`.",
        ),
        (TANH, "torch.sigmoid("),
        group="squash",
    ),
    mistake(
        "relu",
        "You use a ReLU where the formula has a tanh. Negative sums are lost, and positive ones aren't bounded.",
        (
            "What is the smallest entry of your state, and how large can one be?",
            "Which function stands in the formula, and which in your code?",
            f"`return torch.tanh({ALL})`.",
        ),
        (TANH, "torch.relu("),
        group="squash",
    ),
    mistake(
        "bias_outside",
        "You add the bias after the tanh. It belongs inside, with the two products.",
        (
            "Can an entry of your state be larger than 1?",
            "Where does the bracket after tanh close in the formula, and where in your code?",
            f"`return torch.tanh({ALL})`.",
        ),
        (f"{KEPT}{BIAS})", f"{KEPT}){BIAS}"),
        group="bias",
    ),
    mistake(
        "tanh_of_each",
        "You take the tanh of each product and add the results, so your state lies between −2 and 2. There is one tanh, around the whole sum.",
        (
            "Can an entry of your state be larger than 1?",
            "How many times do you call tanh, and how many times does the formula?",
            f"`return torch.tanh({ALL})`.",
        ),
        (f"{READ} + {KEPT}", f"{READ}) + torch.tanh({KEPT}"),
        group=ALONE,
    ),
    # what is summed
    mistake(
        "state_left_out",
        "The state so far isn't used. At every word, your network forgets all that it has read.",
        (
            "Change `h`. Does what you return change?",
            "Which of the three terms of the sum is missing?",
            f"Add `{KEPT}`.",
        ),
        (f" + {KEPT}", ""),
        group="kept",
    ),
    mistake(
        "input_left_out",
        "The input isn't used, so your network reads nothing.",
        (
            "Change `x`. Does what you return change?",
            "Which of the three terms of the sum is missing?",
            f"Add `{READ}`.",
        ),
        (f"{READ} + ", ""),
        group="read",
    ),
    mistake(
        "bias_left_out",
        "You add no bias.",
        (
            "If `x` and `h` are all zeros, what should come back? What does?",
            "Which of the three terms of the sum is missing?",
            f"`return torch.tanh({ALL})`.",
        ),
        (BIAS, ""),
        group="bias",
    ),
    mistake(
        "bias_twice",
        "You add the bias twice. PyTorch has two biases; here it is one, their sum.",
        (
            "If `x` and `h` are all zeros, what should come back? What does?",
            "How many times does the bias occur in your code?",
            f"`return torch.tanh({ALL})`.",
        ),
        (BIAS, " + 2 * bias"),
        group="bias",
    ),
    mistake(
        "product_for_sum",
        "You multiply the two products entry by entry. They should be added.",
        (
            "If `h` is all zeros, should the input still count? Does it in your code?",
            "What stands between the two products in the formula, and what in your code?",
            f"`{READ} + {KEPT}`.",
        ),
        (f"{READ} + {KEPT}", f"({READ}) * ({KEPT})"),
        group=ALONE,
    ),
    mistake(
        "state_added",
        "You add the state so far to the new one. That is a residual connection, which lesson 06 uses. The formula here has none.",
        (
            "If all weights and the bias are zeros, what should come back? What does?",
            "Compare your last line with the formula. Which term is not in it?",
            "Return the tanh alone.",
        ),
        (TANH, "h + torch.tanh("),
        group="squash",
    ),
    # which weight meets what
    mistake(
        "state_weight_not_transposed",
        "You multiply the state by W_hh itself instead of its transpose. It is square, so PyTorch doesn't complain, but its columns are used as rows.",
        (
            "In the smallest example W_hh has a 1 in row 0, column 1. Which entry of the new state should see which of the old?",
            "A row of W_hh belongs to an *output*. What does `h @ weight_hh` do with a row?",
            f"`{KEPT}`.",
        ),
        (KEPT, "h @ weight_hh"),
        group="kept",
    ),
    mistake(
        "input_weight_not_transposed",
        "You multiply the input by W_ih itself instead of its transpose. The shapes only fit when input and state have the same width.",
        (
            "Write down the shapes of `x` and `weight_ih`. Which of their axes must meet?",
            "A row of W_ih belongs to an *output*: PyTorch stores weights that way.",
            f"`{READ}`.",
        ),
        (READ, "x @ weight_ih"),
        group="read",
    ),
    mistake(
        "weights_exchanged",
        "You multiply the input by the state's weights and the state by the input's. The shapes only fit when both have the same width.",
        (
            "Write down the shapes of `x`, `h` and of both weights. Which belong together?",
            "`ih` means input to hidden. And `hh`?",
            f"`{READ} + {KEPT}`.",
        ),
        (f"{READ} + {KEPT}", "x @ weight_hh.T + h @ weight_ih.T"),
        group=ALONE,
    ),
    # what becomes of the graph and of the inputs
    mistake(
        "state_cut",
        "Your numbers are right, but the state so far is cut out of the graph. No gradient gets back beyond this step, so nothing is learned from earlier ones.",
        (
            "Which of your inputs receive a gradient?",
            "What do you do to `h` before you multiply it? `detach`, `.data`?",
            f"`{KEPT}`, with `h` as it is.",
        ),
        (KEPT, "h.detach() @ weight_hh.T"),
        group="kept",
    ),
    mistake(
        "detached",
        "Your numbers are right, but they are cut out of the graph, so nothing receives a gradient.",
        (
            "Call your function and look at `requires_grad` of what comes back.",
            "Where do your tensors leave PyTorch's graph? `detach`, `.data`, `torch.no_grad` and a way through NumPy all cut it.",
            "Use torch operations on the tensors you are given, from the first line to the last.",
        ),
        (f"{BIAS})", f"{BIAS}).detach()"),
        group=ALONE,
    ),
    mistake(
        "joined_in_the_other_order",
        "You concatenate state and input in one order and their weights in the other, so the input meets the state's weights. The total width is the same, so PyTorch doesn't complain.",
        (
            "Write down the two concatenated rows, (B, D + E) and (D, E + D). Which number meets which weight?",
            "In which order do you concatenate the vectors, and in which the weights?",
            "`torch.cat([x, h], dim=1)` with `torch.cat([weight_ih, weight_hh], dim=1)`; or two products and a sum.",
        ),
        (f"{READ} + {KEPT}", "torch.cat([h, x], dim=1) @ torch.cat([weight_ih, weight_hh], dim=1).T"),
        group=ALONE,
    ),
    mistake(
        "state_overwritten",
        "You write the new state into the tensor of the old one. The backward pass needs the old one again, and so may your caller.",
        (
            "Print `h` before and after your function.",
            "`h[:] = ...`, `h.copy_(...)`, `h += ...` change the tensor you were given.",
            "Return a new tensor.",
        ),
        (f"return torch.tanh({ALL})", f"h.copy_(torch.tanh({ALL}))\n    return h"),
        group=ALONE,
        recogniser=writes_into_h,
    ),
    mistake(
        "weights_cut",
        "Your numbers are right, but the weights and the bias are cut out of the graph (detached, say, or copied into a module of your own): they receive no gradient and never learn.",
        (
            "Which of the five tensors that you are given receive a gradient?",
            "What happens to the weights before you multiply with them? `detach`, `.data`, `copy_` and a new `nn.Parameter` all start anew.",
            f"`return torch.tanh({ALL})`, with the weights and the bias that you are given.",
        ),
        (ALL, "x @ weight_ih.detach().T + h @ weight_hh.detach().T + bias.detach()"),
        group=ALONE,
    ),
)


def with_linear(x, h, weight_ih, weight_hh, bias):
    return torch.tanh(F.linear(x, weight_ih, bias) + F.linear(h, weight_hh))


def side_by_side(x, h, weight_ih, weight_hh, bias):
    both = torch.cat([x, h], dim=1)
    return torch.tanh(both @ torch.cat([weight_ih, weight_hh], dim=1).T + bias)


def columns(x, h, weight_ih, weight_hh, bias):
    return (weight_ih @ x.T + weight_hh @ h.T + bias[:, None]).T.tanh()


def by_einsum(x, h, weight_ih, weight_hh, bias):
    read = torch.einsum("be,de->bd", x, weight_ih)
    kept = torch.einsum("bc,dc->bd", h, weight_hh)
    return (bias + read + kept).tanh()


def sentence_by_sentence(x, h, weight_ih, weight_hh, bias):
    return torch.stack([torch.tanh(weight_ih @ one + weight_hh @ state + bias) for one, state in zip(x, h)])  # noqa: B905


def through_exponentials(x, h, weight_ih, weight_hh, bias):
    total = torch.addmm(bias, x, weight_ih.t()) + h.mm(weight_hh.t())
    return 2 / (1 + torch.exp(-2 * total)) - 1


def torchs_cell(x, h, weight_ih, weight_hh, bias):
    cell = nn.RNNCell(x.size(1), h.size(1)).to(x.dtype)
    weights = {"weight_ih": weight_ih, "weight_hh": weight_hh, "bias_ih": bias, "bias_hh": torch.zeros_like(bias)}
    return torch.func.functional_call(cell, weights, (x, h))


def stub(x, h, weight_ih, weight_hh, bias):
    raise NotImplementedError


def zeros(x, h, weight_ih, weight_hh, bias):
    return torch.zeros_like(h)


def the_state_itself(x, h, weight_ih, weight_hh, bias):
    return h.clone()


def tanh_of_the_state(x, h, weight_ih, weight_hh, bias):
    return torch.tanh(h)


def noise(x, h, weight_ih, weight_hh, bias):
    return torch.rand_like(h)


RNN_STEP = define(
    id="rnn_step",
    lesson="01_recurrent_translation",
    place=0,
    module="course_lib.components.rnn_step",
    symbol="rnn_step",
    minutes=5,
    laws=LAWS,
    hints=(
        "Three terms are added, with one function around their sum. Which three?",
        "Shapes: (B, E) times what is (B, D), and (B, D) times what is (B, D)? Weights lie as in PyTorch, a row for each output.",
        f"`return torch.tanh({ALL})`.",
    ),
    ask=ask,
    mistakes=(
        finished_function(torchs_cell, "nn.RNNCell", "Two products, the bias and `torch.tanh` are all there is."),
        *MISTAKES,
    ),
    alternatives=(
        with_linear, side_by_side, columns, by_einsum, sentence_by_sentence, through_exponentials,
    ),
    lazy=(stub, zeros, the_state_itself, tanh_of_the_state, noise),
    switches=("squash", "bias", "kept"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


@RNN_STEP.second_version("finished_function")
def a_whole_rnn(x, h, weight_ih, weight_hh, bias):
    layer = nn.RNN(x.shape[1], h.shape[1], dtype=x.dtype)
    weights = {"weight_ih_l0": weight_ih, "weight_hh_l0": weight_hh, "bias_ih_l0": bias, "bias_hh_l0": 0 * bias}
    return torch.func.functional_call(layer, weights, (x[None], h[None]))[1][0]


@RNN_STEP.second_version("no_tanh")
def linear_recurrence(x, h, weight_ih, weight_hh, bias):
    return F.linear(x, weight_ih) + F.linear(h, weight_hh, bias)


@RNN_STEP.second_version("sigmoid")
def logistic(x, h, weight_ih, weight_hh, bias):
    return 1 / (1 + torch.exp(-(F.linear(x, weight_ih) + F.linear(h, weight_hh) + bias)))


@RNN_STEP.second_version("relu")
def clamped_at_zero(x, h, weight_ih, weight_hh, bias):
    return (bias + x @ weight_ih.T + h @ weight_hh.T).clamp(min=0)


@RNN_STEP.second_version("bias_outside")
def bias_last(x, h, weight_ih, weight_hh, bias):
    both = torch.cat([x, h], dim=-1) @ torch.cat([weight_ih, weight_hh], dim=-1).T
    return both.tanh() + bias


@RNN_STEP.second_version("tanh_of_each")
def two_tanhs(x, h, weight_ih, weight_hh, bias):
    read = F.linear(x, weight_ih).tanh()
    return read + F.linear(h, weight_hh, bias).tanh()


@RNN_STEP.second_version("state_weight_not_transposed")
def einsum_the_wrong_way(x, h, weight_ih, weight_hh, bias):
    return torch.tanh(torch.einsum("be,de->bd", x, weight_ih) + torch.einsum("bc,cd->bd", h, weight_hh) + bias)


@RNN_STEP.second_version("bias_twice")
def as_torch_has_two(x, h, weight_ih, weight_hh, bias):
    return torch.tanh(F.linear(x, weight_ih, bias) + F.linear(h, weight_hh, bias))


@RNN_STEP.second_version("state_cut")
def state_without_graph(x, h, weight_ih, weight_hh, bias):
    with torch.no_grad():
        before = h.clone()
    return torch.tanh(bias + before @ weight_hh.T + x @ weight_ih.T)


@RNN_STEP.second_version("state_overwritten")
def written_in_place(x, h, weight_ih, weight_hh, bias):
    new = torch.tanh(F.linear(x, weight_ih) + F.linear(h, weight_hh) + bias)
    h[:] = new
    return h


@RNN_STEP.second_version("joined_in_the_other_order")
def state_before_input(x, h, weight_ih, weight_hh, bias):
    return torch.tanh(F.linear(torch.hstack((h, x)), torch.hstack((weight_ih, weight_hh)), bias))


@RNN_STEP.second_version("state_overwritten")
def written_through_data(x, h, weight_ih, weight_hh, bias):
    state = torch.addmm(bias, x, weight_ih.T).addmm(h, weight_hh.T).tanh()
    h.data[:] = state.data
    return state


@RNN_STEP.second_version("weights_cut")
def weights_as_data(x, h, weight_ih, weight_hh, bias):
    return torch.tanh(F.linear(x, weight_ih.data) + F.linear(h, weight_hh.data) + bias.data)
