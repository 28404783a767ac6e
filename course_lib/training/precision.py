"""Arithmetic in 16 bits if the processor has it: half the bytes, and matrix products several times as fast."""

import torch

#: what to check PyTorch for: tiles of 16-bit numbers (AMX), or vectors of them (AVX512-BF16)
_SIXTEEN_BITS = ("_is_amx_tile_supported", "_is_avx512_bf16_supported")


def fast_precision() -> torch.autocast:
    """Return a context for a forward pass: products in bfloat16 on a processor with AMX or AVX512-BF16, else float32.

    Weights, their gradients and the optimiser stay in float32.
    """
    has_them = any(getattr(torch.cpu, name, lambda: False)() for name in _SIXTEEN_BITS)
    return torch.autocast("cpu", torch.bfloat16, enabled=has_them)
