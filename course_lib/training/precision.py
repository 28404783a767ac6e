"""Arithmetic in 16 bits where the processor has it: half the bytes, and matrix products several times as fast."""

import torch


def fast_precision() -> torch.autocast:
    """A context for a model's forward pass: products in bfloat16 on a processor with AMX, in float32 on another.

    Weights, their gradients and the optimiser stay in float32.
    """
    has_tiles = getattr(torch.cpu, "_is_amx_tile_supported", lambda: False)()
    return torch.autocast("cpu", torch.bfloat16, enabled=has_tiles)
