"""What lesson 01 says beside its exercises: its numbers on paper, its tasks without points, its drawings."""

from __future__ import annotations

import math
import re
from itertools import pairwise

import pytest
import torch
from torch import Tensor, nn

from course_lib import diagrams
from course_lib.components import RecurrentDecoder, Vocabulary, lstm_step, rnn_step
from course_lib.course import Course
from course_lib.diagrams.lesson_01 import numbers as book_states
from course_lib.experiments import recorded, translation
from course_lib.experiments.recurrence import Recurrence, Steps

LESSON = "01_recurrent_translation"
GRU = """r_in, z_in, n_in = (x @ weight_ih.T + bias_ih).chunk(3, dim=-1)
    r_h, z_h, n_h = (h @ weight_hh.T + bias_hh).chunk(3, dim=-1)
    r, z = torch.sigmoid(r_in + r_h), torch.sigmoid(z_in + z_h)
    return (1 - z) * torch.tanh(n_in + r * n_h) + z * h"""
LOOP = """word, written = torch.ones(len(h), dtype=torch.long), []
    while len(written) < max_length and not (word == 2).all():
        logits, h, c = decoder_step(word, h, c)
        word = torch.where(word == 2, 2, logits.argmax(dim=-1))
        written.append(word)
    return torch.stack(written, dim=1)"""
SOLVED = {
    "def gru_step": {"return torch.zeros_like(h)  # yours instead": GRU},
    "def greedy": {"return torch.full((len(h), 1), 2)  # yours instead": LOOP},
}


def text(course: Course) -> str:
    return (course.root / "lessons" / f"{LESSON}.md").read_text(encoding="utf-8")


def cell(course: Course, holds: str) -> str:
    """The demo cell that holds a text."""
    cells = re.findall(r"```{code-cell}\n:tags: \[demo\]\n\n(.*?)\n```", text(course), re.DOTALL)
    found: list[str] = [source for source in cells if holds in source]
    assert len(found) == 1
    return found[0]


def run(source: str, changes: dict[str, str], capsys: pytest.CaptureFixture[str]) -> list[str]:
    """The lines that a cell prints once these texts of it are replaced."""
    for old, new in changes.items():
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    known = {"torch": torch, "nn": nn, "math": math, "Tensor": Tensor, "RecurrentDecoder": RecurrentDecoder}
    exec(source, known | {"rnn_step": rnn_step, "lstm_step": lstm_step})
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("holds", SOLVED)
def test_a_stretch_task_can_be_done_and_is_not_done_yet(
    course: Course, capsys: pytest.CaptureFixture[str], holds: str
) -> None:
    source = cell(course, holds)
    untouched, done = run(source, {}, capsys), run(source, SOLVED[holds], capsys)
    assert any(line.startswith("✗") for line in untouched)
    assert all(line.startswith("✓") for line in done)


def test_a_greedy_loop_that_ignores_the_end_breaks_a_law(course: Course, capsys: pytest.CaptureFixture[str]) -> None:
    careless = {stub: code.replace("torch.where(word == 2, 2, logits.argmax(dim=-1))", "logits.argmax(dim=-1)")
                for stub, code in SOLVED["def greedy"].items()}  # fmt: skip
    broken = [line for line in run(cell(course, "def greedy"), careless, capsys) if line.startswith("✗")]
    assert any("after <eos> there is only <eos>" in line for line in broken)


def test_the_lesson_computes_with_the_numbers_that_its_diagrams_show(
    course: Course, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = run(cell(course, 'words = ["the", "red"'), {}, capsys)
    for line, word, state in zip(printed, book_states.WORDS, book_states.STATES, strict=False):
        assert line.split() == ["after", word, *(f"{entry:.4f}" for entry in state)]
    for number in ("0.4766", "0.4035", "0.1923"):
        assert number in diagrams.draw("gradient_back").svg and number in text(course)
    assert run(cell(course, "no_weights"), {}, capsys)[0] == "one entry: c' = 1.750, h' = 0.471"
    assert "1.75" in diagrams.draw("lstm_cell").svg and "0.471" in diagrams.draw("lstm_cell").svg


def test_the_factors_on_paper_multiply_to_the_gradient() -> None:
    book, old = (torch.tensor(book_states.STATES[t], requires_grad=True) for t in (book_states.BOOK, book_states.OLD))
    assert round(0.5 * (1 - 0.2162**2), 4) == 0.4766 and round(0.5 * (1 - 0.4393**2), 4) == 0.4035
    assert round(0.4766 * 0.4035, 4) == 0.1923
    weight_ih, weight_hh = torch.tensor(book_states.W_IH), torch.tensor(book_states.W_HH)
    h = book[None]
    for x in torch.tensor(book_states.X)[3:]:
        h = rnn_step(x[None], h, weight_ih, weight_hh, torch.zeros(2, dtype=torch.float64))
    torch.testing.assert_close(h[0], old)
    (gradient,) = torch.autograd.grad(h[0, 0], book)
    assert round(gradient[0].item(), 4) == 0.1923


def test_what_the_lesson_says_of_recorded_runs_is_what_was_recorded() -> None:
    measured, translators = recorded(LESSON), recorded("recurrent_translators")
    lstm, beside = measured["gradient_lstm"], measured["beside_mystery"]
    assert lstm["0"].low[-1] > 1e-23 and lstm["0"].high[-1] < 1e-21
    assert lstm["1"].low[-1] > 1e-10 and lstm["1"].high[-1] < 1e-9
    assert beside["accuracy"].low[3] == 1, "four positions of padding cost nothing"
    assert 0.1 < beside["accuracy"].low[-1] < 0.14 and 0.6 < beside["accuracy"].high[-1] < 0.67
    at_start, at_every = translators["without_attention"], translators["context_at_every_step"]
    assert at_every["overall"].high[0] < at_start["overall"].low[0]
    biased = translators["forget_bias_1"]["overall"]
    assert biased.low[0] < at_start["overall"].high[0] and at_start["overall"].low[0] < biased.high[0]
    twelve = at_start["length"].median.index(12)
    assert at_start["exact_match"].high[twelve] < 0.25 and at_start["short"].low[0] > 0.95


def _left(amount: float, *, through_the_state: bool = True) -> list[float]:
    """The norm of a gradient of 1, put at h after 100 steps, at each cell state from the first to the last."""
    torch.manual_seed(0)
    network = Recurrence(Steps(rnn_step, lstm_step), "lstm", amount).double()
    if not through_the_state:
        nn.init.zeros_(network.weight_hh)
    inputs, upstream = torch.randn(100, 16, 64).double(), torch.randn(16, 64).double()
    states = [(torch.zeros(16, 64).double(), torch.zeros(16, 64).double().requires_grad_())]
    for x in inputs:
        states.append(network(x, states[-1]))
    found = torch.autograd.grad(states[-1][0], [c for _, c in states[:-1]], upstream / upstream.norm(dim=1)[:, None])
    return [gradient.norm(dim=1).log().mean().exp().item() for gradient in found]


@pytest.mark.parametrize("bias", [0.0, 1.0, 3.0])
def test_most_of_the_gradient_that_an_lstm_keeps_took_the_path_through_the_state(bias: float) -> None:
    alone, both = _left(bias, through_the_state=False), _left(bias)
    assert both[0] > 1 / (1 + math.exp(-bias)) ** 100
    assert both[0] > 10 * alone[0]
    assert all(earlier < later for earlier, later in pairwise(alone)), "without that path, it never grows"


def test_the_loss_starts_at_the_logarithm_of_the_number_of_french_tokens() -> None:
    french = translation.vocabularies(Vocabulary)[1]
    assert len(french) == 1111 and round(math.log(len(french)), 2) == 7.01


def test_french_sentences_are_about_as_long_as_english_ones() -> None:
    held_out = translation.pairs("held_out", 10_000, 2000)
    for length in (5, 12):
        of_length = [len(pair.target) for pair in held_out if len(pair.source) == length]
        assert abs(sum(of_length) / len(of_length) - length) < 1
