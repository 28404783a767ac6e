"""A fingerprint of saved weights and their description."""

from __future__ import annotations

import hashlib

import torch
from torch import Tensor


def digest_of(tensors: dict[str, Tensor], text: str) -> str:
    """Return a fingerprint of everything saved, because safetensors itself does not notice a changed number."""
    digest = hashlib.sha256(text.encode())
    for name in sorted(tensors):
        digest.update(name.encode())
        digest.update(tensors[name].flatten().view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()
