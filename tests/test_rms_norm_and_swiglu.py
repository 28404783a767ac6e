"""`RMSNorm` and `SwiGLU` against PyTorch's, and the laws that follow from their formulas."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from course_lib.components import FeedForward, LayerNorm, RMSNorm, SwiGLU, swiglu_width_on_paper

CLOSE = {"rtol": 0, "atol": 1e-10}
SHAPES = [(6,), (5, 6), (3, 5, 6), (2, 3, 5, 6)]


def normal(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def filled(module: nn.Module) -> nn.Module:
    """Return the module in float64, with parameters that are neither zeros nor ones."""
    module = module.double()
    for seed, parameter in enumerate(module.parameters(), start=1):
        parameter.data = normal(*parameter.shape, seed=seed)
    return module


def assert_same(
    ours: Callable[[Tensor], Tensor], theirs: Callable[[Tensor], Tensor], x: Tensor, *parameters: nn.Parameter
) -> None:
    """Compare outputs and the gradients of the input and of parameters."""
    x = x.requires_grad_()
    upstream = normal(*x.shape, seed=9)
    outputs = ours(x), theirs(x)
    torch.testing.assert_close(*outputs, **CLOSE)
    gradients = (torch.autograd.grad(output, (x, *parameters), upstream) for output in outputs)
    torch.testing.assert_close(*gradients, **CLOSE)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("eps", [1e-5, 0.5])
def test_rms_norm_equals_torchs_and_so_do_its_gradients(shape: tuple[int, ...], eps: float) -> None:
    ours, theirs = filled(RMSNorm(6, eps)), nn.RMSNorm(6, eps).double()
    theirs.weight = ours.gamma
    for scale in (1, 1e-3):  # large, and so small that eps matters most
        assert_same(ours, theirs, scale * normal(*shape), ours.gamma)


def test_a_new_rms_norm_makes_the_mean_of_the_squares_one_and_has_one_parameter() -> None:
    new = RMSNorm(64).double()
    squares = new(7 * normal(3, 5, 64) + 2).square().mean(dim=-1)
    torch.testing.assert_close(squares, torch.ones(3, 5).double(), rtol=0, atol=1e-5)
    assert {name: p.tolist() for name, p in new.named_parameters()} == {"gamma": [1.0] * 64}


def test_only_for_words_without_a_mean_are_both_norms_the_same() -> None:
    x = normal(3, 5, 8)
    centred = x - x.mean(dim=-1, keepdim=True)
    rms, layer = RMSNorm(8).double(), LayerNorm(8).double()
    torch.testing.assert_close(rms(centred), layer(centred), **CLOSE)
    assert float((rms(x) - layer(x)).detach().abs().max()) > 0.1


def test_zeros_stay_zeros() -> None:
    assert torch.equal(filled(RMSNorm(6))(torch.zeros(2, 6).double()), torch.zeros(2, 6).double())


@pytest.mark.parametrize("shape", SHAPES)
def test_swiglu_equals_one_written_with_torchs_silu_and_so_do_its_gradients(shape: tuple[int, ...]) -> None:
    ours = filled(SwiGLU(6, 7))

    def theirs(x: Tensor) -> Tensor:
        gate, up, down = (getattr(ours, name).weight for name in ("w_gate", "w_up", "w_down"))
        return F.linear(F.silu(F.linear(x, gate)) * F.linear(x, up), down)

    assert_same(ours, theirs, normal(*shape), *ours.parameters())


def test_swiglu_has_three_matrices_and_no_biases() -> None:
    shapes = {name: tuple(p.shape) for name, p in SwiGLU(6, 7).named_parameters()}
    assert shapes == {"w_gate.weight": (7, 6), "w_up.weight": (7, 6), "w_down.weight": (6, 7)}


def test_the_gate_decides_and_the_other_matrix_passes_in_proportion() -> None:
    ours, x = filled(SwiGLU(6, 7)), normal(5, 6)
    usual = ours(x)
    ours.w_up.weight.data *= 2
    torch.testing.assert_close(ours(x), 2 * usual, **CLOSE)
    ours.w_gate.weight.data *= 2
    assert float((ours(x) - 4 * usual).detach().abs().max()) > 0.1, "the gate isn't linear"
    ours.w_gate.weight.data.zero_()
    assert not ours(x).any()


def test_two_thirds_of_the_width_make_as_many_weights() -> None:
    weights, width = swiglu_width_on_paper()
    plain = FeedForward(6, 24)
    assert weights == plain.w_1.weight.numel() + plain.w_2.weight.numel()
    assert weights == sum(parameter.numel() for parameter in SwiGLU(6, width).parameters())
    assert width == 24 * 2 / 3


def test_the_lessons_numbers_of_silu() -> None:
    silu = {z: z / (1 + math.exp(-z)) for z in (3, 0, -3, 1)}
    assert [round(silu[z], 3) for z in (3, 0, -3)] == [2.858, 0, -0.142]
    assert (round(silu[1], 3), round(silu[1] * 2 * 3, 3)) == (0.731, 4.386)
