"""An optimizer that learns from few batches: matrices move equally in all directions, and Adam does the rest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

#: of the polynomial a x + b x³ + c x⁵ that brings singular values near 1, applied a few times
_A, _B, _C = 3.4445, -4.7750, 2.0315
_ROUNDS = 4
_MOMENTUM = 0.9


class Muon(torch.optim.AdamW):
    """Equal steps in every singular direction of a matrix; embeddings, gains and biases take Adam's steps.

    The gradient of a matrix has a few large singular values and many small ones, so a step along it hardly moves the
    rare directions. Here, the momentum U S Vᵀ of a matrix is replaced by approximately U Vᵀ, in blocks of a few rows. A
    block has as many rows as a head, which keeps heads separate and is cheap.

    Args:
        network: the network to train; the matrices are the weights of its `torch.nn.Linear` layers.
        rate: Adam's learning rate.
        matrix_rate: the learning rate of the matrices: the spectral norm of a step, for each block.
        rows: rows per block; a matrix whose rows are not a multiple of this is one block.

    Source: Jordan et al. 2024, https://kellerjordan.github.io/posts/muon/; Adam as in Vaswani et al. 2017, 5.3.
    """

    def __init__(self, network: nn.Module, rate: float, matrix_rate: float, rows: int = 64) -> None:
        matrices = [part.weight for part in network.modules() if isinstance(part, nn.Linear)]
        known = set(map(id, matrices))
        others = [weight for weight in network.parameters() if id(weight) not in known]
        groups = [{"params": others, "rows": 0}, {"params": matrices, "rows": rows, "lr": matrix_rate}]
        super().__init__(groups, lr=rate, betas=(0.9, 0.98), eps=1e-9, weight_decay=0.0, fused=True)

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> None:  # type: ignore[override]
        """Update every weight; matrices go first, and this uses up their gradients."""
        for group in self.param_groups:
            if group["rows"]:
                self._step_of_matrices(group)
        super().step(closure)

    def _step_of_matrices(self, group: dict[str, Any]) -> None:
        alike: dict[torch.Size, list[tuple[Tensor, Tensor]]] = {}
        for weight in group["params"]:
            if weight.grad is not None:
                towards = self._towards(weight, weight.grad)  # (R, C)
                rows = group["rows"] if len(weight) % group["rows"] == 0 else len(weight)
                blocks = towards.reshape(-1, rows, towards.size(1))  # (N, R', C)
                alike.setdefault(blocks.shape[1:], []).append((weight, blocks))
                weight.grad = None
        for (rows, columns), pairs in alike.items():
            found = orthogonal(torch.cat([blocks for _, blocks in pairs]))  # (all N, R', C)
            steps = torch.split(found, [len(blocks) for _, blocks in pairs])
            size = group["lr"] * max(1, rows / columns) ** 0.5
            for (weight, _), step in zip(pairs, steps, strict=True):
                weight.sub_(step.flatten(0, 1), alpha=size)

    def _towards(self, weight: Tensor, gradient: Tensor) -> Tensor:
        """Return the momentum of a weight (R, C) after its gradient, looking one step ahead (Nesterov)."""
        state = self.state[weight]
        if not state:
            state["step"], state["momentum"] = torch.zeros(()), torch.zeros_like(weight)
        state["step"] += 1
        momentum: Tensor = state["momentum"].lerp_(gradient, 1 - _MOMENTUM)
        return gradient.lerp(momentum, _MOMENTUM)


def orthogonal(matrices: Tensor) -> Tensor:
    """Return approximately U Vᵀ for each matrix U S Vᵀ: singular values become 0.6 to 1.25, except the smallest.

    Args:
        matrices: (N, R, C). The computation uses 16 bits.

    Returns:
        (N, R, C), in the dtype of the argument.

    Source: Newton & Schulz's iteration with the coefficients of Jordan et al. 2024.
    """
    if matrices.size(1) > matrices.size(2):
        return orthogonal(matrices.mT).mT
    x = matrices.bfloat16()
    x = x / (x.norm(dim=(1, 2), keepdim=True) + 1e-7)
    for _ in range(_ROUNDS):
        square = x @ x.mT  # (N, R, R)
        polynomial = torch.baddbmm(square, square, square, beta=_B, alpha=_C)
        x = torch.baddbmm(x, polynomial, x, beta=_A)
    return x.to(matrices.dtype)
