"""A translator of a few words that several tests save, and what may happen to its file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from course_lib.components import Transformer

ENGLISH = ("<pad>", "<bos>", "<eos>", "<unk>", "the", "cat", "sleeps", "dog", "runs", ".", "?")
FRENCH = (*ENGLISH[:4], "le", "chat", "dort", "chien", "court", ".", "?", "la", "</script>")


def small(heads: int = 3, norm_first: bool = False, **settings: Any) -> Transformer:
    """A network whose weights are as different from each other as trained ones are."""
    torch.manual_seed(heads)
    sizes = {"d_model": 24, "num_heads": heads, "num_layers": 3, "d_ff": 20, "max_length": 30, "dropout": 0.1}
    model = Transformer(len(ENGLISH), len(FRENCH), norm_first=norm_first, **(sizes | settings))
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(0.3 * torch.randn_like(weight))
    return model


DAMAGES = ("a number changed", "cut off", "no weights", "a word changed")


def damage(path: Path, how: str) -> None:
    content = bytearray(path.read_bytes())
    if how == "a number changed":
        content[-1] ^= 1
    elif how == "cut off":
        del content[len(content) // 2 :]
    elif how == "no weights":
        content = bytearray(b"these are no weights")
    elif how == "a word changed":
        content = bytearray(bytes(content).replace(b"chien", b"cheen"))
    path.write_bytes(content)
