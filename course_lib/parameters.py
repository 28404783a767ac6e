"""Loading weights into a module by the names of its parameters."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn


def load_parameters(module: nn.Module, weights: Mapping[str, Tensor]) -> None:
    """Copy weights into the parameters of the same names.

    Buffers are the module's own business: a mask or the numbers of the positions that somebody keeps in one is left as
    it is. (`load_state_dict` would ask for them too, or refuse them.) A parameter with two names needs one of them.

    Raises:
        ValueError: names or shapes are not those of the parameters.
    """
    parameters = dict(module.named_parameters(remove_duplicate=False))
    known = {id(parameter) for name, parameter in parameters.items() if name in weights}
    missing = [name for name, parameter in parameters.items() if id(parameter) not in known]
    unknown = [name for name in weights if name not in parameters]
    misshapen = [
        name for name, weight in weights.items() if name in parameters and parameters[name].shape != weight.shape
    ]
    if missing or unknown or misshapen:
        parts = (("without a weight", missing), ("not in the module", unknown), ("of another shape", misshapen))
        problems = "; ".join(f"{problem}: {', '.join(names[:4])}" for problem, names in parts if names)
        raise ValueError(f"The weights do not fit the module's parameters. {problems[:1].upper()}{problems[1:]}.")
    with torch.no_grad():
        for name, weight in weights.items():
            parameters[name].copy_(weight)
