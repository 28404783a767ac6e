"""The experiments of lesson 01: what happens to a gradient in backpropagation through time.

Each takes the steps to test, for instance the student's, and a seed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from course_lib.experiments.series import Series, in_tens

#: how many steps back to measure the gradient
DISTANCES = (0, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100)
#: the width of inputs and states, and the number of random sequences
WIDTH, SEQUENCES = 64, 16
#: the gains of the recurrent matrix, and the values added to the forget gate's bias
GAINS, FORGET_BIASES = (0.6, 1.0, 1.5), (0.0, 1.0, 3.0)
#: the numbers of steps after which backpropagation is truncated
WINDOWS = (1, 2, 5, 10, 20, 50, 100)

#: one step: from the input and the state (of an LSTM: hidden state and cell state) to the next state
Step = Callable[[Tensor, tuple[Tensor, ...]], tuple[Tensor, ...]]


@dataclass(frozen=True)
class Steps:
    """The components of lesson 01.

    Attributes:
        rnn_step: ``(x, h, weight_ih, weight_hh, bias) -> h'``.
        lstm_step: ``(x, h, c, weight_ih, weight_hh, bias) -> (h', c')``; only LSTMs need it.
    """

    rnn_step: Callable[..., Tensor]
    lstm_step: Callable[..., tuple[Tensor, Tensor]] | None = None


class Recurrence(nn.Module):
    """A recurrent network of one layer, run step by step: a plain one, one without its tanh, or an LSTM.

    Args:
        steps: the functions that compute each step.
        kind: ``"linear"``, ``"tanh"`` or ``"lstm"``.
        amount: for an LSTM, what is added to the forget gate's bias after PyTorch's initialisation. For the others, the
            gain: the recurrent matrix is orthogonal times this number, so it multiplies all norms by it.
    """

    def __init__(self, steps: Steps, kind: str, amount: float, width: int = WIDTH) -> None:
        super().__init__()
        self.steps, self.kind, self.width = steps, kind, width
        drawn = nn.LSTMCell(width, width) if kind == "lstm" else nn.RNNCell(width, width)
        self.weight_ih, self.weight_hh = drawn.weight_ih, drawn.weight_hh
        self.bias = nn.Parameter((drawn.bias_ih + drawn.bias_hh).detach())  # (4 D,) or (D,)
        with torch.no_grad():
            if kind == "lstm":
                self.bias[width : 2 * width] += amount
            else:
                nn.init.orthogonal_(self.weight_hh, gain=amount)

    def start(self, batch: int) -> tuple[Tensor, ...]:
        """Return states of zeros, (B, D) each: one, and for an LSTM a cell state as well."""
        zeros = torch.zeros(batch, self.width, dtype=self.bias.dtype)
        return (zeros, zeros.clone()) if self.kind == "lstm" else (zeros,)

    def forward(self, x: Tensor, state: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """Compute the state after an input (B, D)."""
        if self.kind == "lstm":
            assert self.steps.lstm_step is not None, "an LSTM needs an lstm_step"
            return self.steps.lstm_step(x, *state, self.weight_ih, self.weight_hh, self.bias)
        if self.kind == "tanh":
            return (self.steps.rnn_step(x, *state, self.weight_ih, self.weight_hh, self.bias),)
        return (x @ self.weight_ih.T + state[0] @ self.weight_hh.T + self.bias,)


def _seeded(seed: int, steps: Steps, kind: str, amount: float) -> tuple[Recurrence, Tensor, Tensor]:
    """Build a network, inputs (T, B, D) and a gradient of norm 1 for each last state (B, D), in double precision."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = Recurrence(steps, kind, amount).double()
        inputs = torch.randn(DISTANCES[-1], SEQUENCES, WIDTH, dtype=torch.float64)  # (T, B, D)
        upstream = F.normalize(torch.randn(SEQUENCES, WIDTH, dtype=torch.float64), dim=-1)  # (B, D)
    return network, inputs, upstream


def gradient_by_distance(steps: Steps, seed: int, kind: str) -> Series:
    """Return the norm of a gradient by how many steps back it is; it is 1 at the last of 100 states.

    For an LSTM, it is the joint norm of the gradients of hidden state and cell state.

    Returns:
        ``distance`` and, by gain or forget bias (``"0.6"``, …), the geometric mean over random sequences.
    """
    series: Series = {"distance": [float(distance) for distance in DISTANCES]}
    for amount in FORGET_BIASES if kind == "lstm" else GAINS:
        network, inputs, upstream = _seeded(seed, steps, kind, amount)
        states = [tuple(part.requires_grad_() for part in network.start(SEQUENCES))]
        for x in inputs:
            states.append(network(x, states[-1]))
        wanted = [part for distance in DISTANCES for part in states[-1 - distance]]
        found = torch.autograd.grad(states[-1][0], wanted, upstream, allow_unused=True)
        parts = len(states[0])
        lengths = []
        for first in range(0, len(found), parts):
            reached = [part for part in found[first : first + parts] if part is not None]
            length = torch.cat(reached, dim=-1).norm(dim=-1) if reached else torch.zeros(SEQUENCES)  # (B,)
            lengths.append(length.clamp_min(1e-300).log().mean().exp().item())
        series[f"{amount:g}"] = lengths
    return series


def truncation(steps: Steps, seed: int, kind: str, amount: float) -> Series:
    """Measure how far the gradient of the recurrent weights turns when backpropagation is truncated.

    Returns:
        ``window``, the number of steps it goes back, and ``cosine``, with the gradient over all 100 steps.
    """
    whole = _gradient(steps, seed, kind, amount, DISTANCES[-1])
    cosines = [F.cosine_similarity(_gradient(steps, seed, kind, amount, window), whole, dim=0) for window in WINDOWS]
    return {"window": [float(window) for window in WINDOWS], "cosine": [cosine.item() for cosine in cosines]}


def _gradient(steps: Steps, seed: int, kind: str, amount: float, window: int) -> Tensor:
    """Return the gradient of the recurrent weights, flattened, through the last ``window`` steps."""
    network, inputs, upstream = _seeded(seed, steps, kind, amount)
    state = network.start(SEQUENCES)
    for t, x in enumerate(inputs):
        if t == len(inputs) - window:
            state = tuple(part.detach() for part in state)
        state = network(x, state)
    return torch.autograd.grad(state[0], network.weight_hh, upstream)[0].flatten()


#: the memory task: the number of symbols, and after how many steps the first input must be named
SYMBOLS, REMEMBERED = 8, 40

#: the networks of the memory task: kind, gain or forget bias, and after how many steps backpropagation is truncated
PUPILS: dict[str, tuple[str, float, int | None]] = {
    "tanh RNN, gain 1": ("tanh", 1.0, None),
    "LSTM, forget bias 0": ("lstm", 0.0, None),
    "LSTM, forget bias 3": ("lstm", 3.0, None),
    "LSTM, forget bias 3, cut after 10": ("lstm", 3.0, 10),
}


def remember(steps: Steps, seed: int, pupil: str, rounds: int = 250) -> Series:
    """Train a network to name the first symbol of a sequence after 40 steps of noise.

    Returns:
        ``step`` and ``loss``, averaged over ten training steps at a time.
    """
    kind, amount, window = PUPILS[pupil]
    generator = torch.Generator().manual_seed(seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = Recurrence(steps, kind, amount, width=32)
        readout = nn.Linear(32, SYMBOLS)
    learned = [*network.parameters(), *readout.parameters()]
    optimizer = torch.optim.Adam(learned, lr=5e-3)
    losses = []
    for _ in range(rounds):
        first = torch.randint(SYMBOLS, (32,), generator=generator)  # (B,)
        inputs = torch.randn(REMEMBERED, 32, 32, generator=generator) / 4  # (T, B, D)
        inputs[0] = F.one_hot(first, 32)  # (B, D)
        state = network.start(len(first))
        for t, x in enumerate(inputs):
            if window and t == REMEMBERED - window:
                state = tuple(part.detach() for part in state)
            state = network(x, state)
        loss = F.cross_entropy(readout(state[0]), first)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(learned, 1.0)
        optimizer.step()
        losses.append(loss.item())
    return in_tens(losses)


def _distance(kind: str) -> Callable[[Steps, int], Series]:
    return lambda steps, seed: gradient_by_distance(steps, seed, kind)


def _truncation(kind: str, amount: float) -> Callable[[Steps, int], Series]:
    return lambda steps, seed: truncation(steps, seed, kind, amount)


def _remember(pupil: str) -> Callable[[Steps, int], Series]:
    return lambda steps, seed: remember(steps, seed, pupil)


#: the truncations to measure, by name
TRUNCATED = {"tanh RNN, gain 0.6": ("tanh", 0.6), "LSTM, forget bias 3": ("lstm", 3.0)}

#: what ``make experiments`` records, by name: functions of the steps and a seed
EXPERIMENTS: dict[str, Callable[[Steps, int], Series]] = {
    **{f"gradient_{kind}": _distance(kind) for kind in ("linear", "tanh", "lstm")},
    **{f"truncated: {name}": _truncation(*arm) for name, arm in TRUNCATED.items()},
    **{f"remember: {pupil}": _remember(pupil) for pupil in PUPILS},
}
