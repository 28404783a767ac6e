"""Sample weights for whole modules that all differ from the initial ones."""

from __future__ import annotations

from torch import Tensor, nn

from autograder.exercises.sampler import Sampler


def weights_of(sampler: Sampler, module: nn.Module, scale: float = 0.4) -> dict[str, Tensor]:
    """Return numbers for each parameter of a module, by name. Scales of normalisations are close to 1."""
    return {
        name: (sampler.tensor(*parameter.shape, scale=scale) + (1.0 if name.endswith("gamma") else 0.0))
        for name, parameter in module.named_parameters()
    }
