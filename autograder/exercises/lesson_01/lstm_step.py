"""Exercise `lstm_step`: gates decide what a memory keeps, takes in and shows."""

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
from course_lib.checking.recognisers.any_lesson import writes_into_c


def _inputs(draw: Draw, b: int, e: int, d: int) -> dict[str, Tensor]:
    """Inputs (B, E), states and memories (B, D), and weights so small that no gate is shut."""
    return {
        "x": draw.tensor(b, e),
        "h": draw.tensor(b, d, scale=0.5),
        "c": draw.tensor(b, d),
        "weight_ih": draw.tensor(4 * d, e, scale=0.3),
        "weight_hh": draw.tensor(4 * d, d, scale=0.3),
        "bias": draw.tensor(4 * d, scale=0.5),
    }


def _on_paper(draw: Draw) -> dict[str, Tensor]:
    """A memory of one number, one number in: the four rows are i, f, g, o."""
    return {
        "x": torch.tensor([[1.0]]) + draw.tensor(1, 1, scale=0.2).round(decimals=1),
        "h": torch.tensor([[0.5]]) + draw.tensor(1, 1, scale=0.2).round(decimals=1),
        "c": torch.tensor([[2.0]]) + draw.tensor(1, 1, scale=0.3).round(decimals=1),
        "weight_ih": torch.tensor([[1.0], [0.0], [-1.0], [2.0]]),
        "weight_hh": torch.tensor([[0.0], [2.0], [1.0], [-1.0]]),
        "bias": torch.tensor([0.0, 1.0, 0.5, 0.0]),
    }


def _told_by_the_gates(draw: Draw, d: int) -> dict[str, Tensor]:
    """Gates driven wide open or shut by the bias alone: two memories kept, two erased and written anew."""
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
    """One memory for paper, distinct sizes, another second sentence, gates wide open and shut, gradients, number types."""
    returns = ["h", "c"]
    numbers, again = (
        Question("by_hand", probes.call, {"arguments": _on_paper(source), "returns": returns})
        for source in (draw, draw.apart("watched"))
    )
    yield numbers
    yield watched(numbers, again, "lstm_cell", "lstm", "nn.LSTMCell", "nn.LSTM")
    (b,), (e, d) = draw.sizes(1), draw.widths(2)
    first, other = _inputs(draw, b, e, d), _inputs(draw, b, e, d)
    other = first | {name: torch.cat([first[name][:1], other[name][1:]]) for name in ("x", "h", "c")}
    yield Question("plain", probes.call_each, {"calls": [first, other], "returns": returns})
    yield Question("gates", probes.call, {"arguments": _told_by_the_gates(draw, 4), "returns": returns})
    b, e, d = draw.sizes(3)
    upstream = {"h": draw.tensor(b, d), "c": draw.tensor(b, d)}
    yield Question(
        "gradients", probes.call, {"arguments": _inputs(draw, b, e, d), "returns": returns, "upstream": upstream}
    )
    yield Question("double", probes.call, {"arguments": _inputs(draw, 2, 3, 5), "returns": returns})


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

GATES = "x @ weight_ih.T + h @ weight_hh.T + bias"
QUARTERS = "i, f, g, o = gates"
CHUNK = "gates.chunk(4, dim=-1)"
FORGET, INPUT, OUTPUT = "torch.sigmoid(f)", "torch.sigmoid(i)", "torch.sigmoid(o)"
CANDIDATE, SHOWN = "torch.tanh(g)", "torch.tanh(memory)"
MEMORY = f"{FORGET} * c + {INPUT} * {CANDIDATE}"
RETURN = "return state, memory"
ORDER = (
    "In the smallest example the cell state is one number. Work out the four gates on paper: which row is which?",
    "The docstring says in which order the four blocks of rows are stacked. Which order does your code use?",
    f"`i, f, g, o = {CHUNK}`.",
)


def softmax_over_the_gates(x, h, c, weight_ih, weight_hh, bias):
    i, f, g, o = (x @ weight_ih.T + h @ weight_hh.T + bias).chunk(4, dim=-1)
    i, f, o = torch.stack([i, f, o]).softmax(dim=0)
    memory = f * c + i * torch.tanh(g)
    return o * torch.tanh(memory), memory


MISTAKES = (
    # which quarter is which
    mistake(
        "order_of_the_slide",
        "You take the four blocks in the order i, f, o, g, as some lecture slides list them. PyTorch stacks its weights in the order i, f, g, o.",
        ORDER,
        (QUARTERS, "i, f, o, g = gates"),
        group="order",
    ),
    mistake(
        "order_of_the_flow_figure",
        "You take the four blocks in the order f, i, g, o, as many drawings of the cell have them. PyTorch stacks its weights in the order i, f, g, o, so your input gate keeps and your forget gate writes.",
        ORDER,
        (QUARTERS, "f, i, g, o = gates"),
        group="order",
    ),
    mistake(
        "order_i_o_f_g",
        "You take the four blocks in the order i, o, f, g. (Such weights exist, in the ONNX format.) PyTorch's order is i, f, g, o.",
        ORDER,
        (QUARTERS, "i, o, f, g = gates"),
        group=ALONE,
    ),
    mistake(
        "gates_first",
        "You take the four blocks in the order f, i, o, g: the three gates first, and then the candidate. PyTorch stacks its weights in the order i, f, g, o.",
        ORDER,
        (QUARTERS, "f, i, o, g = gates"),
        group="order",
    ),
    mistake(
        "softmax_over_the_gates",
        "You take a softmax over the three gates, so they share a total of 1, and keeping more means writing less. Each gate should be a sigmoid of its own.",
        (
            "Add up your i, f and o. Must they come to the same number everywhere?",
            "A gate doesn't depend on the other gates. Which function looks at one number at a time?",
            "`torch.sigmoid(i)`, `torch.sigmoid(f)`, `torch.sigmoid(o)`.",
        ),
        source=softmax_over_the_gates,
        group=ALONE,
    ),
    mistake(
        "interleaved",
        "You take every fourth row for a gate. The rows of one gate are next to each other: D rows for i, then D for f, D for g and D for o.",
        (
            "With D = 3 there are 12 rows. Which of them belong to f, and which do you take?",
            "`view(B, D, 4)` puts neighbouring numbers into different gates. Is that how they are stored?",
            f"`{CHUNK}`, or `view(B, 4, D)`.",
        ),
        (CHUNK, "gates.unflatten(-1, (-1, 4)).unbind(dim=-1)"),
        group="order",
    ),
    # the memory
    mistake(
        "erases_where_it_should_keep",
        "Your forget gate erases where it is 1. Its name suggests that, but the formula multiplies the cell state by f, so at 1 the cell state is *kept*.",
        (
            "Let f be 1 and i be 0. What should become of the cell state?",
            "What do you multiply `c` by?",
            f"`{FORGET} * c`, not `(1 - {FORGET}) * c`.",
        ),
        (FORGET, f"(1 - {FORGET})"),
        group="forget",
    ),
    mistake(
        "no_forget_gate",
        "Nothing is ever forgotten, because the old cell state is added as it is. That is the LSTM of 1997; the forget gate came in 2000.",
        (
            "Let f be 0. What should become of the old memory?",
            "What do you multiply `c` by?",
            f"`{FORGET} * c`.",
        ),
        (f"{FORGET} * c", "c"),
        group=ALONE,
    ),
    mistake(
        "memory_left_out",
        "The old memory does not enter the new one: there is nothing to remember with.",
        (
            "Change `c`. Does what you return change?",
            "The new cell state is a sum of two terms. Which one is missing?",
            f"`{MEMORY}`.",
        ),
        (f"{FORGET} * c + ", ""),
        group=ALONE,
    ),
    mistake(
        "forget_gate_plus_one",
        "You add 1 to the sum in the forget gate. Some libraries do that so that a new LSTM keeps its cell state. Here the bias is given, and already includes whatever it should.",
        (
            "Let all weights, the bias, x and h be 0. What is f? And in your code?",
            "What do you add before the sigmoid of f?",
            f"`{FORGET}`.",
        ),
        (FORGET, "torch.sigmoid(f + 1)"),
        group=ALONE,
    ),
    mistake(
        "memory_cut",
        "Your numbers are right, but the old cell state is cut out of the graph. That closes the very path on which an LSTM can keep its gradient.",
        (
            "Which of your inputs receive a gradient?",
            "What do you do to `c` before you multiply it? `detach`, `.data`?",
            f"`{FORGET} * c`, with `c` as it is.",
        ),
        (f"{FORGET} * c", f"{FORGET} * c.detach()"),
        group=ALONE,
    ),
    mistake(
        "no_input_gate",
        "The candidate is always written in full, because no input gate multiplies it.",
        (
            "Let i be 0. What should be written?",
            "What do you multiply the candidate by?",
            f"`{INPUT} * {CANDIDATE}`.",
        ),
        (f"{INPUT} * ", ""),
        group=ALONE,
    ),
    mistake(
        "one_minus_forget",
        "You use 1 − f as the input gate, so you write as much as you forget. A GRU saves a gate like that; an LSTM has an input gate of its own, i.",
        (
            "Let f and i both be 1. What should become of the cell state?",
            "Where does your code use `i`?",
            f"`{INPUT} * {CANDIDATE}`.",
        ),
        (INPUT, f"(1 - {FORGET})"),
        group=ALONE,
    ),
    mistake(
        "candidate_by_sigmoid",
        "Your candidate g is a sigmoid, so nothing negative is ever written. The candidate takes a tanh; the three *gates* take sigmoids.",
        (
            "Can a step of yours subtract anything from the cell state?",
            "Which of the four quarters gets a tanh?",
            f"`{CANDIDATE}`.",
        ),
        (CANDIDATE, "torch.sigmoid(g)"),
        group="candidate",
    ),
    mistake(
        "candidate_as_it_is",
        "There is no tanh around your candidate g.",
        (
            "How much can a single step add to the cell state at most?",
            "Which of the four quarters gets a tanh?",
            f"`{CANDIDATE}`.",
        ),
        (CANDIDATE, "g"),
        group=ALONE,
    ),
    mistake(
        "gates_as_they_are",
        "There is no sigmoid around your gates, so they may be negative or larger than 1.",
        (
            "Between which two numbers should a gate lie?",
            "Which function goes around i, f and o?",
            f"`{INPUT}`, `{FORGET}`, `{OUTPUT}`.",
        ),
        (FORGET, "f"),
        (INPUT, "i"),
        (OUTPUT, "o"),
        group=ALONE,
    ),
    mistake(
        "gates_by_tanh",
        "Your gates use a tanh instead of a sigmoid. A gate that should be shut gives −1 and reverses the sign.",
        (
            "Between which two numbers should a gate lie?",
            "Which function goes around i, f and o?",
            f"`{INPUT}`, `{FORGET}`, `{OUTPUT}`.",
        ),
        (FORGET, "torch.tanh(f)"),
        (INPUT, "torch.tanh(i)"),
        (OUTPUT, "torch.tanh(o)"),
        group=ALONE,
    ),
    # the state
    mistake(
        "no_output_gate",
        "The whole cell state is shown, because no output gate multiplies it.",
        (
            "Let o be 0. What should the state be?",
            "What do you multiply the tanh of the cell state by?",
            f"`{OUTPUT} * {SHOWN}`.",
        ),
        (f"{OUTPUT} * ", ""),
        group="output",
    ),
    mistake(
        "state_not_squashed",
        "There is no tanh around the cell state in your line for h'. A cell state may grow beyond 1; a state may not.",
        (
            "How large can an entry of your state be?",
            "Compare your line for h' with the formula. Which function is missing?",
            f"`{OUTPUT} * {SHOWN}`.",
        ),
        (SHOWN, "memory"),
        group="shown",
    ),
    mistake(
        "state_of_the_old_memory",
        "Your state shows the *old* cell state, so what is written at this step is seen one step late.",
        (
            "Change the candidate's bias. Does the state change at once?",
            "Which one is in the formula of h': c, or c'?",
            f"`{OUTPUT} * {SHOWN}`.",
        ),
        (SHOWN, "torch.tanh(c)"),
        group=ALONE,
    ),
    mistake(
        "state_of_the_candidate",
        "Your state shows the candidate instead of the cell state, so nothing that was kept from earlier steps can be seen.",
        (
            "Change `c`. Does the state change?",
            "What does the output gate let out?",
            f"`{OUTPUT} * {SHOWN}`.",
        ),
        (SHOWN, CANDIDATE),
        group=ALONE,
    ),
    # what goes into the gates
    mistake(
        "state_left_out",
        "The state so far doesn't reach the gates; they see only the input.",
        (
            "Change `h`. Does what you return change?",
            "Which of the three terms of the sum is missing?",
            f"`gates = {GATES}`.",
        ),
        (" + h @ weight_hh.T", ""),
        group=ALONE,
    ),
    mistake(
        "memory_reaches_the_gates",
        "The gates see the cell state `c` where they should see the state `h`.",
        (
            "Change `h`. Does what you return change?",
            "Which of the two, h or c, is multiplied by `weight_hh`?",
            f"`gates = {GATES}`.",
        ),
        ("h @ weight_hh.T", "c @ weight_hh.T"),
        group=ALONE,
    ),
    mistake(
        "bias_left_out",
        "You add no bias.",
        (
            "Let x and h be 0. What are the gates? And in your code?",
            "Which of the three terms of the sum is missing?",
            f"`gates = {GATES}`.",
        ),
        (" + bias", ""),
        group="bias",
    ),
    mistake(
        "bias_twice",
        "You add the bias twice. PyTorch has two biases; here it is one, their sum.",
        (
            "Let x and h be 0. What are the gates? And in your code?",
            "How many times does the bias occur in your code?",
            f"`gates = {GATES}`.",
        ),
        (" + bias", " + 2 * bias"),
        group=ALONE,
    ),
    # what is returned, and what becomes of the inputs
    mistake(
        "memory_first",
        "You return (c', h'). The order is (h', c'), as in PyTorch.",
        (
            "Which of your two results can be larger than 1?",
            "Look at your last line, and at *Returns* in the docstring.",
            f"`{RETURN}`.",
        ),
        (RETURN, "return memory, state"),
        group="returned",
    ),
    mistake(
        "state_twice",
        "You return the state twice. The second result should be the cell state.",
        (
            "Can your second result be larger than 1? A cell state can.",
            "Look at your last line.",
            f"`{RETURN}`.",
        ),
        (RETURN, "return state, state"),
        group=ALONE,
    ),
    mistake(
        "memory_overwritten",
        "You write the new cell state into the tensor of the old one. The backward pass needs the old one again.",
        (
            "Print `c` before and after your function.",
            "`c *= ...`, `c.mul_(...)`, `c[:] = ...` change the tensor you were given.",
            "Make a new tensor for c'.",
        ),
        (f"memory = {MEMORY}", f"memory = c.copy_({MEMORY})"),
        group=ALONE,
        recogniser=writes_into_c,
    ),
    mistake(
        "detached",
        "Your numbers are right, but they are cut out of the graph, so nothing receives a gradient.",
        (
            "Call your function and look at `requires_grad` of what comes back.",
            "Where do your tensors leave PyTorch's graph? `detach`, `.data`, `torch.no_grad` and a way through NumPy all cut it.",
            "Use torch operations on the tensors you are given, from the first line to the last.",
        ),
        (RETURN, "return state.detach(), memory.detach()"),
        group=ALONE,
    ),
    mistake(
        "order_i_g_f_o",
        "You take the four blocks in the order i, g, f, o: the candidate second and the forget gate third. (TensorFlow's older LSTM cells store them like that.) PyTorch stacks its weights in the order i, f, g, o.",
        ORDER,
        (QUARTERS, "i, g, f, o = gates"),
        group=ALONE,
    ),
    mistake(
        "like_basic_lstm_cell",
        "You take the four blocks in the order i, g, f, o and add 1 to the sum in the forget gate, as TensorFlow's `BasicLSTMCell` does. PyTorch stacks its weights in the order i, f, g, o, and the bias you are given already includes whatever it should.",
        (
            "In the smallest example the cell state is one number. Work out the four gates on paper: which row is which, and what goes into the sigmoid of f?",
            "Weights belong to the library that stored them. The docstring says in which order these are stacked; does it mention a 1?",
            f"`i, f, g, o = {CHUNK}`, and `{FORGET}` with nothing added.",
        ),
        (QUARTERS, "i, g, f, o = gates"),
        (FORGET, "torch.sigmoid(f + 1)"),
        group=ALONE,
    ),
    mistake(
        "weights_cut",
        "Your numbers are right, but the weights and the bias are cut out of the graph (detached, say, or copied into a module of your own): they receive no gradient and never learn.",
        (
            "Which of the six tensors that you are given receive a gradient?",
            "What happens to the weights before you multiply with them? `detach`, `.data`, `copy_` and a new `nn.Parameter` all start anew.",
            f"`gates = {GATES}`, with the weights and the bias that you are given.",
        ),
        (GATES, "x @ weight_ih.detach().T + h @ weight_hh.detach().T + bias.detach()"),
        group=ALONE,
    ),
)  # fmt: skip


def with_linear(x, h, c, weight_ih, weight_hh, bias):
    i, f, g, o = torch.tensor_split(F.linear(x, weight_ih) + F.linear(h, weight_hh, bias), 4, dim=1)
    c_new = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * c_new.tanh(), c_new


def gate_by_gate(x, h, c, weight_ih, weight_hh, bias):
    d = h.shape[-1]

    def gate(number):
        rows = slice(number * d, (number + 1) * d)
        return x @ weight_ih[rows].T + h @ weight_hh[rows].T + bias[rows]

    kept = torch.sigmoid(gate(1)) * c
    written = torch.sigmoid(gate(0)) * torch.tanh(gate(2))
    memory = kept + written
    return torch.sigmoid(gate(3)) * torch.tanh(memory), memory


def side_by_side(x, h, c, weight_ih, weight_hh, bias):
    weight = torch.cat([weight_ih, weight_hh], dim=1)
    gates = torch.cat([x, h], dim=1) @ weight.T + bias
    gates = gates.reshape(len(x), 4, -1)
    write, keep, show = (torch.sigmoid(gates[:, k]) for k in (0, 1, 3))
    c = keep * c + write * torch.tanh(gates[:, 2])
    return show * torch.tanh(c), c


def sentence_by_sentence(x, h, c, weight_ih, weight_hh, bias):
    states, memories = [], []
    for b in range(x.size(0)):
        i, f, g, o = (weight_ih @ x[b] + weight_hh @ h[b] + bias).split(h.size(1))
        memories.append(torch.sigmoid(f) * c[b] + torch.sigmoid(i) * torch.tanh(g))
        states.append(torch.sigmoid(o) * torch.tanh(memories[-1]))
    return torch.stack(states), torch.stack(memories)


def sigmoids_by_tanh(x, h, c, weight_ih, weight_hh, bias):
    a = torch.addmm(bias, x, weight_ih.t()).addmm(h, weight_hh.t())
    i, f, g, o = a.view(a.size(0), 4, a.size(1) // 4).unbind(dim=1)
    i, f, o = ((1 + torch.tanh(gate / 2)) / 2 for gate in (i, f, o))
    c = torch.addcmul(f * c, i, torch.tanh(g))
    return o * torch.tanh(c), c


def torchs_cell(x, h, c, weight_ih, weight_hh, bias):
    cell = nn.LSTMCell(x.size(1), h.size(1)).to(x.dtype)
    weights = {"weight_ih": weight_ih, "weight_hh": weight_hh, "bias_ih": torch.zeros_like(bias), "bias_hh": bias}
    return torch.func.functional_call(cell, weights, (x, (h, c)))


def stub(x, h, c, weight_ih, weight_hh, bias):
    raise NotImplementedError


def zeros(x, h, c, weight_ih, weight_hh, bias):
    return torch.zeros_like(h), torch.zeros_like(c)


def what_was_given(x, h, c, weight_ih, weight_hh, bias):
    return h.clone(), c.clone()


def an_rnn(x, h, c, weight_ih, weight_hh, bias):
    d = h.size(1)
    state = torch.tanh(x @ weight_ih[:d].T + h @ weight_hh[:d].T + bias[:d])
    return state, c.clone()


def noise(x, h, c, weight_ih, weight_hh, bias):
    return torch.rand_like(h), torch.randn_like(c)


LSTM_STEP = define(
    id="lstm_step",
    lesson="01_recurrent_translation",
    place=2,
    module="course_lib.components.lstm_step",
    symbol="lstm_step",
    minutes=15,
    laws=LAWS,
    hints=(
        "Work out the smallest example on paper: four sums, three sigmoids and a tanh, then the cell state, then the state.",
        "Print the shapes: the sum is (B, 4D), and each quarter of it (B, D). In which order do the quarters come?",
        f"`i, f, g, o = {CHUNK}`; c' is `{MEMORY}`; h' is the sigmoid of o times the tanh of c'.",
    ),
    ask=ask,
    mistakes=(
        finished_function(
            torchs_cell,
            "nn.LSTMCell",
            "Two products and the bias, cut into four with `chunk`; then the three lines with gates.",
        ),
        *MISTAKES,
    ),
    alternatives=(with_linear, gate_by_gate, side_by_side, sentence_by_sentence, sigmoids_by_tanh),
    lazy=(stub, zeros, what_was_given, an_rnn, noise),
    switches=("order", "candidate", "shown", "returned"),
)


# the mistakes again, in another style: each must get the same name


@LSTM_STEP.second_version("finished_function")
def a_whole_lstm(x, h, c, weight_ih, weight_hh, bias):
    layer = nn.LSTM(x.shape[1], h.shape[1], dtype=x.dtype)
    weights = {"weight_ih_l0": weight_ih, "weight_hh_l0": weight_hh, "bias_ih_l0": bias, "bias_hh_l0": 0 * bias}
    h, c = torch.func.functional_call(layer, weights, (x[None], (h[None], c[None])))[1]
    return h[0], c[0]


@LSTM_STEP.second_version("order_of_the_slide")
def four_slices(x, h, c, weight_ih, weight_hh, bias):
    d = h.size(1)
    a = F.linear(x, weight_ih, bias) + F.linear(h, weight_hh)
    i, f, o, g = a[:, :d].sigmoid(), a[:, d : 2 * d].sigmoid(), a[:, 2 * d : 3 * d].sigmoid(), a[:, 3 * d :].tanh()
    c = f * c + i * g
    return o * c.tanh(), c


@LSTM_STEP.second_version("order_of_the_flow_figure")
def as_in_the_flow_figure(x, h, c, weight_ih, weight_hh, bias):
    f, i, g, o = (F.linear(x, weight_ih, bias) + F.linear(h, weight_hh)).split(h.size(1), dim=1)
    memory = c * f.sigmoid() + i.sigmoid() * g.tanh()
    return memory.tanh() * o.sigmoid(), memory


@LSTM_STEP.second_version("interleaved")
def every_fourth(x, h, c, weight_ih, weight_hh, bias):
    a = x @ weight_ih.T + h @ weight_hh.T + bias
    i, f, g, o = (a[:, k::4] for k in range(4))
    memory = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * memory.tanh(), memory


@LSTM_STEP.second_version("erases_where_it_should_keep")
def erase_by_subtraction(x, h, c, weight_ih, weight_hh, bias):
    i, f, g, o = (x @ weight_ih.T + h @ weight_hh.T + bias).chunk(4, dim=1)
    memory = c - f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * memory.tanh(), memory


@LSTM_STEP.second_version("one_minus_forget")
def coupled(x, h, c, weight_ih, weight_hh, bias):
    _, f, g, o = (x @ weight_ih.T + h @ weight_hh.T + bias).chunk(4, dim=1)
    memory = torch.lerp(g.tanh(), c, f.sigmoid())
    return o.sigmoid() * memory.tanh(), memory


@LSTM_STEP.second_version("candidate_by_sigmoid")
def sigmoid_of_all(x, h, c, weight_ih, weight_hh, bias):
    i, f, g, o = torch.sigmoid(x @ weight_ih.T + h @ weight_hh.T + bias).chunk(4, dim=1)
    memory = f * c + i * g
    return o * memory.tanh(), memory


@LSTM_STEP.second_version("state_not_squashed")
def memory_shown_as_it_is(x, h, c, weight_ih, weight_hh, bias):
    a = torch.cat([x, h], dim=1) @ torch.cat([weight_ih, weight_hh], dim=1).T + bias
    i, f, g, o = a.unflatten(1, (4, -1)).unbind(1)
    memory = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * memory, memory


@LSTM_STEP.second_version("memory_first")
def pair_turned_round(x, h, c, weight_ih, weight_hh, bias):
    cell = nn.LSTMCell(x.size(1), h.size(1)).to(x.dtype)
    weights = {"weight_ih": weight_ih, "weight_hh": weight_hh, "bias_ih": bias, "bias_hh": 0 * bias.detach()}
    return torch.func.functional_call(cell, weights, (x, (h, c)))[::-1]


@LSTM_STEP.second_version("memory_cut")
def memory_without_graph(x, h, c, weight_ih, weight_hh, bias):
    i, f, g, o = (F.linear(x, weight_ih) + F.linear(h, weight_hh, bias)).chunk(4, dim=1)
    memory = f.sigmoid() * c.data + i.sigmoid() * g.tanh()
    return o.sigmoid() * memory.tanh(), memory


@LSTM_STEP.second_version("gates_first")
def three_sigmoids_at_once(x, h, c, weight_ih, weight_hh, bias):
    sums, d = F.linear(x, weight_ih, bias) + F.linear(h, weight_hh), h.size(1)
    f, i, o = torch.sigmoid(sums[:, : 3 * d]).split(d, dim=1)
    c = f * c + i * sums[:, 3 * d :].tanh()
    return o * c.tanh(), c


@LSTM_STEP.second_version("softmax_over_the_gates")
def exponentials_of_the_gates(x, h, c, weight_ih, weight_hh, bias):
    i, f, g, o = (F.linear(x, weight_ih, bias) + F.linear(h, weight_hh)).split(h.size(1), dim=1)
    i, f, o = i.exp(), f.exp(), o.exp()
    total = i + f + o
    c = f / total * c + i / total * g.tanh()
    return o / total * c.tanh(), c


@LSTM_STEP.second_version("memory_overwritten")
def memory_through_data(x, h, c, weight_ih, weight_hh, bias):
    i, f, g, o = (F.linear(x, weight_ih, bias) + F.linear(h, weight_hh)).split(h.size(1), dim=1)
    new = f.sigmoid() * c + i.sigmoid() * g.tanh()
    state = o.sigmoid() * new.tanh()
    c.data.copy_(new)
    return state, new


@LSTM_STEP.second_version("weights_cut")
def weights_loaded_into_a_cell(x, h, c, weight_ih, weight_hh, bias):
    cell = nn.LSTMCell(x.size(1), h.size(1), dtype=x.dtype)
    cell.load_state_dict(
        {"weight_ih": weight_ih, "weight_hh": weight_hh, "bias_ih": bias, "bias_hh": torch.zeros_like(bias)}
    )
    return cell(x, (h, c))


@LSTM_STEP.second_version("order_i_g_f_o")
def candidate_second(x, h, c, weight_ih, weight_hh, bias):
    sums = F.linear(x, weight_ih, bias) + F.linear(h, weight_hh)
    write, candidate, keep, show = sums.unflatten(1, (4, -1)).unbind(1)
    memory = torch.lerp(torch.zeros_like(c), c, keep.sigmoid()) + write.sigmoid() * candidate.tanh()
    return show.sigmoid() * memory.tanh(), memory


@LSTM_STEP.second_version("like_basic_lstm_cell")
def with_a_forget_bias(x, h, c, weight_ih, weight_hh, bias):
    d = c.shape[1]
    bias = bias + F.pad(torch.ones(d, dtype=bias.dtype), (2 * d, d))
    z = torch.cat([x, h], dim=1) @ torch.cat([weight_ih, weight_hh], dim=1).T + bias
    c = z[:, 2 * d : 3 * d].sigmoid() * c + z[:, :d].sigmoid() * z[:, d : 2 * d].tanh()
    return z[:, 3 * d :].sigmoid() * c.tanh(), c
