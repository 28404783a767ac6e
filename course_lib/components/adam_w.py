"""AdamW: the mean gradient, divided by the gradient's usual size, and a decay that is not part of the gradient.

The state of a parameter is made when its first gradient arrives, and the count of its steps is part of that state.
The decay comes first and uses no gradient, so the division by the root never reaches it.
"""

from collections.abc import Iterable

import torch
from torch import nn
from torch.optim import Optimizer


class AdamW(Optimizer):
    """Adam with decoupled weight decay. It equals `torch.optim.AdamW`.

    For each parameter θ with a gradient g, at its t-th step::

        m ← β₁ m + (1 − β₁) g           the mean of recent gradients, 0 at first
        v ← β₂ v + (1 − β₂) g²          the mean of their squares, 0 at first
        m̂ = m / (1 − β₁ᵗ),  v̂ = v / (1 − β₂ᵗ)
        θ ← θ − rate · decay · θ − rate · m̂ / (√v̂ + ε)

    Both terms of the last line use θ as it was before the step. A parameter whose ``grad`` is None is skipped: it
    neither moves nor decays, and its t doesn't increase.

    Args:
        parameters: they are changed in place.
        lr: the learning rate. A scheduler changes it between two steps, in ``group["lr"]``.
        betas: β₁ and β₂.
        eps: ε.
        weight_decay: the decay.

    Source: Loshchilov and Hutter 2019, arXiv:1711.05101, algorithm 2; Kingma and Ba 2015, arXiv:1412.6980.
    """

    def __init__(
        self,
        parameters: Iterable[nn.Parameter],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
    ) -> None:
        super().__init__(parameters, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self) -> None:
        """Move every parameter that has a gradient.

        ``self.param_groups`` is a list of dicts. Each contains a list of parameters, ``"params"``, and their settings:
        ``"lr"``, ``"betas"``, ``"eps"``, ``"weight_decay"``. ``self.state[parameter]`` is a dict of your own for each
        parameter, empty at first. Change parameters in place, and leave their gradients as they are.
        """
        for group in self.param_groups:
            beta1, beta2 = group["betas"]
            for parameter in group["params"]:
                gradient = parameter.grad
                if gradient is None:
                    continue
                state = self.state[parameter]
                if not state:
                    state.update(step=0, first=torch.zeros_like(parameter), second=torch.zeros_like(parameter))
                state["step"] += 1
                state["first"].mul_(beta1).add_((1 - beta1) * gradient)
                state["second"].mul_(beta2).add_((1 - beta2) * gradient.square())
                first = state["first"] / (1 - beta1 ** state["step"])
                second = state["second"] / (1 - beta2 ** state["step"])
                parameter.mul_(1 - group["lr"] * group["weight_decay"])
                parameter.sub_(group["lr"] * first / (second.sqrt() + group["eps"]))
