"""Lesson 06: its tasks without points can be done, and its diagrams show the numbers of its text and cells."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from course_lib import components
from course_lib.component_files import component_files
from course_lib.course import Course
from course_lib.diagrams.lesson_06 import numbers as book
from course_lib.experiments import encoder_block
from course_lib.figures.arms import arm
from course_lib.figures.style import BLUE, RED

DONE = {
    "class ScaledResidual": {
        "# yours: self.scale": "self.scale = nn.Parameter(torch.full((d_model,), start))",
        "return x + sublayer(self.norm(x))  # yours instead": "return x + self.scale * sublayer(self.norm(x))",
    },
}


@pytest.fixture(scope="module")
def text(course: Course) -> str:
    return (course.root / "lessons" / "06_encoder_block.md").read_text(encoding="utf-8")


def cell(text: str, holds: str) -> str:
    cells = re.findall(r"```{code-cell}\n:tags: \[demo\]\n\n(.*?)\n```", text, re.DOTALL)
    (found,) = [source for source in cells if holds in source]
    return str(found)


def marks(text: str, task: str, changes: dict[str, str], capsys: pytest.CaptureFixture[str]) -> list[str]:
    """The marks that a task's cell prints once these texts of it are replaced."""
    source = cell(text, task)
    for old, new in changes.items():
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    ours = {name: getattr(components, name) for name in component_files()}
    known = {"torch": torch, "Tensor": Tensor, "nn": nn, "F": F, "math": math, "Callable": Callable, **ours}

    def holds(check: str, kept: bool) -> None:
        print("✓" if kept else "✗", check)

    exec(source, known | {"holds": holds})
    return [line[0] for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize("task", DONE)
def test_a_stretch_task_can_be_done(text: str, task: str, capsys: pytest.CaptureFixture[str]) -> None:
    untouched, done = marks(text, task, {}, capsys), marks(text, task, DONE[task], capsys)
    assert "✗" in untouched, "it is not done yet"
    assert len(done) >= 5 and set(done) == {"✓"}


@pytest.mark.parametrize("change", [
    ("class ScaledResidual", "nn.Parameter(torch.full((d_model,), start))", "torch.full((d_model,), start)"),
], ids=["nothing to learn"])  # fmt: skip
def test_a_wrong_answer_breaks_a_law(
    text: str, change: tuple[str, str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    task, old, new = change
    assert "✗" in marks(text, task, {was: now.replace(old, new) for was, now in DONE[task].items()}, capsys)


def test_the_networks_numbers_are_those_of_the_table_and_of_the_cell(text: str) -> None:
    rows = dict(re.findall(r"^\| ([^|]+?) \| (\$\([^|]+ \| [^|]+ \| [^|]+?) \|$", text, re.MULTILINE))
    steps = {"$x$": book.FEATURES, "$x W_1$": book.FEATURES @ book.W_1, "$x W_1 + b_1$": book.BEFORE,
             "after ReLU": book.HIDDEN, "output": book.OUTPUT}  # fmt: skip
    for name, numbers in steps.items():
        shown = [
            [float(number) for number in re.findall(r"-?\d+", entry)]
            for entry in re.split(r" \| ", rows[name].replace("W_1", ""))
        ]
        np.testing.assert_array_equal(shown, numbers[[book.BOOK, 1, 0]], err_msg=name)
    small = components.FeedForward(2, 3).double()
    names: dict[str, object] = {"torch": torch, "small": small, "FeedForward": lambda *sizes: small, "compare": print}
    exec(cell(text, "small = FeedForward(2, 3)").split("\n\n")[0].replace("print(", "str("), names)
    found = small(torch.from_numpy(book.FEATURES)).detach().numpy()
    np.testing.assert_array_equal(found, book.OUTPUT)


def test_books_numbers_on_paper(text: str) -> None:
    centred = book.SUM - book.SUM.mean()
    normed = centred / math.sqrt((centred**2).mean())
    assert "(" + ", ".join(f"{number:.3f}" for number in normed) + ")" in text
    assert f"{np.linalg.norm(book.COMES_IN):.3f}" in text and f"{np.linalg.norm(book.SUM):.3f}" in text
    assert all("(" + ", ".join(f"{n:g}" for n in row) + ")" in text for row in (book.COMES_IN, book.ADDED, book.SUM))


def test_what_slips_in_layer_norms_formula_do_to_a_word(text: str) -> None:
    """The table's variances of a normalised *book*, and its word of fours."""
    denominators: dict[str, Callable[[float], float]] = {
        "as it should be": lambda squares: math.sqrt(squares / 4 + 1e-5),
        "$\\sigma^2$ without $1/D$": lambda squares: math.sqrt(squares + 1e-5),
        "$\\sigma$ in place of $\\sigma^2$ under the root": lambda squares: math.sqrt(math.sqrt(squares / 4) + 1e-5),
        "no $\\varepsilon$": lambda squares: math.sqrt(squares / 4),
    }
    rows = {cells[0]: cells[1:] for line in text.splitlines() if len(cells := line.strip("| ").split(" | ")) == 3}
    shown = {"1": 1, "$\\tfrac14$": 0.25, "$\\sqrt 5 = 2.24$": math.sqrt(5)}
    for name, denominator in denominators.items():
        variance, fours = rows[name]
        assert 5 / denominator(20) ** 2 == pytest.approx(shown[variance], abs=1e-4), name
        assert (denominator(0) == 0) == (fours != "zeros"), name


def test_attention_weights_make_the_gradient_explode_where_there_are_only_residuals(text: str) -> None:
    """The stack of `gradient_by_layer` with residuals alone, but with the attention weights frozen."""
    batch, words, width, heads = 8, encoder_block.TOKENS, encoder_block.WIDTH, encoder_block.HEADS
    for seed in range(3):
        torch.manual_seed(seed)
        x = start = torch.randn(batch, words, width, dtype=torch.float64).requires_grad_()  # (B, T, D)
        for _ in range(encoder_block.DEEPEST):
            attention = components.MultiHeadAttention(width, heads).double()
            network = components.FeedForward(width, 4 * width).double()
            for part in (attention, network):
                encoder_block.start_as_the_paper(part)
            weights = attention(x, x, x, need_weights=True)[1].detach()  # (B, H, T, T)
            values = attention.w_v(x).view(batch, words, heads, -1).transpose(1, 2)  # (B, H, T, Dh)
            x = x + attention.w_o((weights @ values).transpose(1, 2).reshape(x.shape))  # (B, T, D)
            x = x + network(x)  # (B, T, D)
        upstream = torch.randn(x.shape, dtype=torch.float64)  # (B, T, D)
        (gradient,) = torch.autograd.grad(x, start, upstream / upstream.norm())
        assert 130 < gradient.norm() < 150
    assert "the norm ends at about 140" in text


def test_an_arm_has_one_colour_whoever_runs_it() -> None:
    assert (arm("pre-norm") or {})["color"] == (arm("yours, pre-norm") or {})["color"] == BLUE
    assert (arm("post-norm") or {})["color"] == RED
    assert arm("yours") is None
